// The waiting view: in the queue, for a friend with a code, or for a connection.

import { HOME } from "../address.js";
import { copy, h } from "../shell.js";
import { icon } from "../icons.js";
import { isolated } from "../isolation.js";
import { duration, problemText, t } from "../strings.js";
import { choiceMade } from "./lobby.js";
import { terms } from "./terms.js";

const TICK_MS = 1000;
/** After this, the page says that finding an opponent may take a while. */
const LONG_MS = 30_000;
const QUEUES = new Set(["anyone", "agent"]);

/** Returns a function that removes the view. */
export function showWaiting(main, room, { home, start }) {
  const since = Date.now();
  const { seat } = room;
  const text = h("p", { class: "lead", role: "status" });
  const title = h("h1", {}, t("play.connecting"));
  const waited = h("p", { class: "muted small", "data-waited": "" });
  const card = h("section", { class: "card waiting" }, h("div", { class: "spinner", "aria-hidden": "true" }), title, text, waited);
  if (seat.roomCode && seat.opponent === "friend") card.append(seat.awaits ? termsOf(seat) : invitation(seat));
  const instead = h("button", { class: "plain", type: "button", onclick: () => playComputer(room, start).catch(home) }, icon("robot"), t("play.waiting.instead"));
  const cancel = h("button", { class: "plain", type: "button", onclick: async () => (await room.leaveQueue()) && home() }, t("play.cancel"));
  card.append(h("div", { class: "row" }, instead, cancel));
  main.replaceChildren(card);

  const stateOf = () => {
    if (room.link === "offline") return room.problem?.retryAfter ? "later" : "offline";
    if (seat.roomId) return "returning";
    return room.waiting === null ? "connecting" : seat.opponent ?? "session";
  };
  const update = () => {
    const name = stateOf();
    const isLong = QUEUES.has(name) && Date.now() - since >= LONG_MS;
    instead.hidden = !QUEUES.has(name) && name !== "friend";
    instead.className = isLong ? "primary" : "plain";
    const isNamed = Boolean(seat.awaits) && (name === "friend" || name === "agent");
    title.textContent = isNamed ? t("play.waiting.named", { name: isolated(seat.awaits) }) : t(`play.waiting.${name}`);
    const key = isNamed ? `named.${name}` : `${name}.${isLong ? "long" : "text"}`;
    const said = (room.problem && problemText(room.problem)) || t(`play.waiting.${key}`, { place: room.waiting });
    if (text.textContent !== said) text.textContent = said;
    waited.hidden = !QUEUES.has(name);
    waited.textContent = t("play.waiting.since", { time: duration(Math.floor((Date.now() - since) / 1000)) });
  };
  update();
  const timer = setInterval(update, TICK_MS);
  room.addEventListener("change", update);
  return () => {
    clearInterval(timer);
    room.removeEventListener("change", update);
  };
}

/** With the name and the level that the player has chosen before. An invitation stays open meanwhile. */
async function playComputer(room, start) {
  const isInvitation = room.seat.opponent === "friend";
  if (!isInvitation && !(await room.leaveQueue())) return;
  await start({ ...choiceMade(), game: room.game, opponent: "bot", options: room.seat.gameOptions ?? {} });
}

function invitation(seat) {
  const link = `${HOME}/invite/${seat.roomCode}`;
  const shared = { title: "Ludus", text: t("play.invite.text"), url: link };
  const buttons = [h("button", { class: "primary", type: "button", onclick: () => copy(link) }, icon("copy"), t("play.invite.copy"))];
  if (navigator.share) buttons.push(h("button", { class: "plain", type: "button", onclick: () => navigator.share(shared).catch(() => {}) }, icon("share"), t("play.invite.share")));
  return h("div", { class: "invitation" },
    h("p", { class: "muted" }, t("play.invite.code")),
    h("p", { class: "code", "data-code": seat.roomCode }, seat.roomCode),
    h("input", { class: "link", readonly: true, value: link, "aria-label": t("play.invite.link"), onfocus: (event) => event.target.select() }),
    h("div", { class: "row" }, buttons),
    termsOf(seat));
}

const termsOf = (seat) => terms({ ...seat, options: seat.gameOptions });
