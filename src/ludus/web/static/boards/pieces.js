// Round pieces, drawn around the origin in board units.

import { svg } from "./board.js";

const CROWN = "M-21 13 L-25 -11 L-12 0 L0 -18 L12 0 L25 -11 L21 13 Z";

/** Shared shapes that the pieces refer to. */
export function definitions() {
  const stops = [["0", "#fff", ".34"], [".55", "#fff", ".03"], ["1", "#000", ".22"]];
  return svg("defs", {}, svg("radialGradient", { id: "gloss", cx: ".36", cy: ".28", r: ".85" },
    ...stops.map(([offset, color, opacity]) => svg("stop", { offset, "stop-color": color, "stop-opacity": opacity }))));
}

/** A piece of the "first" or the "second" player; the two differ in their grooves, not by color alone. */
export function drawPiece(rank, radius, { isKing = false } = {}) {
  const round = svg("g", { class: "round" },
    svg("ellipse", { class: "shade", cx: radius * 0.06, cy: radius * 0.14, rx: radius, ry: radius }),
    svg("circle", { class: "body", r: radius }),
    svg("circle", { class: "rim", r: radius * 0.8 }),
    ...grooves(rank, radius, isKing),
    svg("circle", { class: "gloss", fill: "url(#gloss)", r: radius }),
    svg("circle", { class: "halo-edge", r: radius + 2 }),
    svg("circle", { class: "halo", r: radius + 2 }));
  if (isKing) round.append(svg("path", { class: "crown", d: CROWN, transform: `scale(${radius / 40})` }));
  return svg("g", { class: `piece ${rank}` }, svg("g", { class: "lift" }, round));
}

function grooves(rank, radius, isKing) {
  if (isKing) return [];
  const outer = svg("circle", { class: "groove", r: radius * 0.52 });
  return rank === "first" ? [outer, svg("circle", { class: "groove", r: radius * 0.26 })] : [outer];
}
