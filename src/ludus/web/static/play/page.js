// The play page: the start, the line, the table. Which of them is shown follows from the seat that this tab has.

import { fill, mount, toast } from "../shell.js";
import { t } from "../strings.js";
import { LEVELS, OPPONENTS, showLobby } from "./lobby.js";
import { forgetSeat, keptSeat, seatFor } from "./seat.js";

/** A game that comes within this time is worth no "one moment". */
const QUICK_MS = 500;
const GAMES = ["checkers", "backgammon"];
const main = mount({ active: "play" });
let leave = () => {};
let room = null;

/** Shows one view in place of another. */
function show(view) {
  leave();
  leave = view ?? (() => {});
}

/** A seat that is kept stays kept: who only looks at an invitation still has a game to go back to. */
export function home() {
  document.body.classList.remove("is-playing");
  document.title = t("play.title");
  show(showLobby(main, { start, asked: new URLSearchParams(location.search) }));
}

/** Gets a seat as somebody chose at the start, and sits down. */
export async function start(choice) {
  try {
    await sit(await seatFor(choice));
  } catch (error) {
    toast(error.message, "bad");
    throw error;
  }
}

async function sit(seat) {
  const board = import(`../boards/ludus-${seat.game}.js`);
  const { Room, showTable, showWaiting } = await import("./sitting.js");
  const own = (room = new Room(seat));
  let isAtTable = false;
  history.replaceState(null, "", "/");
  const isQuick = ["bot", "session"].includes(seat.opponent) || Boolean(seat.roomId);
  const timer = setTimeout(() => show(showWaiting(main, own, { home, start })), isQuick ? QUICK_MS : 0);
  const sitDown = () => {
    document.body.classList.add("is-playing");
    show(showTable(main, own, { home }));
  };
  own.addEventListener("change", ({ kind }) => {
    if (kind === "lost") {
      clearTimeout(timer);
      toast(own.lost.message || t("play.lost"), "bad");
      return home();
    }
    if (own.position && !isAtTable) {
      isAtTable = true;
      clearTimeout(timer);
      board.then(() => !own.lost && sitDown());
    }
  });
}

/** Whoever goes to the start from a game that is over wants another. */
document.addEventListener("click", (event) => {
  if (room?.over && event.target.closest?.('a[href="/"]')) forgetSeat();
});

/** An app can send its player here with a session's token, which a fragment keeps out of everybody's logs. */
function brought() {
  const { game, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return token && GAMES.includes(game) ? { game, token, opponent: "session" } : null;
}

/** A fragment that is put into an open page loads nothing by itself. */
addEventListener("hashchange", () => { if (brought()) location.reload(); });

/** A link can name all that there is to choose; one that names anything else leads to the start. */
function askedFor() {
  const asked = new URLSearchParams(location.search);
  if (asked.get("room")) return null;
  if (!asked.get("go") || !GAMES.includes(asked.get("game"))) return null;
  const [opponent, level] = [asked.get("opponent") ?? "bot", asked.get("level") ?? "easy"];
  return Object.hasOwn(OPPONENTS, opponent) && LEVELS.includes(level) ? { game: asked.get("game"), opponent, level, name: "" } : null;
}

fill(main, async () => {
  const seat = keptSeat();
  const asked = askedFor();
  const ticket = brought();
  if (ticket) await sit(ticket);
  else if (asked) await start(asked).catch(home);
  else if (seat?.game && !new URLSearchParams(location.search).has("room")) await sit(seat);
  else home();
});
