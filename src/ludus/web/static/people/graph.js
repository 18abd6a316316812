// A rating's history as a line.
import { h } from "../shell.js";
import { date, number, t } from "../strings.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [320, 90];
/** The least span of the graph in points, so that a small change looks small. */
const LEAST_SPAN = 100;
const points = (rating) => number(rating, { useGrouping: false });

/** The graph of `[{at, rating}]`, oldest first; nothing for fewer than two. */
export function ratingGraph(history) {
  if (history.length < 2) return null;
  const ratings = history.map(({ rating }) => rating);
  const [low, high] = [Math.min(...ratings), Math.max(...ratings)];
  const span = Math.max(high - low, LEAST_SPAN);
  const middle = (high + low) / 2;
  const x = (index) => (index / (history.length - 1)) * WIDTH;
  const y = (rating) => HEIGHT / 2 - ((rating - middle) / span) * (HEIGHT - 8);
  const svg = document.createElementNS(SVG, "svg");
  const label = t("profile.graph", { low: points(low), high: points(high), from: date(history[0].at, { dateStyle: "medium" }), now: points(ratings.at(-1)) });
  for (const [name, value] of Object.entries({ viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img", "aria-label": label, class: "rating-line" })) svg.setAttribute(name, value);
  const line = document.createElementNS(SVG, "polyline");
  line.setAttribute("points", ratings.map((rating, index) => `${x(index).toFixed(1)},${y(rating).toFixed(1)}`).join(" "));
  svg.append(line);
  return h("figure", { class: "rating-graph" }, svg, h("figcaption", { class: "small muted" }, t("profile.range", { low: points(low), high: points(high) })));
}
