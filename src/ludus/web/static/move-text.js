// Moves in words or notation, in the page's language.
import { GAMES } from "./games/index.js";
import { t, tn } from "./strings.js";

/** A move as people read it; `notation` is the server's, which also marks hits. */
export function moveText(game, move, { notation, color } = {}) {
  const { isPass, notationOf, wordOf } = GAMES[game];
  const word = wordOf(move);
  if (word) return t(`${game}.${word}`);
  return isPass(move) ? t("play.passed") : notation ?? notationOf(move, color);
}

/** Facts about a game in one line, from keys of its strings with their values. */
export const factsText = (game, facts) => facts.map(([key, values]) => ("count" in values ? tn(`${game}.${key}`, values.count) : t(`${game}.${key}`, values))).join(" · ");

/** The options of a game in words; empty for a plain one. */
export const optionsText = (game, options) => factsText(game, GAMES[game].describeOptions(options ?? {}));

/** How one of a match's games ended: `number` counts from 1, `name` is the winner's; without one, the reader won. */
export function partText(game, { points, kind, reason }, { number, name = "" }) {
  const how = t(`${game}.how.${reason === "dropped" ? reason : kind}`);
  return tn(name ? "play.part.theirs" : "play.part.mine", points, { number, name, how });
}
