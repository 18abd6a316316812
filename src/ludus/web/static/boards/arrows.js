// Arrows for a suggested move, in board units: from a piece's start over every place it touches.

import { svg } from "./board.js";

const HEAD = { length: 34, width: 38 };
const STOP = 9;

/** An arrow through `points`; `bend` curves each segment sideways, `count` is how many pieces take this way. */
export function drawArrow(points, { bend = () => 0, count = 1 } = {}) {
  const parts = points.slice(1).map((to, at) => part(points[at], to, bend(points[at], to)));
  const last = parts.at(-1);
  const line = `M${xy(points[0])} ${parts.map(({ middle, end }, at) => `Q${xy(middle)} ${xy(at < parts.length - 1 ? end : last.neck)}`).join(" ")}`;
  const stops = points.slice(0, -1).map(({ x, y }) => svg("circle", { class: "stop", cx: x, cy: y, r: STOP }));
  const shapes = [svg("path", { class: "shaft", d: line }), ...stops, svg("polygon", { class: "head", points: last.corners.map(xy).join(" ") })];
  const arrow = svg("g", { class: "arrow" }, svg("g", { class: "edge" }, ...shapes.map((shape) => shape.cloneNode())), svg("g", { class: "ink" }, ...shapes));
  if (count > 1) arrow.append(tally(parts[0].half, count));
  return arrow;
}

/** One curved segment: its control point, its midpoint, and the arrowhead it would have at its end. */
function part(from, end, lift) {
  const length = Math.hypot(end.x - from.x, end.y - from.y) || 1;
  const middle = { x: (from.x + end.x) / 2 - (lift * (end.y - from.y)) / length, y: (from.y + end.y) / 2 + (lift * (end.x - from.x)) / length };
  const half = { x: (from.x + 2 * middle.x + end.x) / 4, y: (from.y + 2 * middle.y + end.y) / 4 };
  const far = Math.hypot(end.x - middle.x, end.y - middle.y) || 1;
  const way = { x: (end.x - middle.x) / far, y: (end.y - middle.y) / far };
  const at = (back, aside) => ({ x: end.x - back * way.x - aside * way.y, y: end.y - back * way.y + aside * way.x });
  return { middle, half, end, neck: at(HEAD.length - 4, 0), corners: [at(-4, 0), at(HEAD.length, HEAD.width / 2), at(HEAD.length, -HEAD.width / 2)] };
}

function tally({ x, y }, count) {
  const text = svg("text", { x, y });
  text.textContent = `${count}×`;
  return svg("g", { class: "tally" }, svg("circle", { cx: x, cy: y, r: 19 }), text);
}

const xy = ({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`;
