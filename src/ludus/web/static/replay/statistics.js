// The figures of both players: errors by class and, in games with dice, error rates and luck.
import { nameOf } from "../people.js";
import { h } from "../shell.js";
import { number, t } from "../strings.js";
import { equity } from "./candidates.js";

const MARKS = ["doubtful", "mistake", "blunder"];

/** `moves` are the analyzed ones, `accuracy` is that of both players; `figures` are the server's for each player, and `games`
 * those of each game of a match, both null in games that have none. */
export function statistics(players, moves, { accuracy, players: figures, games }) {
  const place = h("div", {}, statisticsTable(players, moves, figures, accuracy));
  if (!games || games.length < 2) return place;
  const choose = ({ target }) => {
    const part = games[target.value];
    const own = part ? moves.filter(({ number: at }) => at >= part.first && at <= part.last) : moves;
    place.replaceChildren(statisticsTable(players, own, part ? part.players : figures, part ? part.accuracy : accuracy));
  };
  const choices = [["", t("statistics.match")], ...games.map((_, at) => [at, t("statistics.game", { number: at + 1 })])];
  return h("div", { class: "stack" },
    h("label", {}, h("span", { class: "visually-hidden" }, t("statistics.title")), h("select", { name: "part", autocomplete: "off", onchange: choose }, choices.map(([value, text]) => h("option", { value: String(value) }, text)))), place);
}

function statisticsTable(players, moves, figures, accuracy) {
  const counts = (seat, mark) => String(moves.filter((move) => move.seat === seat && move.mark === mark).length);
  const rows = MARKS.map((mark) => [t(`marks.${mark}`), ...players.map((_, seat) => counts(seat, mark))]);
  if (figures) rows.unshift(...rates(figures));
  rows.unshift([h("abbr", { title: t("board.accuracy.text") }, t("board.accuracy")), ...accuracy.map((share) => h("strong", {}, known(share, percent)))]);
  if (figures) rows.push(...totals(figures));
  return h("table", { class: "tally" }, h("caption", { class: "visually-hidden" }, t("statistics.title")),
    h("thead", {}, h("tr", {}, h("td", {}), players.map((player) => h("th", { scope: "col" }, nameOf(player))))),
    h("tbody", {}, rows.map(([label, ...cells]) => h("tr", {}, h("th", { scope: "row" }, label), cells.map((cell) => h("td", { class: "number" }, cell))))));
}

const known = (value, write) => (value === null ? "–" : write(value));
const percent = (value) => number(value, { style: "percent", maximumFractionDigits: 0 });
const rate = (value) => number(value, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
/** Points or, in a match, the chance to win it that was gained. */
const RESULTS = { points: equity, match: (value) => number(value, { style: "percent", signDisplay: "exceptZero", minimumFractionDigits: 1, maximumFractionDigits: 1 }) };

/** The lower, the better. */
function rates(figures) {
  return [
    [h("abbr", { title: t("statistics.pr.text") }, t("statistics.pr")), ...figures.map(({ pr, rating }) => [h("strong", {}, known(pr, rate)), rating ? h("span", { class: "muted small rating-word" }, t(`statistics.rating.${rating}`)) : null])],
    [h("abbr", { title: t("statistics.snowie.text") }, t("statistics.snowie")), ...figures.map(({ snowieErrorRate }) => known(snowieErrorRate, rate))],
  ];
}

function totals(figures) {
  const errors = (name) => figures.map(({ [name]: { decisions, error } }) => (decisions ? t("statistics.errors", { error: equity(-error), decisions: number(decisions) }) : "–"));
  return [
    [t("statistics.checker"), ...errors("checker")],
    ...(figures.some(({ cube }) => cube.decisions) ? [[t("statistics.cube"), ...errors("cube")]] : []),
    [t("statistics.luck"), ...figures.map(({ luck }) => equity(luck))],
    ...(figures.some(({ luck, resultLuck }) => luck !== resultLuck) ? [[t("statistics.luck.result"), ...figures.map(({ resultLuck, resultUnit }) => known(resultLuck, RESULTS[resultUnit]))]] : []),
    [t("statistics.result"), ...figures.map(({ result, resultUnit }) => known(result, RESULTS[resultUnit]))],
    [h("abbr", { title: t("statistics.adjusted.text") }, t("statistics.adjusted")), ...figures.map(({ luckAdjusted, resultUnit }) => known(luckAdjusted, RESULTS[resultUnit]))],
  ];
}
