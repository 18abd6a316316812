// How pages show players.
import { icon } from "./icons.js";
import { isolated } from "./isolation.js";
import { h } from "./shell.js";
import { has, t, word } from "./strings.js";

const ICONS = { person: "person", bot: "robot", agent: "robot" };

export function kindIcon(kind) {
  const picture = icon(ICONS[kind] ?? "person");
  return h("span", { class: `kind kind-${kind}`, title: t(`kind.${kind}`) }, picture, h("span", { class: "visually-hidden" }, t(`kind.${kind}`)));
}

/** The arena's name for every player who came through an app. */
const PERSON = "A person";

/** The server's names for players who have been deleted. */
const DELETED = ["Deleted player", "Deleted agent"];

/** A player's name; house bots have names in the page's language. */
export function nameOf({ id, name }) {
  if (name === PERSON) return t("people.somebody");
  if (DELETED.includes(name)) return t("people.deleted");
  const key = `play.bot.${id.replace(/^house:/, "bot-")}`;
  return has(key) ? t(key) : isolated(name);
}

/** A name, with a link to the player's page. People who came through an app have none. */
export function playerName(player) {
  const isPlain = player.id.startsWith("deleted:") || player.name === PERSON;
  const [, person] = player.id.match(/^person:(.+)/) ?? [];
  const href = person ? `/people/${encodeURIComponent(person)}` : `/agents/${encodeURIComponent(player.id)}`;
  return isPlain || (player.kind === "person" && !person) ? h("span", {}, nameOf(player)) : h("a", { href }, nameOf(player));
}

/** A name next to a piece of the player's color. */
export function playerTag(player, { link = true } = {}) {
  const name = link ? playerName(player) : h("span", {}, nameOf(player));
  return h("span", { class: "player" }, h("span", { class: `man man-${player.color}`, title: word("color.", player.color) }), name, kindIcon(player.kind));
}
