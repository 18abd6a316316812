// How the boards stand before the first move, as the server packs them; pictures only.
export const START = {
  checkers: ".b.b.b.bb.b.b.b..b.b.b.b................r.r.r.r..r.r.r.rr.r.r.r.",
  backgammon: {
    board: [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2],
    bar: { white: 0, black: 0 }, off: { white: 0, black: 0 }, dice: [], pipCounts: { white: 167, black: 167 },
  },
};
