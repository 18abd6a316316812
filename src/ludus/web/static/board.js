// Boards as the pages other than play use them: for looking at.
import "./boards/ludus-backgammon.js";
import "./boards/ludus-checkers.js";
import { boardLabels } from "./play/names.js";
import { t } from "./strings.js";

const PIECES = {
  r: { player: "red", type: "man" }, R: { player: "red", type: "king" },
  b: { player: "black", type: "man" }, B: { player: "black", type: "king" },
};

/** A board as the server packs it for the page, in the form that rooms send; dice have the colour of who threw them. */
export function unpacked(packed, { dice = packed.dice, color = null } = {}) {
  if (typeof packed === "string") return { board: [...packed].map((letter) => PIECES[letter] ?? null) };
  return { ...packed, dice, currentColor: color };
}

/** An element that shows a position and takes no moves. */
export function boardOf(game, { compact = false, label = "" } = {}) {
  const board = document.createElement(`ludus-${game}`);
  board.toggleAttribute("compact", compact);
  board.labels = boardLabels(board, game);
  board.side = game === "checkers" ? "red" : "white";
  if (label) board.setAttribute("aria-label", label);
  return board;
}

export function gameName(game) {
  return t(`game.${game}`);
}
