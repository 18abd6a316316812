// One game: figures, leaderboard, latest matches, rules.
import { unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { markdown } from "../markdown.js";
import { peopleLeaders } from "../people/leaders.js";
import { rulesPicture } from "../rules-picture.js";
import { api, fill, h, lastOf, mount } from "../shell.js";
import { gameName, language, t } from "../strings.js";
import { gameFigures, leaderboard, matches } from "./lists.js";

const id = lastOf(location.pathname);
const main = mount({ active: "games", title: Object.hasOwn(GAMES, id) ? gameName(id) : t("shell.games") });
main.replaceChildren();  // what the server wrote for readers without scripts

await fill(main, async () => {
  const path = encodeURIComponent(id);
  const [game, texts, stats, leaders, people, live, recent] = await Promise.all([
    api(`/api/games/${path}`), rulesOf(id), api("/api/stats"), api(`/api/leaderboard?gameId=${path}&limit=20`), api(`/web/leaders?game=${path}`),
    api(`/api/matches?gameId=${path}&status=active&limit=5`), api(`/web/finished?game=${path}&limit=15`),
  ]);
  main.replaceChildren(
    h("div", {}, h("div", { class: "title-row" }, h("h1", {}, gameName(id)),
      h("div", { class: "row" }, h("a", { class: "button", href: `/?game=${id}` }, icon("play"), t("shell.play")),
        h("a", { class: "button plain", href: `/watch?game=${id}` }, icon("watch"), t("shell.watch")),
        GAMES[id].load.lesson ? h("a", { class: "button plain", href: `/learn/${id}` }, t("learn.link")) : null,
        GAMES[id].hasPuzzles ? h("a", { class: "button plain", href: `/puzzles/${id}` }, icon("puzzles"), t("puzzles.link")) : null,
        h("a", { class: "button plain", href: `/tournaments?game=${id}` }, icon("tournaments"), t("shell.tournaments")),
        h("a", { class: "button plain", href: `/analysis?game=${id}` }, icon("light"), t("shell.analysis")))), h("p", { class: "lead" }, t(`${id}.text`))),
    gameFigures(game.stats, stats.queueDepth[id] ?? 0),
    h("div", { class: "columns" },
      h("section", { class: "card" }, h("h2", {}, t("games.recent")), matches([...live.matches, ...recent.matches])),
      h("div", { class: "stack" },
        h("section", { class: "card" }, h("h2", {}, t("games.leaders")), leaderboard(leaders.leaderboard)),
        h("section", { class: "card" }, h("h2", {}, t("games.people_leaders")), peopleLeaders(people.leaders)))),
    text(t("games.rules"), texts?.rules ?? game.rules, picture()),
    texts ? text(t("games.strategy"), texts.strategy) : "",
  );
});

/** The rules as written for people, if the game has them in this language. */
async function rulesOf(game) {
  const load = GAMES[game]?.load.rules;
  return load ? (await (load[language] ?? load.en)()).default : null;
}

/** The starting position, with the numbers that the rules refer to. */
function picture() {
  const board = viewBoard(id);
  board.position = unpack(id, GAMES[id].start);
  return h("figure", { class: "start" }, board);
}

function text(title, content, beside = null) {
  return h("details", { class: "card", open: Boolean(beside) }, h("summary", {}, h("h2", { class: "in-summary" }, title)),
    h("div", { class: "with-picture" }, beside, h("div", { class: "prose" }, markdown(content, { picture: rulesPicture(id) }))));
}
