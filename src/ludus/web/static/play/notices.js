// Notices for the player: a lost connection, an absent opponent, a draw offer, a countdown, the end.

import { GAMES } from "../games/index.js";
import { api, h, toast } from "../shell.js";
import { icon } from "../icons.js";
import { gameWord, has, number, problemText, t, tn } from "../strings.js";
import { runningCountdowns } from "./countdowns.js";
import { offlineText } from "./leaving.js";
import { partLine } from "./moves.js";
import { playerName } from "./names.js";

/** After this, an unanswered rematch offer may never be answered. */
const ANSWER_MS = 20_000;
/** Reasons that stand for several; the record has the exact one. */
const VAGUE = new Set(["victory", "draw"]);

/** Each notice is announced when it appears. Countdowns are silent here; the announcer speaks a few of their seconds. */
export function notices({ room, home, search, tournament, board }) {
  const announced = h("div", { class: "notices", role: "status" });
  const countdowns = h("div", { class: "counts" });
  let shown = "";
  const found = () => [
    (room.problem || room.link === "offline") && [`link${room.problem?.code ?? ""}`, () => note("warn", room.problem ? problemText(room.problem) : offlineText(room))],
    room.over && [`over${room.rematch.size}${room.gone}${room.roomId}`, () => ending({ room, home, search, tournament, board })],
    !room.over && partAt(room) >= 0 && [`part${partAt(room)}`, () => partNote(room)],
    !room.over && passAt(room) >= 0 && [`pass${passAt(room)}`, () => note("", passText(room))],
    !room.over && room.resignOffer && [`resign${room.resignOffer.playerId}${room.resignOffer.points}`, () => resignation(room)],
    !room.over && room.offer && room.offer !== room.playerId && ["offer", () => offer(room)],
    !room.over && room.offer === room.playerId && ["offered", () => note("", t("play.draw.offered"))],
  ].filter(Boolean);

  const tick = () => {
    const now = runningCountdowns(room);
    const isSame = now.map(({ name }) => name).join() === [...countdowns.children].map((each) => each.dataset.count).join();
    if (!isSame) countdowns.replaceChildren(...now.map(({ name, kind }) => h("div", { class: `note ${kind}`, "data-count": name })));
    now.forEach(({ text }, at) => {
      if (countdowns.children[at].textContent !== text) countdowns.children[at].textContent = text;
    });
  };
  const update = () => {
    const now = found();
    const key = now.map(([name]) => name).join(" ");
    if (key !== shown) replaceNotices(announced, now.map(([, make]) => make()));
    shown = key;
    tick();
  };
  return { element: [announced, countdowns], update, tick };
}

/** If the focused button is gone, the first enabled one gets the focus. */
function replaceNotices(announced, notes) {
  const hadFocus = announced.contains(document.activeElement);
  announced.replaceChildren(...notes);
  if (hadFocus) announced.querySelector("button:enabled")?.focus();
}

/** The index of a passed turn to point out, which is easily missed: the last one, or one's own before that. */
function passAt({ game, history, playerId }) {
  const news = history.filter(({ move }) => !GAMES[game].isQuiet(move));
  const isPass = (at, mine) => news[at] && GAMES[game].isPass(news[at].move) && (!mine || news[at].playerId === playerId);
  const last = news.length - 1;
  return history.indexOf(isPass(last, false) ? news[last] : isPass(last - 1, true) ? news[last - 1] : null);
}

function passText(room) {
  const at = passAt(room);
  const dice = room.history[at].dice?.slice(0, 2).join("–") ?? "";
  return t(room.history[at].playerId === room.playerId ? "play.pass.mine" : "play.pass.theirs", { name: playerName(room.opponent), dice });
}

/** The index of the move that ended the last game of a match, until the player has made a move in the next one. */
function partAt({ history, playerId, game }) {
  const last = history.findLastIndex(({ ended }) => ended);
  return history.slice(last + 1).some((entry) => entry.playerId === playerId && !GAMES[game].isQuiet(entry.move)) ? -1 : last;
}

function partNote(room) {
  const ended = room.history.filter((entry) => entry.ended);
  return h("div", { class: "note", "data-part": ended.length }, h("p", {}, partLine(room, ended.at(-1).ended, ended.length)), h("p", { class: "series" }, matchScore(room)));
}

/** The score of a match: "You 2 – 1 Ann". */
function matchScore(room) {
  const score = (player) => GAMES[room.game].scoreOf(room.position, player.color);
  return t("play.series", { mine: score(room.me), theirs: score(room.opponent), name: playerName(room.opponent) });
}

/** An offer to resign, for both sides. */
function resignation(room) {
  const { playerId, points } = room.resignOffer;
  const kind = tn(`${room.game}.resign.${points}`, GAMES[room.game].pointsOf(room.position, points));
  if (playerId === room.playerId) return note("", t("play.resign.offered", { kind }));
  const answer = (act) => () => act().catch((error) => toast(problemText(error), "bad"));
  return note("", h("p", {}, t("play.resign.asked", { name: playerName(room.opponent), kind })), h("div", { class: "row" },
    h("button", { class: "primary", type: "button", "data-resign": "accept", onclick: answer(() => room.acceptResignation()) }, t("play.draw.accept")),
    h("button", { class: "plain", type: "button", "data-resign": "decline", onclick: answer(() => room.declineResignation()) }, t("play.resign.refuse"))));
}

