// A recorded game, for the small board on the start page.

import { after } from "./plays.js";

const FIRST_SHOWN = 4;
/** Color, dice, steps. */
const PLAYS = [
  ["b", [5, 3], [[12,17],[1,4]]],
  ["w", [2, 2, 2, 2], [[24,22],[22,20],[6,4],[6,4]]],
  ["b", [2, 2, 2, 2], [["bar",2],[17,19],[19,21],[19,21]]],
  ["w", [2, 1], [[13,11],[11,10]]],
  ["b", [6, 6, 6, 6], [[12,18],[12,18],[18,24],[18,24]]],
  ["w", [2, 1], [["bar",23],[23,22]]],
  ["b", [6, 2], [[17,23],[19,21]]],
  ["w", [6, 1], [[8,2],[2,1]]],
  ["b", [4, 2], [["bar",2]]],
  ["w", [3, 2], [[6,3],[3,1]]],
  ["b", [6, 3], [["bar",3],[3,9]]],
  ["w", [5, 4], [[13,9],[9,4]]],
  ["b", [6, 5], [["bar",5],[5,11]]],
  ["w", [6, 1], [[8,2],[2,1]]],
  ["b", [3, 1], [["bar",3],[19,20]]],
  ["w", [6, 5], [["bar",20],[20,14]]],
  ["b", [5, 4], [["bar",5],[3,7]]],
  ["w", [3, 2], [[10,7],[13,11]]],
  ["b", [4, 2], [["bar",2]]],
  ["w", [2, 2, 2, 2], [[11,9],[9,7],[7,5],[7,5]]],
  ["b", [3, 1], [["bar",3]]],
  ["w", [2, 1], [[4,2],[2,1]]],
  ["b", [3, 1], [["bar",3]]],
  ["w", [6, 1], [[22,16],[16,15]]],
  ["b", [2, 1], [["bar",2],[2,3]]],
  ["w", [2, 2, 2, 2], [[15,13],[13,11],[8,6],[6,4]]],
];
const START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2];

export const pauseMs = 2200;

/** What the board shows after each play: `{position, last}`. */
export function frames() {
  let position = { board: START, bar: { white: 0, black: 0 }, off: { white: 0, black: 0 }, dice: [] };
  const shown = PLAYS.map(([letter, dice, steps]) => {
    const color = letter === "w" ? "white" : "black";
    const moves = steps.map(([from, to]) => ({ from, to }));
    position = { ...after(position, moves, color), dice, currentColor: color };
    return { position, last: { moves } };
  });
  return shown.slice(FIRST_SHOWN);
}
