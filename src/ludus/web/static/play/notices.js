// What a player must know now: a broken line, an opponent who is gone, an offer, little time, the end.

import { api, h, toast } from "../shell.js";
import { icon } from "../icons.js";
import { has, number, t, word } from "../strings.js";
import { running } from "./countdowns.js";
import { playerName } from "./names.js";

/** Whoever has not answered by then may not want to. */
const ANSWER_MS = 20_000;
/** What rooms call several things alike. */
const FOLDED = new Set(["victory", "draw"]);

/** Each is spoken when it comes. Seconds that count down are only shown here; the speaker says some of them. */
export function notices({ room, home }) {
  const spoken = h("div", { class: "notices", role: "status" });
  const silent = h("div", { class: "counts" });
  let shown = "";
  const found = () => [
    room.link === "offline" && ["offline", () => note("warn", t("play.offline"))],
    room.over && [`over${room.rematch.size}${room.gone}${room.roomId}`, () => ending(room, home)],
    !room.over && passAt(room) >= 0 && [`pass${passAt(room)}`, () => note("", passText(room))],
    !room.over && room.offer && room.offer !== room.playerId && ["offer", () => offer(room)],
    !room.over && room.offer === room.playerId && ["offered", () => note("", t("play.draw.offered"))],
  ].filter(Boolean);

  const tick = () => {
    const now = running(room);
    const isSame = now.map(({ name }) => name).join() === [...silent.children].map((each) => each.dataset.count).join();
    if (!isSame) silent.replaceChildren(...now.map(({ name, kind }) => h("div", { class: `note ${kind}`, "data-count": name })));
    now.forEach(({ text }, at) => {
      if (silent.children[at].textContent !== text) silent.children[at].textContent = text;
    });
  };
  const update = () => {
    const now = found();
    const key = now.map(([name]) => name).join(" ");
    if (key !== shown) renew(spoken, now.map(([, make]) => make()));
    shown = key;
    tick();
  };
  return { element: [spoken, silent], update, tick };
}

/** Whoever was on a button that is no more goes to the first that can be pressed. */
function renew(spoken, notes) {
  const hadFocus = spoken.contains(document.activeElement);
  spoken.replaceChildren(...notes);
  if (hadFocus) spoken.querySelector("button:enabled")?.focus();
}

/** A turn that passes by itself is easily missed: the last one, and one's own a little longer. */
function passAt({ history, playerId }) {
  const isPass = (at, mine) => history[at]?.move.moves?.length === 0 && (!mine || history[at].playerId === playerId);
  const last = history.length - 1;
  return isPass(last, false) ? last : isPass(last - 1, true) ? last - 1 : -1;
}

function passText(room) {
  const at = passAt(room);
  const dice = room.rollAt(at)?.slice(0, 2).join("–") ?? "";
  return t(room.history[at].playerId === room.playerId ? "play.pass.mine" : "play.pass.theirs", { name: playerName(room.opponent), dice });
}

function note(kind, ...content) {
  return h("div", { class: `note ${kind}` }, ...content);
}

function offer(room) {
  const answer = (act) => () => act().catch((error) => toast(error.message, "bad"));
  return note("", h("p", {}, t("play.draw.asked", { name: playerName(room.opponent) })), h("div", { class: "row" },
    h("button", { class: "primary", type: "button", onclick: answer(() => room.acceptDraw()) }, t("play.draw.accept")),
    h("button", { class: "plain", type: "button", onclick: answer(() => room.declineDraw()) }, t("play.draw.decline"))));
}

/** How it ended, and how to go on. */
function ending(room, home) {
  const { winner, points, result } = room.over;
  const outcome = winner === null ? "draw" : winner === room.playerId ? "won" : "lost";
  const again = h("button", { class: room.gone ? "plain" : "primary", type: "button", onclick: () => {
    again.disabled = true;
    room.playAgain().catch((error) => toast(error.message, "bad"));
  } }, icon("again"), t(room.rematch.has(room.opponent?.id) ? "play.rematch.accept" : "play.rematch"));
  again.disabled = room.gone || room.rematch.has(room.playerId);
  const worth = points > 1 ? ` ${t("play.over.worth", { result: word("play.result.", result), points })}` : "";
  return h("section", { class: `ending ${outcome}`, "data-over": outcome },
    h("h2", {}, t(`play.over.${outcome}`)),
    reason(room, outcome, worth),
    rating(room),
    asked(room),
    h("div", { class: "row" }, again, h("button", { class: room.gone ? "primary" : "plain", type: "button", onclick: () => leave(room, home) }, t("play.new"))),
    h("a", { class: "button plain", href: `/matches/${room.roomId}` }, icon("light"), t("play.over.replay")));
}

/** How the game changed the player's rating; most games here change none. */
function rating(room) {
  const line = h("p", { class: "rating", hidden: true });
  const seat = room.players.findIndex((player) => player.id === room.playerId);
  recordOf(room).then(({ ratings }) => {
    const change = ratings?.[seat];
    if (!change) return;
    line.textContent = t("play.over.rating", { rating: number(Math.round(change.after)), change: signed(change.after - change.before) });
    line.hidden = false;
  });
  return line;
}

/** What the house keeps of the game, asked for once; nothing where it cannot be had. */
function recordOf(room) {
  return (room.over.record ??= api(`/web/tables/${room.roomId}`).catch(() => ({})));
}

/** Who would like to play again, or has left; an invitation that nobody answers must not be waited for for ever. */
function asked(room) {
  const name = playerName(room.opponent);
  if (room.gone) return h("p", { "data-gone": "" }, t("play.rematch.gone", { name }));
  const isMine = room.rematch.has(room.playerId);
  if (!isMine && !room.rematch.has(room.opponent?.id)) return null;
  const line = h("p", { class: "muted" }, t(isMine ? "play.rematch.waiting" : "play.rematch.asked", { name }));
  if (!isMine) return line;
  setTimeout(() => { line.textContent = t("play.rematch.silent", { name }); }, ANSWER_MS);
  return line;
}

function leave(room, home) {
  room.close();
  home();
}

/** Why it ended. Rooms know five reasons; which of several a victory or a draw had, only the record says. */
function reason(room, outcome, worth) {
  const told = (name) => t(`play.reason.${name}.${outcome}`, { name: playerName(room.opponent) }) + worth;
  const { reason: known } = room.over;
  if (!FOLDED.has(known)) return h("p", {}, told(known));
  const line = h("p", {}, "\u00a0");
  recordOf(room).then(({ result }) => {
    line.textContent = told(has(`play.reason.${result?.reason}.${outcome}`) ? result.reason : known);
  });
  return line;
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(Math.round(value))}`;
