// Defaults for what a game's own game.js may export. The generic codec writes moves in notation and draws the board.

/** The board's width divided by its height. */
export const shape = 1;
/** The same in a narrow upright frame, if the board has another form there. */
export const narrowShape = null;
/** How many moves fit on one line of the move list. */
export const moveColumns = 1;
/** The value in points at the edge of the analysis graph. */
export const graphLimit = 1;

/** Converts a board as the server packs it for the page into a `position`, as rooms send it. */
export const unpack = (packed) => packed;

/** Whether a move is a turn in which nothing could be played. */
export const isPass = () => false;

/** Whether the player to move still waits for a roll. */
export const isRolling = () => false;

/** What a player's strip says below the name: a key of the game's strings with its values, or null. */
export const detailOf = () => null;

/** A move as people write it. */
export const notationOf = (move) => move.move;

/** The listed moves that a typed text can mean, or null if it's no notation at all. */
export function readMoves(text, { moves }) {
  const plain = (notation) => notation.replace(/\s+/g, "").toLowerCase();
  return moves.filter((move) => plain(notationOf(move)) === plain(text));
}
