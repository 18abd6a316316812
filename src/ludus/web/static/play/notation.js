// What people type, compared with what the server lists.

import { notationOf as checkersNotation, pathOf, numberOf } from "../boards/ludus-checkers.js";
import { notationOf as backgammonNotation, own } from "../boards/plays.js";

/** A move as people write it; in backgammon in its mover's own numbers. */
export function written(game, move, color) {
  return game === "checkers" ? checkersNotation(move) : backgammonNotation(move, color);
}

/** The one move that a text means, or why there is none: `{move}` or `{problem: "unreadable" | "none" | "many"}`. */
export function understood(game, text, moves, color, board) {
  const found = game === "checkers" ? findJumps(text, moves) : findPlays(text, moves, color, board);
  if (!found) return { problem: "unreadable" };
  if (found.length === 1) return { move: found[0] };
  return { problem: found.length ? "many" : "none" };
}

function findJumps(text, moves) {
  if (!/^\s*\d{1,2}(\s*[-x:×, ]\s*\d{1,2})+\s*$/i.test(text)) return null;
  const squares = text.match(/\d+/g).map(Number);
  const fitting = moves.filter((move) => fits(pathOf(move).map(numberOf), squares));
  const exact = fitting.filter((move) => pathOf(move).length === squares.length);
  return exact.length === 1 ? exact : fitting;
}

/** Whether the squares are on the path in this order, both ends included. */
function fits(path, squares) {
  if (path[0] !== squares[0] || path.at(-1) !== squares.at(-1)) return false;
  let at = 0;
  for (const square of path) if (square === squares[at]) at += 1;
  return at === squares.length;
}

/** Plays that come to the same but for what they hit on the way are told apart by every step, or by the marks. */
function findPlays(text, moves, color, board) {
  const steps = readSteps(text, color);
  if (!steps) return null;
  const marks = readMarks(text, color);
  const wanted = netOf(steps);
  const fitting = moves.filter((play) => netOf(play) === wanted && marks.every((point) => hits(play, color, board).includes(point)));
  const same = fitting.filter((play) => sorted(play) === sorted(steps));
  const marked = fitting.filter((play) => hits(play, color, board).length === marks.length);
  const best = [same, marked].find((some) => some.length === 1) ?? fitting;
  return best.map((play) => ({ moves: play }));
}

/** The points on which the text says that a man is hit. */
function readMarks(text, color) {
  return [...new Set([...text.matchAll(/(\d{1,2})\s*\*/g)].map(([, point]) => own(Number(point), color)))];
}

/** The points on which a play hits a man: where a single one of the other side stands. */
function hits(play, color, board) {
  const blot = color === "white" ? -1 : 1;
  return [...new Set(play.map(({ to }) => to).filter((to) => board[to] === blot))];
}

function readSteps(text, color) {
  const steps = [];
  for (const word of text.toLowerCase().replaceAll("*", "").replace(/\s*\/\s*/g, "/").trim().split(/[\s,]+/)) {
    const found = /^(bar|\d{1,2})((?:\/(?:off|\d{1,2}))+)(?:\((\d)\))?$/.exec(word);
    if (!found) return null;
    const stops = [found[1], ...found[2].slice(1).split("/")].map((stop) => (/\d/.test(stop) ? own(Number(stop), color) : stop));
    for (let count = Number(found[3] ?? 1); count > 0; count--) {
      for (let at = 1; at < stops.length; at++) steps.push({ from: stops[at - 1], to: stops[at] });
    }
  }
  return steps;
}

/** What steps change in sum; two steps of one man are the same as one long one. */
function netOf(steps) {
  const change = new Map();
  for (const { from, to } of steps) {
    change.set(from, (change.get(from) ?? 0) - 1);
    change.set(to, (change.get(to) ?? 0) + 1);
  }
  return [...change].filter(([, value]) => value).map(([place, value]) => `${place}:${value}`).sort().join(" ");
}

const sorted = (steps) => steps.map(({ from, to }) => `${from}/${to}`).sort().join(" ");
