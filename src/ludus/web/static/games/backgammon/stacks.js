// The checkers on the board, in stacks; works out which checker moved where between two positions.

/** Higher stacks are drawn overlapping, with a count. */
const MOST_APART = 5;
const COLORS = ["white", "black"];

export class Stacks {
  #stacks = { white: new Map(), black: new Map() };

  constructor(board, draw) {
    this.board = board;
    this.draw = draw;
  }

  height(place, color) { return this.#stacks[color].get(place)?.length ?? 0; }

  top(place, color) { return this.#stacks[color].get(place)?.at(-1); }

  each(visit) {
    for (const color of COLORS) {
      for (const [place, checkers] of this.#stacks[color]) checkers.forEach((checker, at) => visit(checker, place, at === checkers.length - 1, color));
    }
  }

  /** Moves the checkers to where a position has them. */
  arrange(position) {
    for (const color of COLORS) this.#arrangeColor(color, counts(position, color));
  }

  #arrangeColor(color, wanted) {
    const stacks = this.#stacks[color];
    const spare = [];
    for (const [place, checkers] of stacks) while (checkers.length > (wanted.get(place) ?? 0)) spare.push({ place, checker: checkers.pop() });
    let moved = 0;
    for (const [place, count] of wanted) {
      if (!stacks.has(place)) stacks.set(place, []);
      const checkers = stacks.get(place);
      while (checkers.length < count) {
        const found = take(spare, place);
        const checker = found ?? this.draw(color);
        this.board.pieces.append(checker);
        checkers.push(checker);
        checker.delay = found ? 110 * moved++ : 0;
      }
    }
    for (const { checker } of spare) this.board.vanish(checker);
    for (const [place, checkers] of stacks) this.#arrangeStack(place, checkers);
  }

  #arrangeStack(place, checkers) {
    checkers.forEach((checker, at) => {
      const to = this.board.layout.spot(place, at, checkers.length);
      const from = checker.at;
      const isMoved = from && (Math.abs(from.x - to.x) > 1 || Math.abs(from.y - to.y) > 1);
      const count = checkers.length > MOST_APART && at === checkers.length - 1 ? String(checkers.length) : "";
      checker.classList.toggle("off", place.startsWith("off"));
      if (checker.count !== count) checker.querySelector(".count").textContent = checker.count = count;
      if (from?.x !== to.x || from?.y !== to.y) this.board.glide(checker, isMoved ? [from, to] : [to], isMoved ? checker.delay ?? 0 : 0, 260);
      checker.delay = 0;
    });
  }
}

/** The spare checker nearest to a place. */
function take(spare, place) {
  if (!spare.length) return undefined;
  const far = spare.map((each) => Math.abs(rank(each.place) - rank(place)));
  return spare.splice(far.indexOf(Math.min(...far)), 1)[0].checker;
}

function rank(place) {
  return /^\d/.test(place) ? Number(place) : { "bar-white": 25, "off-white": 0, "bar-black": 0, "off-black": 25 }[place];
}

function counts({ board, bar, off }, color) {
  const sign = color === "white" ? 1 : -1;
  const found = new Map();
  for (let point = 1; point <= 24; point++) if (board[point] * sign > 0) found.set(String(point), board[point] * sign);
  if (bar[color]) found.set(`bar-${color}`, bar[color]);
  if (off[color]) found.set(`off-${color}`, off[color]);
  return found;
}
