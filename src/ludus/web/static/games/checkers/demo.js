// A recorded game, for the small board on the start page.

const FIRST_SHOWN = 8;
/** From, to, captured squares. */
const MOVES = [
  [40,33], [17,26], [33,24], [26,33], [42,35], [21,28], [35,21,28], [12,30,21],
  [51,42], [33,51,42], [60,42,51], [10,17], [24,10,17], [3,17,10], [44,37], [30,44,37],
  [53,35,44], [17,26], [35,17,26], [8,26,17], [46,37], [14,21], [62,53], [1,8],
  [53,44], [8,17],
];

export const pauseMs = 1500;

/** What the board shows after each move: `{position, last}`. */
export function frames() {
  const man = (player) => ({ player, type: "man" });
  let squares = Array.from({ length: 64 }, (_, at) => ((at >> 3) + at) % 2 === 0 ? null : at < 24 ? man("black") : at > 39 ? man("red") : null);
  const shown = MOVES.map(([from, to, ...captures]) => {
    squares = [...squares];
    const isCrowned = to < 8 || to > 55;
    squares[to] = isCrowned ? { ...squares[from], type: "king" } : squares[from];
    for (const gone of [from, ...captures]) squares[gone] = null;
    return { position: squares, last: { from, to, captures } };
  });
  return shown.slice(FIRST_SHOWN);
}
