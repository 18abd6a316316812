// The tutor: in practice games an engine looks at each move before it's sent, and warns of mistakes.

import { GAMES } from "../games/index.js";
import { moveText } from "../move-text.js";
import { get } from "../preferences.js";
import { toast } from "../shell.js";
import { number, t } from "../strings.js";

/** A warning that hasn't come after this time isn't worth waiting for. */
const PATIENCE_MS = 10_000;
const WARNED = new Set(["mistake", "blunder"]);

/** Sends a move, or warns of it and waits for a decision. */
export function tutor(state) {
  const { board, prompt, room } = state;
  let asked = null;
  const settle = () => {
    clearTimeout(asked?.timer);
    asked = null;
    prompt.clear("tutor");
  };
  const send = (move) => {
    settle();
    return state.sendNow(move);
  };
  const sendUnchecked = (move) => {
    toast(t("play.tutor.none"));
    return send(move);
  };
  const retry = () => {
    settle();
    Object.assign(board, { position: room.position, moves: state.moves });
    board.focusFirst();
  };
  const offer = async (move) => {
    if (!get("tutor") || !room.practice || !room.isMine || !GAMES[room.game].hasAnalysis) return send(move);
    settle();
    const own = (asked = { move, timer: setTimeout(() => sendUnchecked(move), PATIENCE_MS) });
    prompt.show("tutor", t("play.tutor.checking"));
    await room.tutor(move).catch(() => asked === own && sendUnchecked(move));
  };
  const warn = ({ loss, mark }) => {
    clearTimeout(asked.timer);
    const { move } = asked;
    const values = { move: moveText(room.game, move, { color: room.color }), loss: number(loss, { maximumFractionDigits: GAMES[room.game].lossDigits }) };
    prompt.show("tutor", t(`play.tutor.${mark}`, values), { buttons: [[t("play.tutor.again"), retry, "primary"], [t("play.tutor.anyway"), () => send(move), "plain"]] });
    prompt.element.querySelector("button").focus();
  };
  const update = (kind, data) => {
    if (!asked) return;
    if (kind === "game:tutor:found") return void (data.loss === null ? sendUnchecked(asked.move) : WARNED.has(data.mark) ? warn(data) : send(asked.move));
    if (kind === "game:move:made" || kind === "game:takeback:made" || kind === "game:over" || kind === "game:started") settle();
  };
  return { offer, update };
}
