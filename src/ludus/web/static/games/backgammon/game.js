// What the page needs to know of backgammon besides its board.

import { decisionOf, stakeOf } from "./match.js";
import { after, other, own } from "./plays.js";

export { describeOptions, optionFields, optionsOf, scoreOf, stakeOf, standingOf } from "./match.js";
export { notationOf, readMoves, readSteps } from "./notation.js";

/** What follows a line's number in the list of moves. */
export const numberMark = ")";
export const hasOwnConfirm = true;

/** The board's width divided by its height; in a narrow upright frame it has another form. */
export const shape = 1.2;
export const narrowShape = 0.8;
/** The value in points at the edge of the analysis graph. */
export const graphLimit = 2;
/** Decimals of a move's cost. */
export const lossDigits = 3;

/** Packed boards are what rooms send, without what belongs to a turn: the dice, and whose they are. */
export const unpack = (packed, { dice = packed.dice, color = null } = {}) => ({ ...packed, dice, currentColor: color });

/** Presets besides those of all games: with the delay of backgammon's clocks. */
export const timeControls = [{ type: "bronstein", seconds: 120, delay: 8 }, { type: "bronstein", seconds: 300, delay: 12 }];

/** Whether a move is a turn in which nothing could be played. */
export const isPass = ({ moves, cube, resign }) => !cube && !resign && moves?.length === 0;

/** Whether the player to move still waits for a roll. */
export const isRolling = (position) => !position.dice?.length && !decisionOf(position);

/** A roll without a double is recorded, but it's no news. */
export const isQuiet = ({ cube }) => cube === "roll";

/** What is done with the cube, and a resignation, have words of their own. */
export const wordOf = ({ cube, resign }) => (cube ? `action.${cube}` : resign ? "action.resign" : null);

/** What the page says about the turn, where that's about the cube: the beginning of a key, and its values. */
export function turnOf(position) {
  const decision = decisionOf(position);
  return decision && [`turn.${decision}`, { value: stakeOf(position) }];
}

/** What a win of this kind is worth to a player whose opponent resigns now; after a beaver the double counts as taken. */
export const pointsOf = ({ cube }, win) => win * (cube?.offered ? cube.offered / 2 : (cube?.value ?? 1));

/** How a player may resign: as a single game, a gammon or a backgammon, with what each costs; null if there's no choice.
 * By the Jacoby rule there are no gammons before a double is taken. */
export function resignations(position) {
  const { cube, match } = position;
  if (!cube && !match) return null;
  const wins = cube?.jacoby && pointsOf(position, 1) === 1 ? [1] : [1, 2, 3];
  return wins.map((win) => ({ win, points: pointsOf(position, win) }));
}

/** What a player's strip says below the name: a key of the game's strings with its values. */
export const detailOf = ({ pipCounts }, color) => ["pips", { count: pipCounts?.[color] ?? "" }];

/** A play step by step, with the dice it's made with. */
export function framesOf(before, { moves = [] }, color) {
  return moves.map((_, at) => {
    const made = moves.slice(0, at + 1);
    return { position: { ...after(before, made, color), dice: before.dice, currentColor: color, made }, last: { moves: made } };
  });
}

/** The server marks hits in the notation. */
export const hitsOf = (entry) => entry?.notation?.match(/\*/g)?.length ?? 0;

/** In which of the rules' situations the player is. */
export function situationsOf({ position, color }) {
  const { bar, board, dice = [] } = position;
  const sign = color === "white" ? 1 : -1;
  const isHome = !bar[color] && board.every((count, point) => point === 0 || count * sign <= 0 || own(point, color) <= 6);
  return [bar[color] > 0 && "bar", isHome && "bearing_off", dice.length > 2 && "double", dice.length === 2 && "dice", bar[other(color)] > 0 && "hit"].filter(Boolean);
}

/** The winner's tray. */
export const decidingPlaces = ({ reason, winner }) => (reason === "borne_off" ? [`off-${winner}`] : []);
