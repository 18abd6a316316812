// The live region of an embedded game: the opponent's moves, dice, and countdowns.
import { GAMES } from "../games/index.js";

const MOST_ENTRIES = 4;

export class Announcer {
  element = document.createElement("div");

  constructor() {
    this.element.className = "announcer";
    this.element.setAttribute("role", "log");
  }

  announce(text) {
    const entry = document.createElement("p");
    entry.textContent = text;
    this.element.append(entry);
    while (this.element.childElementCount > MOST_ENTRIES) this.element.firstChild.remove();
  }
}

/** What to announce of a message: the key of a text and its value. Players know their own moves. */
export function announcementOf(kind, data, { game, opponent, playerId }) {
  if (kind === "game:dice") return { key: data.playerId === playerId ? "rolled" : "rolls", value: data.dice.slice(0, 2).join(", ") };
  if (kind !== "game:move:made" || data.playerId === playerId) return null;
  if (data.passed) return { key: "passes", value: "" };
  return { key: "moves", value: GAMES[game].notationOf(data.move, opponent.color) };
}
