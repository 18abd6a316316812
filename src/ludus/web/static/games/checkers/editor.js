// Setting up a checkers position: what can be put on the board, and the position as the server reads it.

const LETTERS = { "red man": "r", "red king": "R", "black man": "b", "black king": "B" };

/** What can be put on a place. */
export const tools = [["red", "man"], ["red", "king"], ["black", "man"], ["black", "king"]].map(([player, type]) => ({ name: `${player}.${type}`, player, type }));

const changed = (position, square, piece) => ({ ...position, board: position.board.map((each, at) => (at === Number(square) ? piece : each)) });

export const put = (position, place, { player, type }) => changed(position, place, { player, type });
export const take = (position, place) => changed(position, place, null);
export const drag = (position, from, place) => (from === place ? position : put(take(position, from), place, position.board[from]));
export const isOn = (position, place, { player, type }) => position.board[place]?.player === player && position.board[place].type === type;
export const cleared = (position) => ({ ...position, board: Array(64).fill(null) });

/** What else makes a position; the side to move is every game's. */
export const fields = () => [];

export const setupOf = ({ board }, turn) => ({ board: board.map((piece) => (piece ? LETTERS[`${piece.player} ${piece.type}`] : ".")).join(""), turn });
