// Who meets whom: round by round, as a cross table, and as a bracket.
import { h } from "../shell.js";
import { number, t } from "../strings.js";
import { entrant, entrantName, points } from "./entrants.js";

/** Rounds of an arena that are listed: its latest pairings. */
const LATEST = 40;

/** What the parts below need: the players by number, and the pairings by round. */
export function draws({ standings, pairings, rounds, round, system }) {
  const places = new Map(standings.map((place) => [place.number, place]));
  const byRound = Map.groupBy(pairings, (pairing) => pairing.round);
  return { places, byRound, pairings, rounds, round, system };
}

const address = ({ state, games }) => (games.length ? `/${state === "live" ? "watch" : "matches"}/${games.at(-1)}` : null);

/** The score of one side as it is written: 1, ½ or 0; empty while there is none. */
function scoreOf({ state, score, outcome }, isFirst) {
  if (state !== "over") return "";
  if (outcome === "double_forfeit") return "0";
  return score === null ? "" : points(isFirst ? score : 1 - score);
}

/** In a few words: the result with a link to the game, or that it is being played. */
function result(pairing, names) {
  const { state, outcome, second } = pairing;
  if (second === null) return h("span", { class: "muted" }, t("tournaments.bye"));
  const href = address(pairing);
  const what = state === "over" ? (outcome === "void" ? t("tournaments.void") : `${scoreOf(pairing, true)} – ${scoreOf(pairing, false)}`) : state === "live" ? t("tournaments.live") : t("tournaments.soon");
  const text = [state === "live" ? h("span", { class: "live-dot" }) : null, what, ["forfeit", "double_forfeit"].includes(outcome) ? ` ${t("tournaments.forfeit")}` : ""];
  return href ? h("a", { href, class: "result", "aria-label": `${names}: ${what}` }, text) : h("span", { class: "result muted" }, text);
}

/** One round, or of an arena the latest games. */
export function roundList(found, round) {
  const isArena = found.system === "arena";
  const list = isArena ? [...found.pairings].reverse().slice(0, LATEST) : found.byRound.get(round) ?? [];
  if (!list.length) return h("p", { class: "muted" }, t("tournaments.unpaired"));
  return h("ol", { class: "pairings" }, list.map((pairing) => h("li", { "data-board": pairing.board, class: pairing.state === "live" ? "is-live" : null }, side(found, pairing, true), result(pairing, names(found, pairing)), side(found, pairing, false))));
}

const playerOf = ({ places }, seat) => (seat === null ? null : places.get(seat)?.player);

function names(found, pairing) {
  return [pairing.first, pairing.second].map((seat) => playerOf(found, seat)).filter(Boolean).map(entrantName).join(" – ");
}

function side(found, pairing, isFirst) {
  const player = playerOf(found, isFirst ? pairing.first : pairing.second);
  return player ? entrant(player, { isWinner: hasWon(pairing, isFirst) }) : h("span", {});
}

const hasWon = ({ state, score, second }, isFirst) => state === "over" && second !== null && score !== null && (isFirst ? score > 0.5 : score < 0.5);

/** Of a round robin, everyone against everyone; of a Swiss, whom each one met in each round. */
export function crossTable(found) {
  const rows = [...found.places.values()];
  const columns = found.system === "swiss" ? [...found.byRound.keys()] : rows.map(({ rank }) => rank);
  const cellsOf = found.system === "swiss" ? swissCells : meetingCells;
  const label = t("tournaments.cross");
  return h("div", { class: "table-scroll cross", tabindex: "0", role: "region", "aria-label": label }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "number" }, "#"), h("th", { scope: "col" }, t("games.player")),
      columns.map((column) => h("th", { scope: "col", class: "cell" }, number(column))), h("th", { scope: "col", class: "number" }, t("tournaments.score")))),
    h("tbody", {}, rows.map((place) => h("tr", {}, h("td", { class: "number" }, number(place.rank)), h("th", { scope: "row" }, entrantName(place.player)),
      cellsOf(found, place, columns), h("td", { class: "number" }, h("strong", {}, points(place.score))))))));
}

/** A row's cell for each opponent. */
function meetingCells(found, { number: own, player }) {
  return [...found.places.values()].map((other) => {
    if (other.number === own) return h("td", { class: "cell self" });
    const met = found.pairings.filter(({ first, second }) => (first === own && second === other.number) || (second === own && first === other.number));
    return h("td", { class: "cell" }, met.map((pairing) => scoreLink(pairing, pairing.first === own, `${entrantName(player)} – ${entrantName(other.player)}`)));
  });
}

/** A row's cell for each round: the score, and the opponent's rank. */
function swissCells(found, { number: own, player }, columns) {
  return columns.map((round) => {
    const pairing = found.byRound.get(round).find(({ first, second }) => first === own || second === own);
    if (!pairing) return h("td", { class: "cell muted" }, "–");
    if (pairing.second === null) return h("td", { class: "cell muted" }, t("tournaments.bye.short"));
    const isFirst = pairing.first === own;
    const other = found.places.get(isFirst ? pairing.second : pairing.first);
    return h("td", { class: "cell" }, scoreLink(pairing, isFirst, `${entrantName(player)} – ${entrantName(other.player)}`), h("span", { class: "muted small" }, ` ${number(other.rank)}`));
  });
}

function scoreLink(pairing, isFirst, label) {
  const text = scoreOf(pairing, isFirst) || (pairing.state === "live" ? "•" : "");
  const href = address(pairing);
  return href && text ? h("a", { href, "aria-label": `${label}: ${pairing.state === "live" ? t("tournaments.live") : text}` }, text) : text;
}

/** The rounds beside each other, with empty places for what is to come. */
export function bracket(found) {
  const total = found.rounds ?? 0;
  const columns = Array.from({ length: total }, (_, index) => index + 1);
  return h("div", { class: "bracket-scroll", tabindex: "0", role: "region", "aria-label": t("tournaments.bracket") },
    h("ol", { class: "bracket" }, columns.map((round) => h("li", { class: "bracket-round" },
      h("h3", {}, roundName(round, total)),
      h("ol", {}, Array.from({ length: 2 ** (total - round) }, (_, index) => tie(found, (found.byRound.get(round) ?? [])[index])))))));
}

export function roundName(round, total) {
  const left = total - round;
  return left === 0 ? t("tournaments.final") : left === 1 ? t("tournaments.semifinal") : t("tournaments.round", { round: number(round) });
}

function tie(found, pairing) {
  if (!pairing) return h("li", { class: "tie is-open" }, h("span", { class: "seat muted" }, "–"), h("span", { class: "seat muted" }, "–"));
  const seat = (isFirst) => {
    const player = playerOf(found, isFirst ? pairing.first : pairing.second);
    return h("span", { class: `seat ${hasWon(pairing, isFirst) ? "has-won" : ""}` }, player ? entrant(player) : h("span", { class: "muted" }, t("tournaments.bye")), h("span", { class: "tie-score" }, player ? scoreOf(pairing, isFirst) : ""));
  };
  const href = address(pairing);
  return h("li", { class: `tie ${pairing.state === "live" ? "is-live" : ""}` }, seat(true), seat(false),
    href ? h("a", { class: "tie-link small", href, "aria-label": `${names(found, pairing)}: ${t(pairing.state === "live" ? "tournaments.watch" : "tournaments.replay")}` }, t(pairing.state === "live" ? "tournaments.watch" : "tournaments.replay")) : null);
}
