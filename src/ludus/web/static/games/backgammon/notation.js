// Plays as people write and type them, in the mover's own numbers.

import { own, sorted, waysOf } from "./plays.js";

/** A play as its mover writes it: 24/18 13/11, bar/22/20, 8/5(2). */
export function notationOf(move, color) {
  if (move.cube) return move.cube;
  return waysOf(move.moves ?? move).map(({ way, count }) => {
    const text = way.map((end) => (typeof end === "number" ? own(end, color) : end)).join("/");
    return count > 1 ? `${text}(${count})` : text;
  }).join(" ");
}

/** The listed moves that a typed text can mean, or null if it's no notation at all. Plays that differ only in what
 * they hit on the way are told apart by their steps or by the asterisks. */
export function readMoves(text, { moves, color, position }) {
  const { board } = position;
  const actions = moves.filter(({ cube }) => cube);
  if (actions.length) return actions.filter(({ cube }) => cube === text.trim().toLowerCase());
  const steps = stepsIn(text, color);
  if (!steps) return null;
  const marks = readMarks(text, color);
  const wanted = netOf(steps);
  const fitting = moves.filter((play) => netOf(play) === wanted && marks.every((point) => hits(play, color, board).includes(point)));
  const same = fitting.filter((play) => sorted(play) === sorted(steps));
  const marked = fitting.filter((play) => hits(play, color, board).length === marks.length);
  const best = [same, marked].find((some) => some.length === 1) ?? fitting;
  return best.map((play) => ({ moves: play }));
}

/** The points that the text marks as hits. */
function readMarks(text, color) {
  return [...new Set([...text.matchAll(/(\d{1,2})\s*\*/g)].map(([, point]) => own(Number(point), color)))];
}

/** The points where a play hits a blot. */
function hits(play, color, board) {
  const blot = color === "white" ? -1 : 1;
  return [...new Set(play.map(({ to }) => to).filter((to) => board[to] === blot))];
}

/** The steps of a typed text, to find out which of them isn't legal. */
export const readSteps = (text, color) => (stepsIn(text, color) ?? []).map(({ from, to }) => ({ position: from, target: to }));

function stepsIn(text, color) {
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

/** The net change of some steps: two steps of one checker equal one long step. */
function netOf(steps) {
  const change = new Map();
  for (const { from, to } of steps) {
    change.set(from, (change.get(from) ?? 0) - 1);
    change.set(to, (change.get(to) ?? 0) + 1);
  }
  return [...change].filter(([, value]) => value).map(([place, value]) => `${place}:${value}`).sort().join(" ");
}
