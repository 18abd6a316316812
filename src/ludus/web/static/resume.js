// Links to games in progress, below the header of every page.

import { at } from "./address.js";
import { icon } from "./icons.js";
import { listenToPerson, person } from "./person.js";
import { playerName } from "./play/names.js";
import { keptSeats } from "./play/seat.js";
import { api, h } from "./shell.js";
import { gameName, t, tn } from "./strings.js";

const POLL_MS = 20_000;
const element = h("nav", { class: "resume", hidden: true, "aria-label": t("resume.title") });
let shown = "";
let timer = null;
let isAsked = false;

export const resume = {
  element,
  /** Asks the server which games the person has, unless the page is hidden. */
  async refresh() {
    clearTimeout(timer);
    if (document.visibilityState !== "visible" || !hasPlayed()) return;
    isAsked = true;
    const { games = [] } = await api("/web/me/games?status=live").catch(() => ({}));
    draw([...games, ...keptElsewhere(games)].filter(({ id }) => at(`/play/${id}`) !== location.pathname));
    if (games.length) timer = setTimeout(() => resume.refresh(), POLL_MS);
  },
};

/** Whether the server may know this browser; new visitors needn't wait for a response. */
const hasPlayed = () => Boolean(person()) || Object.keys(keptSeats()).length > 0;

listenToPerson((who) => { if (who && !isAsked) resume.refresh(); });  // just signed in
document.addEventListener("visibilitychange", () => resume.refresh());

/** Seats that came from an app or another device; the server can't tell whose they are. */
function keptElsewhere(games) {
  const known = new Set(games.map(({ id }) => id));
  return Object.entries(keptSeats())
    .filter(([id, seat]) => !seat.isOwn && !seat.isOver && seat.roomId && !known.has(id))
    .map(([id, { game, opponentName }]) => ({ id, game, status: "live", opponent: { name: opponentName } }));
}

/** Only if something has changed, so that the focus stays where it is. */
function draw(games) {
  const key = JSON.stringify(games);
  if (key === shown) return;
  shown = key;
  element.hidden = !games.length;
  if (games.length < 2) return element.replaceChildren(...games.map(link));
  const turns = games.filter(({ isMyTurn }) => isMyTurn).length;
  const isOpen = element.querySelector("details")?.open ?? false;
  element.replaceChildren(h("details", { open: isOpen },
    h("summary", {}, icon("run"), tn("resume.games", games.length), turns ? ` ${tn("resume.turns", turns)}` : ""),
    h("ul", {}, games.map((game) => h("li", {}, link(game))))));
}

function link({ id, game, status, opponent, isMyTurn }) {
  const name = nameOf(opponent);
  const key = status === "waiting" ? (name ? "resume.joined" : "resume.waiting") : isMyTurn === undefined ? "resume.game" : isMyTurn ? "resume.mine" : "resume.theirs";
  const text = t(key, { game: gameName(game), name });
  return h("a", { href: `/play/${id}`, "data-resume": id, class: isMyTurn ? "is-mine" : null }, icon("run"), h("span", {}, text));
}

/** Lists have the public ids of bots. */
function nameOf(opponent) {
  const id = opponent?.id?.replace(/^house:/, "bot-");
  return opponent?.name ? playerName({ id, isBot: id?.startsWith("bot-"), displayName: opponent.name }) : "";
}