function note(kind, ...content) {
  return h("div", { class: `note ${kind}` }, ...content);
}

function offer(room) {
  const answer = (act) => () => act().catch((error) => toast(problemText(error), "bad"));
  return note("", h("p", {}, t("play.draw.asked", { name: playerName(room.opponent) })), h("div", { class: "row" },
    h("button", { class: "primary", type: "button", onclick: answer(() => room.acceptDraw()) }, t("play.draw.accept")),
    h("button", { class: "plain", type: "button", onclick: answer(() => room.declineDraw()) }, t("play.draw.decline"))));
}

/** The result, and what to do next. */
function ending({ room, home, search, tournament, board }) {
  showDecision(room, board);
  const { winner, points, result } = room.over;
  const outcome = winner === null ? "draw" : winner === room.playerId ? "won" : "lost";
  const isCancelled = room.over.reason === "cancelled";
  const score = GAMES[room.game].scoreOf(room.position, room.color);
  const again = h("button", { class: room.gone ? "plain" : "primary", type: "button", onclick: () => {
    again.disabled = true;
    room.offerRematch().catch((error) => toast(problemText(error), "bad"));
  } }, icon("again"), t(room.rematch.has(room.opponent?.id) ? "play.rematch.accept" : "play.rematch"));
  again.disabled = room.gone || room.rematch.has(room.playerId);
  const worth = points > 1 && score === null ? ` ${t("play.over.worth", { result: gameWord(room.game, "result.", result), points })}` : "";
  return h("section", { class: `ending ${outcome}`, "data-over": outcome },
    h("h2", {}, t(`play.over.${isCancelled ? "cancelled" : score === null ? outcome : `match.${outcome}`}`)),
    score === null ? null : h("p", { class: "series", "data-score": "" }, matchScore(room)),
    reason(room, outcome, worth),
    rating(room),
    seriesScore(room),
    tournament ? null : rematchStatus(room),
    h("div", { class: "row" }, tournament ? h("a", { class: "button", href: tournament, "data-action": "tournament" }, icon("tournaments"), t("play.over.tournament")) : [again, nextGame(room, home, search)]),
    h("a", { class: "button plain", href: `/matches/${room.roomId}` }, icon("light"), t("play.over.replay")));
}

/** Against strangers, the search for the next one; otherwise the way to the start page. */
function nextGame(room, home, search) {
  const find = async () => {
    next.disabled = true;
    await search().then(() => room.close(), () => { next.disabled = false; });
  };
  const next = h("button", { class: room.gone ? "primary" : "plain", type: "button", "data-action": "next", onclick: search ? find : () => leave(room, home) },
    t(search ? "play.new.opponent" : "play.new"));
  return next;
}

/** Rings on the board what decided the game: the pieces that are blocked, or the tray that is full. */
function showDecision(room, board) {
  const winner = room.players.find(({ id }) => id === room.over.winner)?.color;
  const loser = room.players.find(({ id }) => winner && id !== room.over.winner)?.color;
  recordOf(room).then(({ result }) => {
    if (room.over && result) board.point?.(GAMES[room.game].decidingPlaces({ position: room.position, reason: result.reason, winner, loser }), { ms: Infinity });
  });
}

/** The score over rematches: "You 2 – 1 Ann". A draw is half a point for each. */
function seriesScore(room) {
  if (!room.series) return null;
  const own = room.players.findIndex(({ id }) => id === room.playerId);
  const score = (seat) => number(room.series.wins[seat] + room.series.draws / 2);
  return h("p", { class: "series" }, t("play.series", { mine: score(own), theirs: score(1 - own), name: playerName(room.opponent) }));
}

/** The player's rating change, if the game was rated. */
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

/** The game's record, fetched once; empty if it isn't available. */
function recordOf(room) {
  return (room.over.record ??= api(`/web/tables/${room.roomId}`).catch(() => ({})));
}

/** Who wants a rematch or has left. After a while without an answer, it suggests not to wait any longer. */
function rematchStatus(room) {
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

/** Why the game ended. Rooms send few reasons; the record says which kind of victory or draw it was. */
function reason(room, outcome, worth) {
  const keyOf = (name) => [`${room.game}.over.${name}.${outcome}`, `play.reason.${name}.${outcome}`].find(has);
  const sentence = (key) => (key ? t(key, { name: playerName(room.opponent) }) : "") + worth;
  const { reason: known } = room.over;
  if (!VAGUE.has(known)) return h("p", {}, sentence(keyOf(known)));
  const line = h("p", {}, "\u00a0");
  recordOf(room).then(({ result }) => { line.textContent = sentence(keyOf(result?.reason) ?? keyOf(known)); });
  return line;
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(Math.round(value))}`;
