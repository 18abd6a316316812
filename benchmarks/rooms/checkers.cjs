// Checkers for boardgame.io, as an author there writes a game: state in G, one move that checks itself.
//
// The board is an array of 64, row 0 on top, of null or a letter: r and b men, R and B kings; red, player '0', starts
// at the bottom. Written for the benchmark alone, apart from the project's rules, and held against them by every game
// it plays. Draws by repetition are left out: with them the state would grow, and so would what each update carries.
const { INVALID_MOVE } = require('boardgame.io/core');

const QUIET_LIMIT = 80;
const UP = [[-1, -1], [-1, 1]];
const DOWN = [[1, -1], [1, 1]];
const WAYS = { r: UP, b: DOWN, R: [...UP, ...DOWN], B: [...UP, ...DOWN] };
const LETTERS = { 0: 'rR', 1: 'bB' };

const isKing = (piece) => piece === 'R' || piece === 'B';
const other = (player) => (player === '0' ? '1' : '0');
const isFar = (piece, index) => (piece === 'r' ? index < 8 : piece === 'b' && index >= 56);

// The square so many diagonal steps from a square, or -1 off the board.
function stepped(index, [down, right], steps) {
  const row = (index >> 3) + down * steps;
  const column = (index & 7) + right * steps;
  return row < 0 || row > 7 || column < 0 || column > 7 ? -1 : row * 8 + column;
}

// Every complete chain of jumps from here on, for a piece that has left its square.
function chains(cells, piece, own, from, here, captures, found) {
  let isEnd = true;
  if (!isFar(piece, here)) {
    for (const way of WAYS[piece]) {
      const to = stepped(here, way, 2);
      if (to < 0 || (cells[to] !== null && to !== from)) continue;
      const middle = stepped(here, way, 1);
      if (cells[middle] === null || own.includes(cells[middle]) || captures.includes(middle)) continue;
      isEnd = false;
      chains(cells, piece, own, from, to, [...captures, middle], found);
    }
  }
  if (isEnd && captures.length > 0) found.push({ from, to: here, captures });
}

function steps(cells, from, found) {
  for (const way of WAYS[cells[from]]) {
    const to = stepped(from, way, 1);
    if (to >= 0 && cells[to] === null) found.push({ from, to, captures: [] });
  }
}

function legalMoves(cells, player) {
  const own = LETTERS[player];
  const squares = [];
  const jumps = [];
  for (let i = 0; i < 64; i++) if (cells[i] !== null && own.includes(cells[i])) squares.push(i);
  for (const from of squares) chains(cells, cells[from], own, from, from, [], jumps);
  if (jumps.length > 0) return jumps;
  const found = [];
  for (const from of squares) steps(cells, from, found);
  return found;
}

const isSame = (a, b) => a.from === b.from && a.to === b.to && a.captures.join() === b.captures.join();

function setup() {
  const cells = Array(64).fill(null);
  for (let i = 0; i < 64; i++) {
    if (((i >> 3) + i) % 2 === 0) continue;
    if (i < 24) cells[i] = 'b';
    if (i >= 40) cells[i] = 'r';
  }
  return { cells, quiet: 0 };
}

// The board after a legal move.
function played(cells, move) {
  const after = [...cells];
  const piece = cells[move.from];
  for (const square of [move.from, ...move.captures]) after[square] = null;
  after[move.to] = isFar(piece, move.to) ? piece.toUpperCase() : piece;
  return after;
}

// The rules read a plain copy of the board, since reading through Immer's proxy costs more. The end is looked for here
// and not in `endIf`, which boardgame.io asks several times for each move.
function play({ G, playerID, events }, move) {
  const cells = [...G.cells];
  if (!move || !Array.isArray(move.captures)) return INVALID_MOVE;
  if (!legalMoves(cells, playerID).some((legal) => isSame(legal, move))) return INVALID_MOVE;
  const after = played(cells, move);
  G.cells = after;
  G.quiet = isKing(cells[move.from]) && move.captures.length === 0 ? G.quiet + 1 : 0;
  if (legalMoves(after, other(playerID)).length === 0) events.endGame({ winner: playerID });
  else if (G.quiet >= QUIET_LIMIT) events.endGame({ draw: true });
}

const turn = { minMoves: 1, maxMoves: 1 };

function perft(cells, player, depth) {
  const moves = legalMoves(cells, player);
  if (depth === 1) return moves.length;
  return moves.reduce((lines, move) => lines + perft(played(cells, move), other(player), depth - 1), 0);
}

module.exports = {
  perft: (depth) => perft(setup().cells, '0', depth),
  Checkers: { name: 'checkers', minPlayers: 2, maxPlayers: 2, setup, moves: { play }, turn },
};
