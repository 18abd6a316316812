// Time controls as the server sends them (`{type, seconds, …}`), in players' words.
import { ClockFace } from "./clock-face.js";
import { language, longDuration, number, t, tn } from "./strings.js";

/** Each kind with its fields and their least and greatest values, in the unit of the server. */
export const BOUNDS = {
  move: { seconds: [3, 3600] },
  game: { seconds: [10, 10800] },
  fischer: { seconds: [10, 10800], increment: [1, 180] },
  bronstein: { seconds: [10, 10800], delay: [1, 180] },
  correspondence: { days: [1, 14] },
  none: {},
};
export const KINDS = Object.keys(BOUNDS);

/** Whether the server would accept it. */
export function isValid(chosen) {
  const fields = Object.hasOwn(BOUNDS, chosen?.type) ? Object.entries(BOUNDS[chosen.type]) : null;
  return Boolean(fields?.every(([field, [least, most]]) => Number.isInteger(chosen[field]) && least <= chosen[field] && chosen[field] <= most));
}

/** Whether two of them are the same; none at all equals null. */
export const isSame = (one, two) => keyOf(one) === keyOf(two);
export const keyOf = (chosen) => (chosen ? [chosen.type, ...Object.keys(BOUNDS[chosen.type]).map((field) => chosen[field])].join(" ") : "");

/** A player's initial time in seconds. */
export const secondsOf = ({ seconds, days }) => seconds ?? (days ?? 0) * 86400;

/** A clock in the page's language. */
export const clockFace = (element) => new ClockFace(element, { language, days: t("clock.days") });

/** "5+3", "10 min", "15 s per move". */
export function timeControlName({ type, seconds, increment, delay, days }) {
  const minutes = number(Math.round((seconds ?? 0) / 6) / 10);
  if (type === "fischer") return `${minutes}+${number(increment)}`;
  if (type === "bronstein") return t("clock.bronstein", { minutes, seconds: number(delay) });
  if (type === "game") return t("clock.game", { minutes });
  if (type === "move") return t("clock.move", { seconds: number(seconds) });
  return type === "correspondence" ? tn("clock.correspondence", days) : t("clock.none");
}

/** The time control as a sentence. */
export function timeControlText(chosen) {
  const { type, increment, delay } = chosen;
  return t(`clock.${type}.text`, { time: longDuration(secondsOf(chosen)), seconds: number(increment ?? delay ?? 0) });
}
