// Boards for looking at, as all pages but play use them.
import { applyThemes } from "./boards/themes.js";
import { GAMES } from "./games/index.js";
import { boardLabels } from "./strings.js";

/** A packed board of the server in the form that rooms send; dice have the color of the player who rolled. */
export const unpack = (game, packed, turn) => GAMES[game].unpack(packed, turn);

/** The board at the end of a match's game, where the server's board after the last move is the start of the next game. */
export function endPosition(game, packed, { move, dice, color }) {
  const before = unpack(game, packed, { dice, color });
  return GAMES[game].framesOf(before, move, color).at(-1)?.position ?? before;
}

/** A board element, which comes alive when its module is loaded. */
export function makeBoard(game) {
  const { load, shape, tag } = GAMES[game];
  load.board();
  applyThemes();
  const board = document.createElement(tag);
  board.labels = boardLabels(game);
  board.style.setProperty("--shape", shape);
  return board;
}

/** A board that shows positions and takes no moves. */
export function viewBoard(game, { compact = false, label = "" } = {}) {
  const board = makeBoard(game);
  board.toggleAttribute("compact", compact);
  board.side = GAMES[game].colors[0];
  if (label) board.setAttribute("aria-label", label);
  return board;
}
