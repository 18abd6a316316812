// What the page needs to know of backgammon besides its board.

export { notationOf, readMoves } from "./notation.js";

/** The board's width divided by its height; in a narrow upright frame it has another form. */
export const shape = 1.2;
export const narrowShape = 0.8;
/** The value in points at the edge of the analysis graph. */
export const graphLimit = 2;

/** Packed boards are what rooms send, without what belongs to a turn: the dice, and whose they are. */
export const unpack = (packed, { dice = packed.dice, color = null } = {}) => ({ ...packed, dice, currentColor: color });

/** Presets besides those of all games: with the delay of backgammon's clocks. */
export const timeControls = [{ type: "bronstein", seconds: 120, delay: 8 }, { type: "bronstein", seconds: 300, delay: 12 }];

/** Whether a move is a turn in which nothing could be played. */
export const isPass = ({ moves }) => moves?.length === 0;

/** Whether the player to move still waits for a roll. */
export const isRolling = ({ dice }) => !dice?.length;

/** What a player's strip says below the name: a key of the game's strings with its values. */
export const detailOf = ({ pipCounts }, color) => ["pips", { count: pipCounts?.[color] ?? "" }];
