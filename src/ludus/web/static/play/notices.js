// What a player must know now: a broken line, an opponent who is gone, an offer, little time, the end.

import { api, h, toast } from "../shell.js";
import { icon } from "../icons.js";
import { number, t, word } from "../strings.js";
import { running } from "./countdowns.js";
import { playerName } from "./names.js";

/** Each is spoken when it comes. Seconds that count down are only shown here; the speaker says some of them. */
export function notices({ room, home }) {
  const spoken = h("div", { class: "notices", role: "status" });
  const silent = h("div", { class: "counts" });
  let shown = "";
  const found = () => [
    room.link === "offline" && ["offline", () => note("warn", t("play.offline"))],
    room.over && ["over" + room.rematch.size + room.roomId, () => ending(room, home)],
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
    if (key !== shown) spoken.replaceChildren(...now.map(([, make]) => make()));
    shown = key;
    tick();
  };
  return { element: [spoken, silent], update, tick };
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
  const again = h("button", { class: "primary", type: "button", onclick: () => {
    again.disabled = true;
    room.playAgain().catch((error) => toast(error.message, "bad"));
  } }, icon("again"), t(room.rematch.has(room.opponent?.id) ? "play.rematch.accept" : "play.rematch"));
  again.disabled = room.rematch.has(room.playerId);
  const asked = room.rematch.has(room.playerId) ? t("play.rematch.waiting") : room.rematch.has(room.opponent?.id) ? t("play.rematch.asked", { name: playerName(room.opponent) }) : "";
  const worth = points > 1 ? ` ${t("play.over.worth", { result: word("play.result.", result), points })}` : "";
  return h("section", { class: `ending ${outcome}`, "data-over": outcome },
    h("h2", {}, t(`play.over.${outcome}`)),
    h("p", {}, reasonText(room, outcome) + worth),
    rating(room),
    asked ? h("p", { class: "muted" }, asked) : null,
    h("div", { class: "row" }, again, h("button", { class: "plain", type: "button", onclick: () => leave(room, home) }, t("play.new"))),
    h("a", { class: "button plain", href: `/matches/${room.roomId}` }, icon("light"), t("play.over.replay")));
}

/** How the game changed the player's rating; most games here change none. */
function rating(room) {
  const line = h("p", { class: "rating", hidden: true });
  const seat = room.players.findIndex((player) => player.id === room.playerId);
  api(`/web/tables/${room.roomId}`).then(({ ratings }) => {
    const change = ratings?.[seat];
    if (!change) return;
    line.textContent = t("play.over.rating", { rating: number(Math.round(change.after)), change: signed(change.after - change.before) });
    line.hidden = false;
  }, () => {});
  return line;
}

function leave(room, home) {
  room.close();
  home();
}

function reasonText(room, outcome) {
  const reason = room.game === "backgammon" && room.over.reason === "victory" ? "bearoff" : room.over.reason;
  return t(`play.reason.${reason}.${outcome}`, { name: playerName(room.opponent) });
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(Math.round(value))}`;
