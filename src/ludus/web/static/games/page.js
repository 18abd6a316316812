// One game: its numbers, its best players, its latest matches, its rules.
import { icon } from "../icons.js";
import { markdown } from "../markdown.js";
import { api, fill, h, mount } from "../shell.js";
import { has, t } from "../strings.js";
import { gameFigures, leaderboard, matches } from "./lists.js";

const id = decodeURIComponent(location.pathname.split("/").at(-1));
const main = mount({ active: "games", title: has(`game.${id}`) ? t(`game.${id}`) : t("shell.games") });

await fill(main, async () => {
  const path = encodeURIComponent(id);
  const [game, strategy, stats, leaders, live, recent] = await Promise.all([
    api(`/api/games/${path}`), api(`/api/games/${path}/strategy`), api("/api/stats"), api(`/api/leaderboard?gameId=${path}&limit=20`),
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
    text(t("games.rules"), game.rules, true),
    text(t("games.strategy"), strategy.content, false),
  );
});

/** The house's texts are for people and programs; what only programs need is left out. They are in English. */
function text(title, content, open) {
  const parts = markdown(content.split("\n## Actions")[0].replace(/^# .*\n/, ""));
  return h("details", { class: "card", open }, h("summary", {}, h("h2", { class: "in-summary" }, title)), h("div", { class: "prose", lang: "en" }, parts));
}
