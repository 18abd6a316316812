// A move entered while the opponent is thinking: shown, can be cancelled, and played at the start of the turn if it's legal.

import { GAMES } from "../games/index.js";
import { get } from "../preferences.js";
import { t } from "../strings.js";

const DROPPED_MS = 5000;

export function premove(state) {
  const { room, board, prompt, presentation } = state;
  let chosen = null;
  const set = (move) => {
    chosen = board.premove = move;
    if (!move) return prompt.clear("premove");
    const text = t("play.premove", { move: GAMES[room.game].notationOf(move, room.color) });
    prompt.show("premove", text, { buttons: [[t("play.premove.cancel"), () => set(null), "plain"]] });
  };
  board.addEventListener("ludus-premove", ({ detail }) => set(detail));
  presentation.addEventListener("ready", () => {
    if (!chosen) return;
    const wanted = chosen;
    set(null);
    const fitting = state.moves.filter((move) => move.from === wanted.from && move.to === wanted.to);
    if (fitting.length === 1) state.send(fitting[0]);
    else prompt.show("premove", t("play.premove.dropped"), { ms: DROPPED_MS });
  });
  const update = (kind) => {
    if (chosen && (room.over || kind === "game:started" || kind === "game:takeback:made")) set(null);
    board.canPremove = get("premove") && !room.over && !room.isMine && !presentation.isLooking && room.link === "online";
  };
  presentation.addEventListener("change", () => update(""));
  return { update };
}
