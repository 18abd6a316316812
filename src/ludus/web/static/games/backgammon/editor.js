// Setting up a backgammon position: what can be put on the board, and the position as the server reads it.

import { own } from "./plays.js";

const MEN = 15;
const COLORS = ["white", "black"];
const FACES = [1, 2, 3, 4, 5, 6];
const VALUES = [1, 2, 4, 8, 16, 32, 64];
const LENGTHS = [0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25];

/** What can be put on a place. */
export const tools = COLORS.map((player) => ({ name: player, player, type: "man" }));

const signOf = (color) => (color === "white" ? 1 : -1);

/** A man more or less on a place; men of the other color leave a point. On the bar and off the board a place has its color. */
function added(position, place, color, by) {
  const [where, side] = String(place).split("-");
  if (where === "off") return position;
  if (where === "bar") return counted({ ...position, bar: { ...position.bar, [side]: Math.max(0, position.bar[side] + by) } });
  const count = position.board[place] * signOf(color);
  const next = by > 0 ? Math.max(0, count) + by : Math.max(0, count + by);
  return counted({ ...position, board: position.board.map((each, at) => (at === Number(place) ? next * signOf(color) : each)) });
}

/** The men that are on no point are off the board; pips are counted for show. */
function counted(position) {
  const { board, bar } = position;
  const each = (count) => Object.fromEntries(COLORS.map((color) => [color, count(color)]));
  const men = (color, worth) => board.reduce((sum, number, point) => sum + (point && number * signOf(color) > 0 ? Math.abs(number) * worth(own(point, color)) : 0), bar[color] * worth(25));
  return { ...position, off: each((color) => Math.max(0, MEN - men(color, () => 1))), pipCounts: each((color) => men(color, (point) => point)) };
}

const colorAt = (position, place) => (String(place).includes("-") ? place.split("-")[1] : position.board[place] < 0 ? "black" : "white");

export const put = (position, place, { player }) => added(position, place, player, 1);
export const take = (position, place) => added(position, place, colorAt(position, place), -1);
export const drag = (position, from, place) => (from === place ? position : added(take(position, from), place, colorAt(position, from), 1));
/** Another tap adds another man. */
export const isOn = () => false;
export const cleared = (position) => counted({ ...position, board: Array(25).fill(0), bar: { white: 0, black: 0 }, dice: [] });

/** Dice, cube and score: lists of values, and switches. */
export function fields({ dice = [], cube, match }) {
  const length = match?.length ?? 0;
  const points = [...Array(Math.max(1, length)).keys()];
  return [
    { name: "die.1", values: [0, ...FACES], value: dice[0] ?? 0 }, { name: "die.2", values: [0, ...FACES], value: dice[1] ?? 0 },
    { name: "cube", values: [0, ...VALUES], value: cube?.value ?? 0 }, { name: "owner", values: ["", ...COLORS], value: cube?.owner ?? "" },
    { name: "length", values: LENGTHS.includes(length) ? LENGTHS : [...LENGTHS, length], value: length },
    ...(length ? [{ name: "score.white", values: points, value: match.score.white }, { name: "score.black", values: points, value: match.score.black }, { name: "crawford", value: Boolean(match.isCrawford) }] : []),
  ];
}

/** The position with one of these fields changed. */
export function change(position, name, value) {
  const { dice = [], match } = position;
  const number = Number(value);
  switch (name) {
    case "die.1": return { ...position, dice: number ? [number, dice[1] ?? number] : [] };
    case "die.2": return { ...position, dice: number ? [dice[0] ?? number, number] : [] };
    case "cube": return { ...position, cube: number ? { ...position.cube, value: number, owner: number > 1 ? position.cube?.owner ?? "white" : null, actions: [] } : null };
    case "owner": return { ...position, cube: { value: value ? 2 : 1, actions: [], ...position.cube, owner: value || null } };
    case "length": return { ...position, match: number ? { length: number, score: { white: 0, black: 0 }, isCrawford: false } : null };
    case "crawford": return { ...position, match: { ...match, isCrawford: value } };
    default: return { ...position, match: { ...match, score: { ...match.score, [name.split(".")[1]]: number } } };
  }
}

export function setupOf({ board, bar, dice, cube, match }, turn) {
  return { board, bar, turn, dice: (dice ?? []).slice(0, 2), cube: cube ? { value: cube.value, owner: cube.owner ?? null } : null, match: match ?? null };
}
