// Players of a tournament: names with links, and scores as tables write them.
import { kindIcon, nameOf, playerName } from "../people.js";
import { h } from "../shell.js";
import { number } from "../strings.js";

/** An entrant as other lists have players. */
function listed({ id, name, kind, level }) {
  if (id.startsWith("deleted:")) return { id, name, kind };
  return { id: kind === "person" ? `person:${id}` : kind === "bot" ? `house:${level}` : id, name, kind };
}

export const entrantName = (player) => nameOf(listed(player));

/** A name with a link to the player's page. */
export function entrant(player, { isWinner = false } = {}) {
  const shown = listed(player);
  return h("span", { class: isWinner ? "player winner" : "player", title: nameOf(shown) }, playerName(shown), player.kind === "person" ? null : kindIcon(player.kind));
}

/** 2½, or ½. */
export function points(score) {
  const whole = Math.floor(score);
  const rest = score - whole;
  if (rest === 0.5) return `${whole ? number(whole) : ""}½`;
  return number(score, { maximumFractionDigits: 2 });
}
