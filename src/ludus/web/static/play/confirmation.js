// Asks before a move is sent, for players who prefer that. Boards that build a move step by step ask by themselves.

import { GAMES } from "../games/index.js";
import { get } from "../preferences.js";
import { t } from "../strings.js";

/** Sends a move, or shows it and waits for confirmation. */
export function confirmation(state) {
  const { board, prompt, room } = state;
  const offer = (move) => {
    if (!get("confirmMoves") || GAMES[room.game].hasOwnConfirm) return state.send(move);
    const undo = () => {
      prompt.clear("confirm");
      Object.assign(board, { position: room.position, moves: state.moves });
    };
    const send = () => {
      prompt.clear("confirm");
      state.send(move);
    };
    prompt.show("confirm", t("play.confirm", { move: GAMES[room.game].notationOf(move, room.color) }), { buttons: [[t("play.confirm.yes"), send, "primary"], [t("play.confirm.undo"), undo, "plain"]] });
    prompt.element.querySelector("button").focus();
  };
  const update = (kind) => {
    if (kind === "game:over" || kind === "game:started" || kind === "game:move:made" || kind === "game:takeback:made") prompt.clear("confirm");
  };
  return { offer, update };
}
