// The play page: start, invitation, waiting, table. The address says which; every game has its own.

import { at } from "../address.js";
import { GAMES } from "../games/index.js";
import { loadPerson } from "../person.js";
import { resume } from "../resume.js";
import { fill, h, lastOf, mount, toast } from "../shell.js";
import { gameNames, problemText, t } from "../strings.js";
import { choiceFrom, choiceMade, showLobby } from "./lobby.js";
import { addressOf, dropSeat, keepSeat, seatAt, seatFor, seatOfToken, takeOver } from "./seat.js";

/** A game that starts within this time needs no waiting view. */
const QUICK_MS = 500;
const STRANGERS = new Set(["anyone", "agent"]);
/** While the server can't store anything, the page asks again after this time, and after longer each time. */
const RETRY_MS = 1000;
const MOST_RETRY_MS = 5000;
const main = mount({ active: "play" });
let leave = () => {};
let room = null;

/** Replaces the current view; `view` is the function that removes the new one. */
function show(view) {
  leave();
  leave = view ?? (() => {});
}

/** Where this page is, without the path that the server is mounted under. */
const place = () => location.pathname.slice(at("").length);

function go(path, { replace = false } = {}) {
  if (path === place() && !location.search && !location.hash) return;
  history[replace ? "replaceState" : "pushState"](null, "", at(path));
}

/** The seat stays the player's: the game goes on, and every page shows the way back. */
function leaveRoom() {
  const left = room;
  room = null;  // first: its last events are about a view that's gone
  left?.disconnect();
  document.body.classList.remove("is-playing");
}

/** The start page; a running game can be resumed from there. */
export function home() {
  leaveRoom();
  go("/");
  showStart();
}

function showStart() {
  document.title = t("play.title", { games: gameNames() });
  show(showLobby(main, { start, open, params: new URLSearchParams(location.search) }));
  resume.refresh();
}

/** Gets the seat for a choice made on the start page, and takes it. */
export async function start(choice) {
  try {
    await takeNewSeat(await seatWhenStored(choice));
  } catch (error) {
    toast(error.message, "bad");
    throw error;
  }
}

/** Asks until the server can store the seat, and says why it takes so long. */
async function seatWhenStored(choice) {
  for (let failures = 1; ; failures += 1) {
    try {
      return await seatFor(choice);
    } catch (error) {
      if (error.code !== "unavailable") throw error;
      show(showFault(error));
      await new Promise((resolve) => setTimeout(resolve, Math.min(failures * RETRY_MS, MOST_RETRY_MS)));
    }
  }
}

/** Following the link home leaves the page, and nothing is asked any more. */
function showFault(error) {
  main.replaceChildren(h("section", { class: "card waiting" },
    h("div", { class: "spinner", "aria-hidden": "true" }),
    h("h1", {}, t("play.waiting.later")),
    h("p", { class: "lead", role: "status" }, error.message),
    h("div", { class: "row" }, h("a", { class: "button plain", href: "/" }, t("play.cancel")))));
}

/** Shows what is at a path of this page. */
async function open(path) {
  leaveRoom();
  go(path);
  await showPlace();
}

/** The first game makes the player a person. */
async function takeNewSeat(seat) {
  await takeSeat(seat);
  loadPerson().catch(() => {});  // offline: the next page asks again
}

