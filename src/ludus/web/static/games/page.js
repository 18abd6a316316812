// One game: its numbers, its best players, its latest matches, its rules.
import { boardOf, unpacked } from "../board.js";
import { icon } from "../icons.js";
import { markdown } from "../markdown.js";
import { api, fill, h, lastOf, mount } from "../shell.js";
import { has, language, t } from "../strings.js";
import { gameFigures, leaderboard, matches } from "./lists.js";
import { START } from "./start.js";

const id = lastOf(location.pathname);
const main = mount({ active: "games", title: has(`game.${id}`) ? t(`game.${id}`) : t("shell.games") });

await fill(main, async () => {
  const path = encodeURIComponent(id);
  const [game, texts, stats, leaders, live, recent] = await Promise.all([
    api(`/api/games/${path}`), import(`../texts/${language}.js`), api("/api/stats"), api(`/api/leaderboard?gameId=${path}&limit=20`),
    api(`/api/matches?gameId=${path}&status=active&limit=5`), api(`/api/matches?gameId=${path}&status=finished&limit=15`),
  ]);
  main.replaceChildren(
    h("div", {}, h("div", { class: "title-row" }, h("h1", {}, t(`game.${id}`)),
      h("div", { class: "row" }, h("a", { class: "button", href: `/?game=${id}` }, icon("play"), t("shell.play")),
        h("a", { class: "button plain", href: `/watch?game=${id}` }, icon("watch"), t("shell.watch")))), h("p", { class: "lead" }, t(`game.${id}.text`))),
    gameFigures(game.stats, stats.queueDepth[id] ?? 0),
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, t("games.recent")), matches([...live.matches, ...recent.matches])),
      h("section", { class: "card" }, h("h2", {}, t("games.leaders")), leaderboard(leaders.leaderboard))),
    text(t("games.rules"), texts.default[id].rules, picture()),
    text(t("games.strategy"), texts.default[id].strategy),
  );
});

/** The board before the first move, with the numbers that the rules speak of. */
function picture() {
  const board = boardOf(id);
  board.position = unpacked(START[id]);
  return h("figure", { class: "start" }, board);
}

function text(title, content, beside = null) {
  return h("details", { class: "card", open: Boolean(beside) }, h("summary", {}, h("h2", { class: "in-summary" }, title)),
    h("div", { class: "with-picture" }, beside, h("div", { class: "prose" }, markdown(content))));
}
