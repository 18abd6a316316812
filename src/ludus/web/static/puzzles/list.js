// All games' puzzles: the daily ones, how the visitor stands, and the way to more.
import { unpack, viewBoard } from "../games.js";
import { icon } from "../icons.js";
import { peopleLeaders } from "../people/leaders.js";
import { api, fill, h, mount } from "../shell.js";
import { date, gameName, number, t, tn } from "../strings.js";
import { standing } from "./standing.js";

const main = mount({ active: "puzzles", title: t("puzzles.title") });

await fill(main, async () => {
  const { date: today, games } = await api("/web/puzzles");
  const leaders = await Promise.all(games.map(({ game }) => api(`/web/puzzles/${encodeURIComponent(game)}/leaders`)));
  main.replaceChildren(
    h("div", {}, h("h1", {}, t("puzzles.title")), h("p", { class: "lead" }, t("puzzles.lead"))),
    h("div", { class: "puzzle-games" }, games.map((each) => card(each, today))),
    h("div", { class: "puzzle-games" }, games.map(({ game }, at) => leaders[at].leaders.length ? h("section", { class: "card" }, h("h2", {}, `${t("puzzles.leaders")}: ${gameName(game)}`), peopleLeaders(leaders[at].leaders)) : null)));
});

function card({ game, count, daily, me }, today) {
  const board = viewBoard(game, { compact: true });
  Object.assign(board, { side: daily.color, position: unpack(game, daily.board, { color: daily.color }) });
  const solved = me?.isDailySolved;
  const name = gameName(game);
  return h("section", { class: "card puzzle-card", "data-game": game, "aria-labelledby": `puzzles-${game}` },
    h("div", {}, h("div", { class: "title-row" }, h("h2", { id: `puzzles-${game}` }, name), h("span", { class: "muted small" }, tn("puzzles.count", count))),
      h("p", { class: "muted small" }, t("puzzles.daily"), " · ", date(`${today}T12:00Z`, { dateStyle: "long", timeZone: "UTC" }))),
    h("a", { class: "stage", href: `/puzzles/${game}/daily`, tabindex: "-1", "aria-hidden": "true" }, board),
    h("p", { class: "task" }, t("puzzles.find", { color: t(`color.${daily.color}`) }), " ",
      h("span", { class: "badge" }, t("puzzles.rated", { rating: number(daily.rating, { useGrouping: false }) })), " ",
      solved ? h("span", { class: "badge good" }, icon("check"), t("puzzles.daily.done")) : null),
    h("div", { class: "row" },
      h("a", { class: solved ? "button plain" : "button", href: `/puzzles/${game}/daily`, "aria-label": `${t(solved ? "puzzles.daily.again" : "puzzles.daily.solve")}: ${name}` }, solved ? null : icon("run"), t(solved ? "puzzles.daily.again" : "puzzles.daily.solve")),
      h("a", { class: solved ? "button" : "button plain", href: `/puzzles/${game}`, "aria-label": `${t("puzzles.train")}: ${name}` }, t("puzzles.train"))),
    standing(me));
}
