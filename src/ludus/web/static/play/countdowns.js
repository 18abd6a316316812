// What runs out during a game: the time of an opponent to come back, one's own to move.

import { secondsTo } from "../countdown.js";
import { t } from "../strings.js";
import { playerName } from "./names.js";

/** Each as `{name, kind, seconds, text}`; an opponent without a limit has infinitely many seconds. */
export function running(room) {
  if (room.over) return [];
  const found = [];
  if (room.away !== null) found.push(away(room));
  if (room.warned === room.playerId) found.push({ name: "afk", kind: "bad", ...told("play.afk", secondsTo(room.deadline ?? 0)) });
  return found;
}

function away({ away: until, opponent }) {
  const name = playerName(opponent);
  const said = until === Infinity ? { seconds: Infinity, text: t("play.away.open", { name }) } : told("play.away", secondsTo(until), { name });
  return { name: "away", kind: "warn", ...said };
}

const told = (key, seconds, values = {}) => ({ seconds, text: t(key, { ...values, seconds }) });
