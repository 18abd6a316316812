// The cube, the score of a match, and the options of a game, as rooms send them.

/** Lengths of matches to choose from; 0 is a single game. */
const LENGTHS = [0, 1, 3, 5, 7, 9, 11, 13, 15, 17, 21, 25];

/** The cube as a board shows it: with the value that's offered, and to whom; null in a game without one. */
export function shownCube({ cube }) {
  if (!cube) return null;
  const { value, owner, offered, offeredTo } = cube;
  return { value: offered ?? value, owner: owner ?? null, offeredTo: offeredTo ?? null };
}

/** What a single win is worth, with the double that's offered. */
export const stakeOf = (position) => shownCube(position)?.value ?? 1;

/** What the player to move has to decide about the cube: "roll" (or double), "answer" a double or a beaver; otherwise null. */
export function decisionOf({ cube, dice }) {
  if (!cube || dice?.length) return null;
  if (cube.offeredTo) return "answer";
  return cube.actions.includes("double") ? "roll" : null;
}

/** A player's points in the match; null outside one. */
export const scoreOf = ({ match }, color) => match?.score[color] ?? null;

/** What's known about the match, or about the cube of a single game: keys of the game's strings with their values. The
 * score of `color` comes first. */
export function standingOf({ cube, match }, color) {
  if (match) {
    const [own, other] = color === "black" ? [match.score.black, match.score.white] : [match.score.white, match.score.black];
    return [["standing.match", { length: match.length, own, other }], ...(match.game ? [["standing.game", { number: match.game }]] : []), ...(match.isCrawford ? [["standing.crawford", {}]] : [])];
  }
  return cube ? describeOptions({ cube: true, jacoby: cube.jacoby, beavers: cube.beavers }) : [];
}

/** What can be chosen for a new game, given what has been: fields with `values` are lists, the others are switches. */
export function optionFields({ matchLength, cube, jacoby, beavers }) {
  const length = LENGTHS.includes(matchLength) ? matchLength : 0;
  const fields = [{ name: "matchLength", values: LENGTHS, value: length }];
  if (length === 1) return fields;
  const hasCube = Boolean(cube ?? length);
  fields.push({ name: "cube", value: hasCube });
  if (!length && hasCube) fields.push({ name: "jacoby", value: Boolean(jacoby) }, { name: "beavers", value: Boolean(beavers) });
  return fields;
}

/** The choice as the server takes it: nothing for a single game without a cube. */
export function optionsOf(chosen) {
  const { matchLength, cube, jacoby, beavers } = Object.fromEntries(optionFields(chosen).map(({ name, value }) => [name, value]));
  if (matchLength) return { matchLength, ...(cube === false ? { cube } : {}) };
  return cube ? { cube, ...(jacoby ? { jacoby } : {}), ...(beavers ? { beavers } : {}) } : {};
}

/** Options in words: keys of the game's strings with their values, a `count` for those with a plural. */
export function describeOptions({ matchLength, cube, jacoby, beavers }) {
  if (matchLength) return [["option.matchLength", { count: matchLength }], ...(cube === false ? [["option.cube.none", {}]] : [])];
  return [cube && ["option.cube", {}], jacoby && ["option.jacoby", {}], beavers && ["option.beavers", {}]].filter(Boolean);
}
