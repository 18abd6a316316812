// The doubling cube on the board: in the middle, on its owner's side, or offered to the other player.

import { fill, svg } from "../../boards/board.js";

/** What a cube that nobody has turned shows, as on a real one. */
const FIRST_FACE = 64;

export class Cube {
  layer = svg("g", { class: "cube-layer" });

  /** `cube` is a position's, with whom it's offered to, if anybody; null removes it. */
  show(cube, layout) {
    const { value, owner, offeredTo } = cube ?? {};
    fill(this.layer, JSON.stringify([value, owner, offeredTo, layout.size, layout.isTurned]), () => (cube ? [draw(cube, layout)] : []));
  }
}

/** The area of the cube, in the board's units. */
export function cubeArea({ owner, offeredTo }, layout) {
  const { x, y, size } = layout.cube(offeredTo ?? owner, Boolean(offeredTo));
  return { x: x - size / 2, y: y - size / 2, width: size, height: size };
}

function draw(cube, layout) {
  const { x, y, width: size } = cubeArea(cube, layout);
  const face = cube.value > 1 ? cube.value : FIRST_FACE;
  const text = svg("text", { class: "cube-value", x: size / 2, y: size / 2, "font-size": size * (face < 100 ? 0.52 : face < 1000 ? 0.4 : 0.32) });
  text.textContent = face;
  return svg("g", { class: cube.offeredTo ? "cube offered" : "cube", transform: `translate(${x} ${y})` },
    svg("rect", { class: "cube-shade", x: 2, y: 5, width: size, height: size, rx: size * 0.18 }),
    svg("rect", { class: "cube-body", width: size, height: size, rx: size * 0.18 }),
    svg("rect", { class: "cube-rim", x: size * 0.07, y: size * 0.07, width: size * 0.86, height: size * 0.86, rx: size * 0.13 }), text);
}
