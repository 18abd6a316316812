// Games that go on by themselves on the start page. They were played once and are only shown here.

import { isStill } from "../boards/board.js";
import "../boards/ludus-backgammon.js";
import "../boards/ludus-checkers.js";
import { after } from "../boards/plays.js";

const PAUSE_MS = 1500;
const CHECKERS_FROM = 8;
const BACKGAMMON_FROM = 4;
/** From, to, and what is jumped. */
const CHECKERS = [
  [40,33], [17,26], [33,24], [26,33], [42,35], [21,28], [35,21,28], [12,30,21],
  [51,42], [33,51,42], [60,42,51], [10,17], [24,10,17], [3,17,10], [44,37], [30,44,37],
  [53,35,44], [17,26], [35,17,26], [8,26,17], [46,37], [14,21], [62,53], [1,8],
  [53,44], [8,17],
];
/** Colour, dice, steps. */
const BACKGAMMON = [
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

/** A small board that plays: `{board, stop}`. */
export function demo(game) {
  const board = document.createElement(`ludus-${game}`);
  board.toggleAttribute("compact", true);
  const frames = game === "checkers" ? checkersFrames() : backgammonFrames();
  let at = 0;
  const show = () => {
    Object.assign(board, frames[at]);
    at = (at + 1) % frames.length;
  };
  show();
  const timer = isStill() ? null : setInterval(show, PAUSE_MS + (game === "checkers" ? 0 : 700));
  return { board, stop: () => clearInterval(timer) };
}

function checkersFrames() {
  const men = (player) => ({ player, type: "man" });
  let squares = Array.from({ length: 64 }, (_, at) => ((at >> 3) + at) % 2 === 0 ? null : at < 24 ? men("black") : at > 39 ? men("red") : null);
  const frames = CHECKERS.map(([from, to, ...captures]) => {
    squares = [...squares];
    const isCrowned = to < 8 || to > 55;
    squares[to] = isCrowned ? { ...squares[from], type: "king" } : squares[from];
    for (const gone of [from, ...captures]) squares[gone] = null;
    return { position: squares, last: { from, to, captures } };
  });
  return frames.slice(CHECKERS_FROM);
}

function backgammonFrames() {
  let position = { board: START, bar: { white: 0, black: 0 }, off: { white: 0, black: 0 }, dice: [] };
  const frames = BACKGAMMON.map(([letter, dice, steps]) => {
    const color = letter === "w" ? "white" : "black";
    const moves = steps.map(([from, to]) => ({ from, to }));
    position = { ...after(position, moves, color), dice, currentColor: color };
    return { position, last: { moves } };
  });
  return frames.slice(BACKGAMMON_FROM);
}
