// What people and boards are called in the page's language; bots have names of their own in it.

import { isolated } from "../isolation.js";
import { has, t } from "../strings.js";

export function playerName(player) {
  if (!player) return "";
  return player.isBot && has(`play.bot.${player.id}`) ? t(`play.bot.${player.id}`) : isolated(player.displayName);
}

/** The words of a board, which knows English by itself. */
export function boardLabels(board, game) {
  const keys = Object.keys(board.constructor.words).filter((key) => has(`board.${game}.${key}`));
  return Object.fromEntries(keys.map((key) => [key, t(`board.${game}.${key}`)]));
}
