// Arithmetic on the steps of a play that's known to be legal. There are no rules in here.

export const other = (color) => (color === "white" ? "black" : "white");

/** A point's number from its owner's side. */
export const own = (point, color) => (color === "black" ? 25 - point : point);

/** A step's length in pips. */
export function pips({ from, to }, color) {
  return (from === "bar" ? 25 : own(from, color)) - (to === "off" ? 0 : own(to, color));
}

/** The position after one side's steps. */
export function after(position, steps, color) {
  const board = [...position.board];
  const pipCounts = { ...position.pipCounts };
  const bar = { ...position.bar };
  const off = { ...position.off };
  const sign = color === "white" ? 1 : -1;
  for (const { from, to } of steps) {
    pipCounts[color] -= pips({ from, to }, color);
    if (from === "bar") bar[color] -= 1;
    else board[from] -= sign;
    if (to === "off") off[color] += 1;
    else if (board[to] === -sign) {
      bar[other(color)] += 1;
      pipCounts[other(color)] += 25 - own(to, other(color));
      board[to] = sign;
    } else board[to] += sign;
  }
  return { ...position, board, bar, off, ...(position.pipCounts ? { pipCounts } : {}) };
}

/** The dice left after some steps; a checker can be borne off with a higher die than it needs. */
export function unused(dice, steps, color) {
  const left = [...dice];
  for (const step of steps) {
    const length = pips(step, color);
    const fits = left.includes(length) ? length : Math.min(...left.filter((die) => die > length));
    if (left.includes(fits)) left.splice(left.indexOf(fits), 1);
  }
  return left;
}

/** Whose steps these are: white moves down, black up. */
export function colorOf([{ from, to }]) {
  if (from === "bar") return to > 12 ? "white" : "black";
  if (to === "off") return from <= 6 ? "white" : "black";
  return from > to ? "white" : "black";
}

/** Chains consecutive steps into ways, each with how many checkers take it. */
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

/** Whether two lists have the same steps in any order. */
export function isSame(steps, others) {
  return sorted(steps) === sorted(others);
}

/** Steps as a text that's the same for every order of them. */
export const sorted = (steps) => steps.map(({ from, to }) => `${from}/${to}`).sort().join(" ");

/** The steps that can follow, as far as a list of plays tells; for pages that can't ask the server. */
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
