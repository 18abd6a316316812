// Tournaments on the start page: those that can be joined or watched now.
import { icon } from "../icons.js";
import { isolated } from "../isolation.js";
import { api, h } from "../shell.js";
import { t } from "../strings.js";
import { badge, facts, when } from "./terms.js";

const MOST = 3;

/** Fills the place once they are known; without any it has a link to where they are. */
export async function showTournaments(place) {
  const { running = [], upcoming = [] } = await api("/web/tournaments").catch(() => ({}));
  const shown = [...running, ...upcoming].slice(0, MOST);
  place.replaceChildren(
    h("h2", {}, h("a", { href: "/tournaments" }, icon("tournaments"), " ", t("tournaments.title"))),
    ...(shown.length ? shown.map(line) : [h("p", { class: "muted small" }, t("tournaments.lead"))]));
  place.hidden = false;
}

function line(tournament) {
  const { id, name, state } = tournament;
  return h("p", { class: "row" }, h("a", { href: `/tournaments/${id}` }, h("strong", {}, isolated(name))), h("span", { class: "muted small" }, facts(tournament)),
    state === "running" ? badge(tournament) : h("span", { class: "small" }, when(tournament)));
}
