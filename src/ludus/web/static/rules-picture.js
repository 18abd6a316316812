// Pictures in the rules: a position in the game's notation, and after `|` a move, which arrows show.
import { unpack, viewBoard } from "./games.js";
import { GAMES } from "./games/index.js";
import { api, h } from "./shell.js";

/** Draws the pictures of a game's rules on small boards. Without a connection there are none. */
export const rulesPicture = (game) => (alt, source) => {
  const [start, move] = source.split("|").map((part) => part.trim());
  const board = viewBoard(game, { compact: true, label: alt });
  const figure = h("figure", {}, board, h("figcaption", { class: "small muted", "aria-hidden": "true" }, alt));
  api(`/web/analysis/${game}/line`, { body: { start, moves: move ? [move] : [] } }).then(({ start: node, moves }) => {
    board.position = unpack(game, node.board, { color: GAMES[game].colors[node.turn] });
    board.advice = moves[0]?.move?.cube ? null : moves[0]?.move ?? null;
  }, () => figure.remove());
  return figure;
};
