// Players as the pages show them.
import { icon } from "./icons.js";
import { isolated } from "./isolation.js";
import { h } from "./shell.js";
import { has, t } from "./strings.js";

const ICONS = { person: "person", bot: "robot", agent: "robot" };

export function kindIcon(kind) {
  const picture = icon(ICONS[kind] ?? "person");
  return h("span", { class: `kind kind-${kind}`, title: t(`kind.${kind}`) }, picture, h("span", { class: "visually-hidden" }, t(`kind.${kind}`)));
}

/** What the arena calls everybody who came by an app, and what the page makes of it. */
const SOMEBODY = "A person";

/** What a player is called; the bots of the house have names in the page's language. */
export function nameOf({ id, name }) {
  if (name === SOMEBODY) return t("people.somebody");
  const key = `play.bot.${id.replace(/^house:/, "bot-")}`;
  return has(key) ? t(key) : isolated(name);
}

/** A name; of a bot or an agent it leads to its page. */
export function playerName(player) {
  return player.kind === "person" ? h("span", {}, nameOf(player)) : h("a", { href: `/agents/${encodeURIComponent(player.id)}` }, nameOf(player));
}

/** The name beside a man of its colour. */
export function playerTag(player, { link = true } = {}) {
  const name = link ? playerName(player) : h("span", {}, nameOf(player));
  return h("span", { class: "player" }, h("span", { class: `man man-${player.color}`, title: t(`color.${player.color}`) }), name, kindIcon(player.kind));
}
