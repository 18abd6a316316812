// What the steps of a backgammon play do to a picture of the board, and how people write them. No rules: it is known
// to be a legal play, and only arithmetic is left.

/** The other colour. */
export const other = (color) => (color === "white" ? "black" : "white");

/** A point as its owner counts it. */
export const own = (point, color) => (color === "black" ? 25 - point : point);

/** How far a step goes, in pips. */
export function pips({ from, to }, color) {
  return (from === "bar" ? 25 : own(from, color)) - (to === "off" ? 0 : own(to, color));
}

/** The position after steps of one side. */
export function after(position, steps, color) {
  const board = [...position.board];
  const bar = { ...position.bar };
  const off = { ...position.off };
  const sign = color === "white" ? 1 : -1;
  for (const { from, to } of steps) {
    if (from === "bar") bar[color] -= 1;
    else board[from] -= sign;
    if (to === "off") off[color] += 1;
    else if (board[to] === -sign) {
      bar[other(color)] += 1;
      board[to] = sign;
    } else board[to] += sign;
  }
  return { ...position, board, bar, off };
}

/** Which of the dice are still to be played after steps: the die that fits, or a higher one when a man is borne off. */
export function unused(dice, steps, color) {
  const left = [...dice];
  for (const step of steps) {
    const length = pips(step, color);
    const fits = left.includes(length) ? length : Math.min(...left.filter((die) => die > length));
    if (left.includes(fits)) left.splice(left.indexOf(fits), 1);
  }
  return left;
}

/** Whose steps these are: white's go down, black's up. */
export function colorOf([{ from, to }]) {
  if (from === "bar") return to > 12 ? "white" : "black";
  if (to === "off") return from <= 6 ? "white" : "black";
  return from > to ? "white" : "black";
}

/** A play as its mover writes it: 24/18 13/11, bar/22/20, 8/5(2). */
export function notationOf(move, color) {
  return waysOf(move.moves ?? move).map(({ way, count }) => {
    const text = way.map((end) => (typeof end === "number" ? own(end, color) : end)).join("/");
    return count > 1 ? `${text}(${count})` : text;
  }).join(" ");
}

/** The ways that men go, each with how many go it; steps that follow each other are one way. */
export function waysOf(steps) {
  const found = [];
  for (const { from, to } of steps) {
    const way = found.find((each) => each.at(-1) === from);
    if (way) way.push(to);
    else found.push([from, to]);
  }
  const counts = new Map();
  for (const way of found) counts.set(way.join("/"), { way, count: (counts.get(way.join("/"))?.count ?? 0) + 1 });
  return [...counts.values()];
}

/** Whether two lists have the same steps, in any order. */
export function isSame(steps, others) {
  const written = (list) => list.map(({ from, to }) => `${from}/${to}`).sort().join(" ");
  return written(steps) === written(others);
}

/** Steps that can follow those made, as far as a list of plays tells: for pages that cannot ask the server. */
export function following(plays, soFar) {
  const found = new Map();
  for (const play of plays) {
    const rest = [...play];
    const isPart = soFar.every((made) => {
      const at = rest.findIndex((step) => step.from === made.from && step.to === made.to);
      return at >= 0 && rest.splice(at, 1);
    });
    const open = rest.some((step) => step.from === "bar") ? rest.filter((step) => step.from === "bar") : rest;
    if (isPart) for (const step of open) found.set(`${step.from}/${step.to}`, step);
  }
  return [...found.values()];
}
