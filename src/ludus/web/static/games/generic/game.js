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

/** The steps that a typed text names, `{position, target}` each, to find out why they aren't legal. */
export const readSteps = () => [];

/** What follows a line's number in the list of moves. */
export const numberMark = ".";

/** Whether the board asks by itself before it fires a move. */
export const hasOwnConfirm = false;

/** What the board shows while an opponent's move is made step by step; empty if it's shown at once. */
export const framesOf = () => [];

/** How many pieces an entry of the history hit. */
export const hitsOf = () => 0;

/** The names of the situations that a player is in, for which there are texts `NAME.situation.…`. */
export const situationsOf = () => [];

/** The places that show what decided a finished game. */
export const decidingPlaces = () => [];

/** Decimals of a move's cost. */
export const lossDigits = 2;

/** How many of an engine's moves the analysis board draws as arrows. */
export const arrowCount = 1;

/** Whether a move is recorded, but is no news and isn't listed. */
export const isQuiet = () => false;

/** The key of the game's text for a move that isn't written in notation; null for all others. */
export const wordOf = () => null;

/** What the page says about the turn in place of "Your turn": the beginning of a key of the game's strings, which ends in
 * `.mine`, `.theirs` or `.watch`, and its values; or null. */
export const turnOf = () => null;

/** What a win of this kind is worth. */
export const pointsOf = (_position, win) => win;

/** In how many ways a player may resign, `{win, points}` each; null if there's only one. */
export const resignations = () => null;

/** A player's points so far, where a table is played over several games; null elsewhere. */
export const scoreOf = () => null;

/** What a single win is worth at the moment. */
export const stakeOf = () => 1;

/** What's known about such a table: keys of the game's strings with their values. */
export const standingOf = () => [];

/** What can be chosen for a new game, given what has been: `{name, value}` each, with `values` if it's a list. */
export const optionFields = () => [];

/** The choice as the server takes it. */
export const optionsOf = () => ({});

/** Such options in words: keys of the game's strings with their values. */
export const describeOptions = () => [];
