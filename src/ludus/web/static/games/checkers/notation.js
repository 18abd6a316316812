// Moves as people write and type them.

/** A dark square's number in the literature, which has the first player's men on 1 to 12. */
export const numberOf = (index) => ((63 - index) >> 1) + 1;

/** Every square a move touches, from its start to its end. */
export function pathOf({ from, to, captures = [] }) {
  if (!captures.length) return [from, to];
  const path = [from];
  for (const jumped of captures) path.push(2 * jumped - path.at(-1));
  return path;
}

/** A move as people write it: 11-15, 22x15x8. */
export function notationOf(move) {
  return pathOf(move).map(numberOf).join(move.captures?.length ? "x" : "-");
}

/** The listed moves that a typed text can mean, or null if it's no notation at all. */
export function readMoves(text, { moves }) {
  if (!/^\s*\d{1,2}(\s*[-x:×, ]\s*\d{1,2})+\s*$/i.test(text)) return null;
  const squares = text.match(/\d+/g).map(Number);
  const fitting = moves.filter((move) => fits(pathOf(move).map(numberOf), squares));
  const exact = fitting.filter((move) => pathOf(move).length === squares.length);
  return exact.length === 1 ? exact : fitting;
}

/** The first and the last square of a typed text. */
export function readSteps(text) {
  const squares = text.match(/\d+/g)?.map(Number).filter((each) => each >= 1 && each <= 32) ?? [];
  return squares.length > 1 ? [{ position: indexOf(squares[0]), target: indexOf(squares.at(-1)) }] : [];
}

/** A numbered square's place in the room's board. */
function indexOf(number) {
  const row = Math.floor((number - 1) / 4);
  return 63 - (8 * row + 2 * ((number - 1) % 4) + (row % 2 ? 0 : 1));
}

/** Whether the squares lie on the path in this order, both ends included. */
function fits(path, squares) {
  if (path[0] !== squares[0] || path.at(-1) !== squares.at(-1)) return false;
  let at = 0;
  for (const square of path) if (square === squares[at]) at += 1;
  return at === squares.length;
}