export async function takeSeat(seat, { replace = false } = {}) {
  const board = GAMES[seat.game].load.board();
  const { RoomClient, guardLinks, showTable, showWaiting } = await import("./game.js");
  leaveRoom();
  let own = null;
  const keep = (now) => keepSeat({ ...now, sessionId: seat.sessionId, isOwn: seat.isOwn, isOver: Boolean(own?.over), opponentName: own?.opponent?.displayName });
  own = room = new RoomClient(seat, { seats: { keep, forget: () => dropSeat({ roomId: own?.roomId, sessionId: seat.sessionId }) } });
  let isAtTable = false;
  go(addressOf(seat), { replace });
  keepSeat(seat);
  const isQuick = seat.opponent === "bot" || seat.opponent === undefined || Boolean(seat.roomId);
  const timer = setTimeout(() => show(showWaiting(main, own, { home, start })), isQuick ? QUICK_MS : 0);
  const openTable = () => {
    document.body.classList.add("is-playing");
    const tournament = seat.tournamentId ? `/tournaments/${seat.tournamentId}` : null;
    const close = showTable(main, own, { home: tournament ? () => location.assign(at(tournament)) : home, search: searchFor(seat), tournament });
    const release = guardLinks(own, (link) => { location.href = link.href; });
    show(() => { close(); release(); });
    resume.refresh();
  };
  own.addEventListener("change", ({ kind }) => {
    if (own !== room) return;
    if (kind === "lost") {
      clearTimeout(timer);
      return void lost(own, seat);
    }
    if (kind === "matchmaking:left" && !own.isLeaving) {
      toast(t("play.waiting.left"), "bad");
      return home();
    }
    if (kind === "game:over") keep(own.seat);
    if (own.roomId && place() !== `/play/${own.roomId}`) go(`/play/${own.roomId}`, { replace: true });
    if (own.position && !isAtTable) {
      isAtTable = true;
      clearTimeout(timer);
      board.then(() => own === room && !own.lost && openTable());
    }
  });
}

/** A function that looks for another stranger, on the terms of this game; null if its opponent was none. */
function searchFor({ game, opponent, timeControl, gameOptions: options = {}, isRated, isOwn }) {
  return isOwn && STRANGERS.has(opponent) ? () => start({ ...choiceMade(), game, opponent, timeControl, options, isRated }) : null;
}

/** A token that has expired while its player waited is replaced once; then there's nothing left of the game. */
async function lost(own, seat) {
  if (own.lost.code === "expired" && seat.isOwn && !seat.isFresh) {
    try {
      return await takeSeat({ ...(await seatAt(seat.sessionId)), isFresh: true }, { replace: true });
    } catch {
      // the session has expired too
    }
  }
  toast(problemText(own.lost) || t("play.lost"), "bad");
  room = null;
  go("/", { replace: true });
  showStart();
}

/** A seat from an app that sent its player here with a session token, or from the player's other device with a code. A
 * fragment stays out of server logs. */
async function seatFromFragment() {
  const { game, token, code } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (token && Object.hasOwn(GAMES, game ?? "")) return seatOfToken(game, token);
  return code ? takeOver(code) : null;
}

/** Changing the fragment of an open page doesn't reload it by itself. */
addEventListener("hashchange", () => { if (/[#&](token|code)=/.test(location.hash)) location.reload(); });
addEventListener("popstate", () => { if (!location.hash) fill(main, async () => { leaveRoom(); await showPlace(); }); });

async function showPlace() {
  const params = new URLSearchParams(location.search);
  const [, kind] = place().split("/");
  if (kind === "play") return showGame(lastOf(place()));
  const code = kind === "invite" ? lastOf(place()) : params.get("room");
  if (code) return showInvited(code.trim().toUpperCase());
  const choice = choiceFrom(params);
  if (!choice) return showStart();
  go("/", { replace: true });  // so that going back doesn't start another game
  return start(choice).catch(showStart);
}

async function showGame(id) {
  try {
    await takeSeat(await seatAt(id), { replace: true });
  } catch (error) {
    const { showRefusal } = await import("./refusal.js");
    show(showRefusal(main, id, error));
  }
}

async function showInvited(code) {
  const { showInvitation } = await import("./invitation.js");
  show(await showInvitation(main, code, { takeSeat: takeNewSeat, open }));
}

fill(main, async () => {
  try {
    const seat = await seatFromFragment();
    if (seat) return await takeSeat(seat, { replace: true });
  } catch (error) {
    toast(error.message, "bad");
    history.replaceState(null, "", location.pathname);
  }
  await showPlace();
});
