// Players as the pages show them.
import { icon } from "./icons.js";
import { h } from "./shell.js";
import { t } from "./strings.js";

const ICONS = { person: "person", bot: "robot", agent: "robot" };

export function kindIcon(kind) {
  const picture = icon(ICONS[kind] ?? "person");
  return h("span", { class: `kind kind-${kind}`, title: t(`kind.${kind}`) }, picture, h("span", { class: "visually-hidden" }, t(`kind.${kind}`)));
}

/** A name; of a bot or an agent it leads to its page. */
export function playerName(player) {
  return player.kind === "person" ? h("span", {}, player.name) : h("a", { href: `/agents/${encodeURIComponent(player.id)}` }, player.name);
}

/** The name beside a man of its colour. */
export function playerTag(player, { link = true } = {}) {
  const name = link ? playerName(player) : h("span", {}, player.name);
  return h("span", { class: "player" }, h("span", { class: `man man-${player.color}`, title: t(`color.${player.color}`) }), name, kindIcon(player.kind));
}
