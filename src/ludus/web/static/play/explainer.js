// Explains why a gesture was not a legal move, and rings the pieces that can move. The reasons come from the server; the
// page has a sentence for each.

import { GAMES } from "../games/index.js";
import { has, t } from "../strings.js";

const SHOWN_MS = 6000;

/** Returns a function for the board's `ludus-refused`, and one for typed moves that aren't legal. */
export function explainer(state) {
  const { room, board, prompt } = state;
  let latest = null;
  const say = (reason, places = []) => {
    const key = [`${room.game}.why.${reason}`, `play.why.${reason}`].find(has);
    if (key) prompt.show("why", t(key), { ms: SHOWN_MS });
    board.point?.(places);
  };
  const local = () => {
    if (room.over) return "game_over";
    if (state.presentation.isLooking) return "looking";
    if (!room.isMine) return "not_your_turn";
    if (board.mustRoll) return "roll_first";
    return state.moves.length ? null : "wait";
  };
  const explain = async (detail) => {
    const known = local();
    if (known === "wait") return;  // the legal moves are on their way
    if (known === "looking") return prompt.show(known, t("play.why.looking"), { buttons: [[t("play.step.return"), () => state.presentation.back(), "primary"]] });
    if (known || detail.reason) return say(known ?? detail.reason, detail.places);
    const asked = (latest = {});
    const refusal = await room.why(detail).catch(() => null);
    if (refusal && asked === latest) say(refusal.reason, refusal.places);
  };
  /** Why typed text is not a legal move, as a sentence; empty if the reason isn't known. */
  const explainText = async (text) => {
    const soFar = [];
    for (const step of GAMES[room.game].readSteps(text, room.color)) {
      const refusal = await room.why({ ...step, soFar }).catch(() => null);
      if (refusal) {
        board.point?.(refusal.places);
        const key = [`${room.game}.why.${refusal.reason}`, `play.why.${refusal.reason}`].find(has);
        return key ? t(key) : "";
      }
      soFar.push({ from: step.position, to: step.target });
    }
    return "";
  };
  return { explain, explainText };
}
