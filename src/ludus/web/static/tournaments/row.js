// A tournament in a list: its name, what it is about, when it is, and who has won.
import { icon } from "../icons.js";
import { isolated } from "../isolation.js";
import { h } from "../shell.js";
import { t } from "../strings.js";
import { entrantName } from "./entrants.js";
import { badge, entered, facts, when } from "./terms.js";

export function row(tournament) {
  const { id, name, state, winner } = tournament;
  return h("li", {}, h("a", { class: "tournament", href: `/tournaments/${id}` },
    h("span", { class: "what" }, h("strong", {}, isolated(name)), h("span", { class: "muted small" }, facts(tournament)),
      winner ? h("span", { class: "won small" }, icon("games"), t("tournaments.winner", { name: entrantName(winner) })) : null),
    h("span", { class: "how small" }, state === "running" ? badge(tournament) : null, h("span", {}, when(tournament)), h("span", { class: "muted" }, entered(tournament)))));
}
