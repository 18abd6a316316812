// The play page: start, waiting, table. Which of them is shown depends on the seat stored in this tab.

import { at } from "../address.js";
import { GAMES } from "../games/index.js";
import { fill, mount, toast } from "../shell.js";
import { gameNames, problemText, t } from "../strings.js";
import { LEVELS } from "../levels.js";
import { OPPONENTS, showLobby } from "./lobby.js";
import { clearSeat, storeSeat, storedSeat, seatFor } from "./seat.js";

/** A game that starts within this time needs no waiting view. */
const QUICK_MS = 500;
const main = mount({ active: "play" });
let leave = () => {};
let room = null;

/** Replaces the current view; `view` is the function that removes the new one. */
function show(view) {
  leave();
  leave = view ?? (() => {});
}

/** Keeps the stored seat: people who only look at an invitation can still go back to their game. */
export function home() {
  document.body.classList.remove("is-playing");
  document.title = t("play.title", { games: gameNames() });
  show(showLobby(main, { start, params: new URLSearchParams(location.search) }));
}

/** Gets the seat for a choice made on the start page, and takes it. */
export async function start(choice) {
  try {
    await takeSeat(await seatFor(choice));
  } catch (error) {
    toast(error.message, "bad");
    throw error;
  }
}

async function takeSeat(seat) {
  const board = GAMES[seat.game].load.board();
  const { RoomClient, showTable, showWaiting } = await import("./game.js");
  const own = (room = new RoomClient(seat, { seats: { keep: storeSeat, forget: clearSeat } }));
  let isAtTable = false;
  history.replaceState(null, "", at("/"));
  const isQuick = ["bot", "session"].includes(seat.opponent) || Boolean(seat.roomId);
  const timer = setTimeout(() => show(showWaiting(main, own, { home, start })), isQuick ? QUICK_MS : 0);
  const openTable = () => {
    document.body.classList.add("is-playing");
    show(showTable(main, own, { home }));
  };
  own.addEventListener("change", ({ kind }) => {
    if (kind === "lost") {
      clearTimeout(timer);
      toast(problemText(own.lost) || t("play.lost"), "bad");
      return home();
    }
    if (own.position && !isAtTable) {
      isAtTable = true;
      clearTimeout(timer);
      board.then(() => !own.lost && openTable());
    }
  });
}

/** Following a link home from a finished game gives the seat up. */
document.addEventListener("click", (event) => {
  if (room?.over && event.target.closest?.(`a[href="${at("/")}"]`)) clearSeat();
});

/** A seat from an app that sent its player here with a session token. A fragment stays out of server logs. */
function seatFromLink() {
  const { game, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  return token && Object.hasOwn(GAMES, game ?? "") ? { game, token, opponent: "session" } : null;
}

/** Changing the fragment of an open page doesn't reload it by itself. */
addEventListener("hashchange", () => { if (seatFromLink()) location.reload(); });

/** The choice that a link makes, if it's a complete and valid one. */
function choiceFromLink() {
  const params = new URLSearchParams(location.search);
  if (params.get("room")) return null;
  if (!params.get("go") || !Object.hasOwn(GAMES, params.get("game") ?? "")) return null;
  const [opponent, level] = [params.get("opponent") ?? "bot", params.get("level") ?? "easy"];
  return Object.hasOwn(OPPONENTS, opponent) && LEVELS.includes(level) ? { game: params.get("game"), opponent, level, name: "" } : null;
}

fill(main, async () => {
  const seat = storedSeat();
  const choice = choiceFromLink();
  const ticket = seatFromLink();
  if (ticket) await takeSeat(ticket);
  else if (choice) await start(choice).catch(home);
  else if (Object.hasOwn(GAMES, seat?.game ?? "") && !new URLSearchParams(location.search).has("room")) await takeSeat(seat);
  else home();
});
