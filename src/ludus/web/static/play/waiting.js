// The waiting view: in the queue, for a friend with a code, or for a connection.

import { HOME } from "../address.js";
import { copy, h } from "../shell.js";
import { icon } from "../icons.js";
import { problemText, t } from "../strings.js";

/** Returns a function that removes the view. */
export function showWaiting(main, room, { home, start }) {
  const text = h("p", { class: "lead", role: "status" });
  const title = h("h1", {}, t("play.connecting"));
  const card = h("section", { class: "card waiting" }, h("div", { class: "spinner", "aria-hidden": "true" }), title, text);
  const { roomCode, opponent } = room.seat;
  const isReturning = Boolean(room.seat.roomId);
  if (roomCode && opponent === "friend") card.append(invitation(roomCode));
  const leave = (then) => async () => (await room.leaveQueue()) && then();
  const instead = h("button", { class: "plain", type: "button", onclick: leave(() => start({ game: room.game, opponent: "bot", level: "easy", name: "" }).catch(home)) }, icon("robot"), t("play.waiting.instead"));
  card.append(h("div", { class: "row" }, instead, h("button", { class: "plain", type: "button", onclick: leave(home) }, t("play.cancel"))));
  main.replaceChildren(card);

  const update = () => {
    const name = room.link === "offline" ? (room.problem?.retryAfter ? "later" : "offline") : isReturning ? "returning" : room.waiting === null ? "connecting" : opponent ?? "anybody";
    instead.hidden = !["anybody", "agent"].includes(name);
    title.textContent = t(`play.waiting.${name}`);
    text.textContent = name === "anybody" ? t("play.waiting.place", { place: room.waiting }) : (room.problem && problemText(room.problem)) || t(`play.waiting.${name}.text`);
  };
  update();
  room.addEventListener("change", update);
  return () => room.removeEventListener("change", update);
}

function invitation(code) {
  const link = `${HOME}/?room=${code}`;
  const shared = { title: "Ludus", text: t("play.invite.text"), url: link };
  const buttons = [h("button", { class: "primary", type: "button", onclick: () => copy(link) }, icon("copy"), t("play.invite.copy"))];
  if (navigator.share) buttons.push(h("button", { class: "plain", type: "button", onclick: () => navigator.share(shared).catch(() => {}) }, icon("share"), t("play.invite.share")));
  return h("div", { class: "invitation" },
    h("p", { class: "muted" }, t("play.invite.code")),
    h("p", { class: "code", "data-code": code }, code),
    h("input", { class: "link", readonly: true, value: link, "aria-label": t("play.invite.link"), onfocus: (event) => event.target.select() }),
    h("div", { class: "row" }, buttons));
}
