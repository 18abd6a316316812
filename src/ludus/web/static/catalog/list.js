// The list of games.
import { unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { api, fill, h, mount } from "../shell.js";
import { gameName, t, tn } from "../strings.js";
import { matches } from "./lists.js";

const main = mount({ active: "games", title: t("shell.games") });

await fill(main, async () => {
  const [games, stats, recent] = await Promise.all([api("/api/games"), api("/api/stats"), api("/web/finished?limit=12")]);
  main.replaceChildren(
    h("div", {}, h("h1", {}, t("games.title")), h("p", { class: "lead" }, t("games.lead"))),
    h("div", { class: "games-grid" }, games.map((game) => card(game, stats))),
    h("section", { class: "card" }, h("h2", {}, t("games.recent")), matches(recent.matches, { withGame: true })),
  );
});

function card(game, stats) {
  const board = viewBoard(game.id, { compact: true });
  board.position = unpack(game.id, GAMES[game.id].start);
  return h("section", { class: "card game-card", "aria-labelledby": `game-${game.id}` },
    h("div", { class: "stage", "aria-hidden": "true" }, board),
    h("div", {}, h("h2", { id: `game-${game.id}` }, h("a", { href: `/games/${game.id}` }, gameName(game.id))), h("p", { class: "muted" }, t(`${game.id}.text`))),
    h("p", { class: "small muted" }, tn("games.today", stats.matchesPerDay[game.id] ?? 0)),
    h("div", { class: "row" }, h("a", { class: "button", href: `/?game=${game.id}` }, icon("play"), t("shell.play")),
      h("a", { class: "button plain", href: `/watch?game=${game.id}` }, icon("watch"), t("shell.watch")),
      GAMES[game.id].load.lesson ? h("a", { class: "button plain", href: `/learn/${game.id}`, "aria-label": `${t("learn.link")}: ${gameName(game.id)}` }, t("learn.link")) : null,
      GAMES[game.id].hasPuzzles ? h("a", { class: "button plain", href: `/puzzles/${game.id}`, "aria-label": `${t("puzzles.link")}: ${gameName(game.id)}` }, t("puzzles.link")) : null,
      h("a", { class: "button plain", href: `/analysis?game=${game.id}`, "aria-label": `${t("shell.analysis")}: ${gameName(game.id)}` }, t("shell.analysis")),
      h("a", { class: "button plain", href: `/games/${game.id}`, "aria-label": `${t("games.more")}: ${gameName(game.id)}` }, t("games.more"))));
}
