// The rules in a dialog: those that apply to the current position first, then all of them.

import { GAMES } from "../games/index.js";
import { markdown } from "../markdown.js";
import { rulesPicture } from "../rules-picture.js";
import { h } from "../shell.js";
import { gameName, has, language, t } from "../strings.js";

export async function showRules({ room, moves }) {
  const load = GAMES[room.game].load.rules;
  const texts = load ? (await (load[language] ?? load.en)()).default : null;
  const now = GAMES[room.game].situationsOf({ position: room.position, moves, color: room.color }).filter((name) => has(`${room.game}.situation.${name}`));
  const dialog = h("dialog", { class: "rules", "aria-labelledby": "rules-title" },
    h("div", { class: "rules-head" }, h("h2", { id: "rules-title" }, t("play.rules.title", { game: gameName(room.game) })), h("form", { method: "dialog" }, h("button", { class: "plain", autofocus: true }, t("play.rules.close")))),
    now.length && !room.over ? h("section", { class: "note good", "data-situation": now.join(" ") }, h("h3", {}, t("play.rules.now")), now.map((name) => h("p", {}, t(`${room.game}.situation.${name}`)))) : "",
    texts ? h("div", { class: "prose" }, markdown(texts.rules, { picture: rulesPicture(room.game) })) : h("p", {}, t(`${room.game}.text`)));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
