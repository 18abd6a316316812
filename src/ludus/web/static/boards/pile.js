// The men of a backgammon board, in piles; knows which man went where when a position gives way to another.

/** More men than these lie over each other and are counted. */
const MOST_APART = 5;
const COLORS = ["white", "black"];

export class Pile {
  #piles = { white: new Map(), black: new Map() };

  constructor(board, draw) {
    this.board = board;
    this.draw = draw;
  }

  height(place, color) { return this.#piles[color].get(place)?.length ?? 0; }

  top(place, color) { return this.#piles[color].get(place)?.at(-1); }

  each(visit) {
    for (const color of COLORS) {
      for (const [place, men] of this.#piles[color]) men.forEach((man, at) => visit(man, place, at === men.length - 1, color));
    }
  }

  /** Brings the men to where a position has them. */
  arrange(position) {
    for (const color of COLORS) this.#arrangeColor(color, counts(position, color));
  }

  #arrangeColor(color, wanted) {
    const piles = this.#piles[color];
    const spare = [];
    for (const [place, men] of piles) while (men.length > (wanted.get(place) ?? 0)) spare.push({ place, man: men.pop() });
    let moved = 0;
    for (const [place, count] of wanted) {
      if (!piles.has(place)) piles.set(place, []);
      const men = piles.get(place);
      while (men.length < count) {
        const found = take(spare, place);
        const man = found ?? this.draw(color);
        this.board.men.append(man);
        men.push(man);
        man.delay = found ? 110 * moved++ : 0;
      }
    }
    for (const { man } of spare) this.board.vanish(man);
    for (const [place, men] of piles) this.#stack(place, men);
  }

  #stack(place, men) {
    men.forEach((man, at) => {
      const to = this.board.tray.spot(place, at, men.length);
      const from = man.at;
      const isMoved = from && (Math.abs(from.x - to.x) > 1 || Math.abs(from.y - to.y) > 1);
      const count = men.length > MOST_APART && at === men.length - 1 ? String(men.length) : "";
      man.classList.toggle("off", place.startsWith("off"));
      if (man.count !== count) man.querySelector(".count").textContent = man.count = count;
      if (from?.x !== to.x || from?.y !== to.y) this.board.glide(man, isMoved ? [from, to] : [to], isMoved ? man.delay ?? 0 : 0, 260);
      man.delay = 0;
    });
  }
}

/** The spare man nearest to a place. */
function take(spare, place) {
  if (!spare.length) return undefined;
  const far = spare.map((each) => Math.abs(rank(each.place) - rank(place)));
  return spare.splice(far.indexOf(Math.min(...far)), 1)[0].man;
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
