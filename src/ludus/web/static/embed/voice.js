// What an embedded game says to those who cannot see it: the other side's moves and dice, and little time.
import { notationOf as play } from "../boards/ludus-backgammon.js";
import { notationOf as move } from "../boards/ludus-checkers.js";

const KEPT = 4;

export class Voice {
  element = document.createElement("div");

  constructor() {
    this.element.className = "voice";
    this.element.setAttribute("role", "log");
  }

  say(text) {
    const line = document.createElement("p");
    line.textContent = text;
    this.element.append(line);
    while (this.element.childElementCount > KEPT) this.element.firstChild.remove();
  }
}

/** What there is to tell of a message, as the key of a text with its values; one's own moves are known. */
export function tidings(kind, data, { game, opponent, playerId }) {
  if (kind === "game:dice") return { key: data.playerId === playerId ? "rolled" : "rolls", value: data.dice.slice(0, 2).join(", ") };
  if (kind !== "game:move:made" || data.playerId === playerId) return null;
  if (data.passed) return { key: "passes", value: "" };
  return { key: "moves", value: game === "checkers" ? move(data.move) : play(data.move, opponent.color) };
}
