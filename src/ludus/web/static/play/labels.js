// The boards' words in the page's language.

import { LudusBackgammon } from "../boards/ludus-backgammon.js";
import { LudusCheckers } from "../boards/ludus-checkers.js";
import { has, t } from "../strings.js";

const BOARDS = { checkers: LudusCheckers, backgammon: LudusBackgammon };

export function boardLabels(game) {
  const keys = Object.keys(BOARDS[game].words).filter((key) => has(`board.${game}.${key}`));
  return Object.fromEntries(keys.map((key) => [key, t(`board.${game}.${key}`)]));
}
