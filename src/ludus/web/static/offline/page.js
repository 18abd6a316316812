// The offline page: what happens to games in progress, the rules to read, and a button to try again.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { markdown } from "../markdown.js";
import { h, mount } from "../shell.js";
import { gameName, language, t } from "../strings.js";

const main = mount({ title: t("offline.title") });
const again = h("button", { class: "primary", type: "button", onclick: () => location.reload() }, icon("again"), t("error.again"));
main.replaceChildren(
  h("div", { class: "empty" }, icon("offline"), h("h1", {}, t("offline.title")), h("p", {}, t("offline.text")), h("div", { class: "row" }, again)),
  h("section", { class: "card" }, h("h2", {}, t("offline.games")), h("ul", { class: "prose" }, ["bots", "people", "moves"].map((key) => h("li", {}, t(`offline.${key}`))))),
  h("section", { class: "stack" }, h("h2", {}, t("offline.rules")), Object.values(GAMES).filter(({ load }) => load.rules).map(({ id }) => rules(id))),
);
addEventListener("online", () => location.reload());

/** A game's rules and strategy, which open on request. */
function rules(game) {
  const text = h("div", { class: "prose" });
  const box = h("details", { class: "card" }, h("summary", {}, h("h3", { class: "in-summary" }, gameName(game))), text);
  box.addEventListener("toggle", async () => {
    if (!box.open || text.hasChildNodes()) return;
    const { load } = GAMES[game];
    const { rules, strategy } = (await (load.rules[language] ?? load.rules.en)()).default;
    text.append(...markdown(rules), h("h3", {}, t("games.strategy")), ...markdown(strategy));
  });
  return box;
}
