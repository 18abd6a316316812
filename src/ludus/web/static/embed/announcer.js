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

/** What to announce of a message: the key of a text and its value. Players know their own moves. Boards have the words for
 * what is done with a cube. */
export function announcementOf(kind, data, { game, opponent, playerId }, board) {
  if (kind === "game:dice") return { key: data.playerId === playerId ? "rolled" : "rolls", value: data.dice.slice(0, 2).join(", ") };
  if (kind !== "game:move:made" || data.playerId === playerId) return null;
  if (data.passed) return { key: "passes", value: "" };
  if (GAMES[game].isQuiet(data.move)) return null;
  if (GAMES[game].wordOf(data.move)) return { key: "says", value: board.word(data.move.cube ?? "resign") };
  return { key: "moves", value: GAMES[game].notationOf(data.move, opponent.color) };
}
