// Countdowns of a game: how long an absent opponent has to return, and the player has to move.

import { secondsTo } from "../rooms/countdown.js";
import { t } from "../strings.js";
import { playerName } from "./names.js";

/** Those running now, each as `{name, kind, seconds, text}`; without a limit, `seconds` is Infinity. */
export function runningCountdowns(room) {
  if (room.over) return [];
  const found = [];
  if (room.away !== null) found.push(away(room));
  if (room.warned === room.playerId) found.push({ name: "afk", kind: "bad", ...timed("play.afk", secondsTo(room.deadline ?? 0)) });
  return found;
}

function away({ away: until, opponent }) {
  const name = playerName(opponent);
  const rest = until === Infinity ? { seconds: Infinity, text: t("play.away.open", { name }) } : timed("play.away", secondsTo(until), { name });
  return { name: "away", kind: "warn", ...rest };
}

const timed = (key, seconds, values = {}) => ({ seconds, text: t(key, { ...values, seconds }) });
