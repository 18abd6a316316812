// The leaderboard of people in one game.
import { table } from "../catalog/lists.js";
import { isolated } from "../isolation.js";
import { h } from "../shell.js";
import { number, t } from "../strings.js";

export function peopleLeaders(leaders) {
  if (!leaders.length) return h("p", { class: "muted" }, t("games.no_leaders"));
  const row = ({ rank, person, rating, games }) => h("tr", {}, h("td", { class: "number" }, number(rank)),
    h("td", { class: "players" }, h("div", { class: "line" }, h("a", { href: `/people/${person.id}`, title: person.name }, isolated(person.name)))),
    h("td", { class: "number" }, h("strong", {}, number(rating, { useGrouping: false }))), h("td", { class: "number" }, number(games)));
  return table([["#", "number"], [t("games.player"), ""], [t("games.rating"), "number"], [t("games.played"), "number"]], leaders.map(row));
}
