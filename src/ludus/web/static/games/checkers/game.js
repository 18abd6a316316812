// What the page needs to know of checkers besides its board.

export { notationOf, readMoves, readSteps } from "./notation.js";

/** The board's width divided by its height. */
export const shape = 1;
/** How many moves fit on one line of the move list. */
export const moveColumns = 2;
/** How many of an engine's moves the analysis board draws as arrows. */
export const arrowCount = 3;

const PIECES_EACH = 12;
const PIECES = {
  r: { player: "red", type: "man" }, R: { player: "red", type: "king" },
  b: { player: "black", type: "man" }, B: { player: "black", type: "king" },
};

/** A board as the server packs it for the page, 64 letters, in the form that rooms send. */
export const unpack = (packed) => ({ board: [...packed].map((letter) => PIECES[letter] ?? null) });

/** What a player's strip says below the name: a key of the game's strings with its values. */
export function detailOf({ board }, color) {
  const count = PIECES_EACH - board.filter((piece) => piece && piece.player !== color).length;
  return count ? ["taken", { count }] : null;
}

/** In which of the rules' situations the player is. */
export function situationsOf({ position, moves, color }) {
  const isJump = moves.some(({ captures }) => captures?.length);
  const isChain = moves.some(({ captures }) => captures?.length > 1);
  const hasKing = position.board.some((piece) => piece?.player === color && piece.type === "king");
  return [isJump && "jump", isChain && "chain", moves.length && !isJump && "step", hasKing && "king"].filter(Boolean);
}

/** The pieces of a side that can't move. */
export function decidingPlaces({ position, reason, loser }) {
  if (reason !== "no_moves") return [];
  return position.board.flatMap((piece, square) => (piece?.player === loser ? [square] : []));
}
