// The moves that the engine compared, with what each is worth, and its view of the cube.
import { moveText } from "../move-text.js";
import { h } from "../shell.js";
import { has, number, t } from "../strings.js";

/** An equity, always with its sign and three decimals, as players write it. */
export const equity = (value) => number(value, { signDisplay: "exceptZero", minimumFractionDigits: 3, maximumFractionDigits: 3 });

/** Moves beyond these are listed because they were played. */
const MOST_RANKED = 5;
const percent = (share) => number(share, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A table, best move first, with the one played; `choose(button, move)` is called with the one that's pressed. */
export function candidateTable(game, { candidates, loss }, made, choose) {
  const best = candidates[0].equity;
  const played = { ...made, equity: best - loss, isPlayed: true };
  const rows = (candidates.some(({ isPlayed }) => isPlayed) ? candidates : [...candidates, played]).map((each, rank) => {
    const button = h("button", { class: "better", type: "button", "aria-pressed": "false", onclick: () => choose(button, each.move) }, moveText(game, each.move, each));
    return h("tr", { class: each.isPlayed ? "is-played" : null },
      h("td", {}, rank < Math.min(candidates.length, MOST_RANKED) ? `${rank + 1}.` : "…"),
      h("th", { scope: "row" }, button, each.isPlayed ? h("span", { class: "badge" }, t("analysis.played")) : null, chancesLine(game, each.chances)),
      h("td", { class: "number" }, equity(each.equity)),
      h("td", { class: "number" }, rank ? equity(each.equity - best) : ""));
  });
  return h("table", { class: "candidates small" }, h("caption", { class: "visually-hidden" }, t("analysis.candidates")),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("analysis.rank")), h("th", { scope: "col" }, t("analysis.move")),
      h("th", { scope: "col", class: "number" }, t("analysis.equity")), h("th", { scope: "col", class: "number" }, t("analysis.difference")))),
    h("tbody", {}, rows), legend(game, candidates[0].chances, 4));
}

/** The chances of both sides, in a game with several kinds of wins. In its text, `{0}` and so on are the engine's numbers. */
export function chancesLine(game, chances) {
  const key = `${game}.chances.all`;
  if (!chances?.length || !has(key)) return null;
  return h("span", { class: "chances muted" }, t(key, { ...chances.map(percent), lose: percent(1 - chances[0]) }));
}

/** What the brackets in such a line mean. */
function legend(game, chances, colspan) {
  return chances?.length && has(`${game}.chances.legend`) ? h("tfoot", {}, h("tr", {}, h("td", { colspan, class: "muted" }, t(`${game}.chances.legend`)))) : null;
}

/** The winning chances at which the right cube action changes, and the rolls that lose the market. */
export function windowTable(game, window) {
  const rows = Object.entries(window).filter(([, share]) => share !== null);
  return h("table", { class: "candidates small", "data-window": "" }, h("caption", {}, t(`${game}.window`)),
    h("tbody", {}, rows.map(([name, share]) => h("tr", {}, h("th", { scope: "row" }, t(`${game}.window.${name}`)), h("td", { class: "number" }, percent(share))))));
}

/** The effective pip counts of the sides that bear off. */
export function pipLines(game, counts) {
  return (counts ?? []).flatMap((count, seat) => count === null ? []
    : [h("p", { class: "small effective-pips" }, t(`${game}.pips.${seat}`, { count: number(count, { minimumFractionDigits: 2, maximumFractionDigits: 2 }) }))]);
}

/** What doubling and not doubling are worth to the player on roll, the right one marked. */
export function cubeTable(game, cube) {
  const rows = [["no_double", cube.noDouble], ["double_take", cube.doubleTake], ["double_beaver", cube.doubleBeaver], ["double_pass", cube.doublePass]].filter(([, value]) => value !== null);
  const right = ["no_double_beaver", "too_good"].includes(cube.action) ? "no_double" : cube.action;
  return h("table", { class: "candidates small", "data-cube": cube.action }, h("caption", {}, t(`${game}.cube.action.${cube.action}`)),
    h("tbody", {}, rows.map(([name, value]) => h("tr", { class: name === right ? "is-best" : null }, h("th", { scope: "row" }, t(`${game}.cube.${name}`)), h("td", { class: "number" }, equity(value))))),
    cube.chances.length ? h("tbody", {}, h("tr", {}, h("td", { colspan: 2 }, chancesLine(game, cube.chances)))) : null, legend(game, cube.chances, 2));
}
