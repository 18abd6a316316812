// The standings, best first, with the columns that the system has.
import { table } from "../catalog/lists.js";
import { icon } from "../icons.js";
import { h } from "../shell.js";
import { number, t, tn } from "../strings.js";
import { entrant, points } from "./entrants.js";

/** Columns after the score, `[key, cell, class]` each; a phone has no room for some. */
const COLUMNS = {
  arena: [["games", ({ games }) => number(games)], ["wins", ({ wins }) => number(wins)]],
  swiss: [["buchholz", ({ buchholz }) => points(buchholz)], ["sonneborn", ({ sonnebornBerger }) => points(sonnebornBerger), "not-phone"]],
  round_robin: [["sonneborn", ({ sonnebornBerger }) => points(sonnebornBerger)], ["wins", ({ wins }) => number(wins), "not-phone"]],
  knockout: [["wins", ({ wins }) => number(wins)]],
};

/** Before the start there are no scores: the list says who takes part. */
export function standings({ system, state, standings: places, me }) {
  if (!places.length) return h("p", { class: "muted" }, t("tournaments.nobody"));
  const isOpen = state === "created";
  const columns = isOpen ? [] : COLUMNS[system];
  const titles = [["#", "number"], [t("games.player"), ""], isOpen ? [t("games.rating"), "number"] : [t("tournaments.score"), "number"], ...columns.map(([key, , kind]) => [t(`tournaments.column.${key}`), classOf(kind)])];
  return table(titles, places.map((place) => row(place, columns, isOpen, place.number === me?.number)));
}

const classOf = (kind) => (kind ? `number ${kind}` : "number");

function row(place, columns, isOpen, isMine) {
  return h("tr", { class: [isMine ? "is-mine" : "", place.isIn ? "" : "is-out"].filter(Boolean).join(" ") || null, "data-number": place.number },
    h("td", { class: "number" }, number(place.rank)),
    h("td", { class: "players" }, entrant(place.player), notes(place, isMine)),
    h("td", { class: "number" }, isOpen ? number(place.rating, { useGrouping: false }) : h("strong", {}, place.isOnFire ? fire() : null, points(place.score))),
    ...columns.map(([, cell, kind]) => h("td", { class: classOf(kind) }, cell(place))));
}

function notes({ isIn }, isMine) {
  const found = [isMine ? t("tournaments.you") : "", isIn ? "" : t("tournaments.withdrawn")].filter(Boolean);
  return found.length ? h("div", { class: "muted small" }, found.join(" · ")) : null;
}

const fire = () => h("span", { class: "fire", title: t("tournaments.fire") }, icon("fire"), h("span", { class: "visually-hidden" }, t("tournaments.fire")));

/** The first three of a finished tournament that somebody has won. */
export function podium({ standings: places, winner }) {
  if (!winner) return null;
  return h("ol", { class: "podium" }, places.slice(0, 3).map((place) => h("li", { class: `place place-${place.rank}`, "data-rank": place.rank },
    h("span", { class: "medal", "aria-hidden": "true" }, number(place.rank)), entrant(place.player, { isWinner: place.rank === 1 }), h("span", { class: "muted small" }, tn("tournaments.points", place.score, { count: points(place.score) })))));
}
