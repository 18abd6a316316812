// One tournament: what it is about, its standings and pairings, and what the visitor can do in it.
import { at } from "../address.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { isolated } from "../isolation.js";
import { LEVELS } from "../levels.js";
import { ask } from "../play/dialog.js";
import { choiceMade, nameField } from "../play/lobby.js";
import { keptSeats } from "../play/seat.js";
import { loadPerson, person } from "../person.js";
import { api, copy, fill, h, lastOf, mount, toast } from "../shell.js";
import { number, t } from "../strings.js";
import { entrantName } from "./entrants.js";
import { bracket, crossTable, draws, roundList, roundName } from "./pairings.js";
import { podium, standings } from "./standings.js";
import { admitted, awaited, badge, countdownText, entered, facts, when } from "./terms.js";
import { takeProblem } from "./unfinished.js";

/** How often the server is asked: by players in a running tournament, by others, and from a hidden tab of a player. */
const PLAYING_MS = 2000;
const LOOKING_MS = 4000;
const HIDDEN_MS = 15_000;
const TICK_MS = 500;
const LATE = new Set(["arena", "swiss"]);
const CROSSED = new Set(["swiss", "round_robin"]);

const id = lastOf(location.pathname);
const path = `/web/tournaments/${encodeURIComponent(id)}`;
const main = mount({ active: "tournaments", title: t("tournaments.title") });
main.classList.add("page");
const announcer = h("p", { class: "visually-hidden", role: "status", "data-announcer": "" });
const trouble = h("p", { class: "note bad", role: "status", hidden: true });
/** Why the tournament isn't what its creator asked for, until they change something. */
const unfinished = h("p", { class: "note bad", role: "alert", hidden: true });
const countdown = h("p", { class: "countdown", role: "timer", hidden: true });
const parts = Object.fromEntries(["head", "mine", "owner", "podium", "standings", "pairings", "table"].map((name) => [name, h("div", { "data-part": name })]));
const drawn = {};
let tournament = null;
/** The round on show; null for the latest. */
let chosen = null;
let timer = null;
/** The number of requests so far: only the latest response counts. */
let asked = 0;

/** Replaces a part if what it shows has changed; the focus stays on what has the same `data-key`. */
function draw(name, facts, make) {
  const now = JSON.stringify(facts);
  if (drawn[name] === now) return;
  drawn[name] = now;
  const key = parts[name].contains(document.activeElement) ? document.activeElement.dataset.key : null;
  parts[name].replaceChildren(...[make()].flat().filter(Boolean));
  parts[name].hidden = !parts[name].hasChildNodes();
  if (key) parts[name].querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
}

function show(found) {
  const before = tournament;
  tournament = found;
  const { version: _, me, standings: places, pairings, ...terms } = found;
  document.title = `${found.name} · Ludus`;
  draw("head", terms, head);
  draw("mine", [me, found.state, found.round, found.entrants, found.admits], mine);
  draw("owner", [me?.isOwner, found.state, found.entrants, places.map(({ player, isIn }) => [player.level, isIn])], owner);
  draw("podium", [found.winner, places.slice(0, 3)], () => podium(found));
  draw("standings", [found.state, places, me?.number], () => found.state === "cancelled" && !places.length ? null : h("section", { class: "card" }, h("h2", {}, t(found.state === "created" ? "tournaments.players" : "tournaments.standings")), standings(found)));
  drawPairings();
  announce(before);
  go();
  tick();
}

function drawPairings() {
  const found = draws(tournament);
  const { system, pairings, standings: places } = tournament;
  const names = places.map(({ number, player, rank, score }) => [number, player, rank, score]);
  draw("pairings", [pairings, names, chosen], () => (pairings.length ? rounds(found) : null));
  draw("table", [pairings, names, tournament.rounds], () => wide(found, system));
}

/** A cross table or a bracket has the whole width. */
function wide(found, system) {
  if (!tournament.pairings.length || !(system === "knockout" || CROSSED.has(system))) return null;
  const title = t(system === "knockout" ? "tournaments.bracket" : "tournaments.cross");
  return h("section", { class: "card" }, h("h2", {}, title), system === "knockout" ? bracket(found) : crossTable(found));
}

function rounds(found) {
  const numbers = [...found.byRound.keys()];
  const shown = numbers.includes(chosen) ? chosen : numbers.at(-1);
  const choose = (round) => {
    chosen = round === numbers.at(-1) ? null : round;
    drawPairings();
  };
  const isArena = tournament.system === "arena";
  const chips = isArena || numbers.length < 2 ? null : h("div", { class: "chips", role: "group", "aria-label": t("tournaments.pick") }, numbers.map((round) =>
    h("button", { class: "chip", type: "button", "data-key": `round-${round}`, "aria-pressed": String(round === shown), "aria-label": t("tournaments.round", { round: number(round) }), onclick: () => choose(round) }, number(round))));
  const title = isArena ? t("tournaments.latest") : tournament.system === "knockout" ? roundName(shown, tournament.rounds) : t("tournaments.round", { round: number(shown) });
  return h("section", { class: "card stack" }, h("h2", {}, title), chips, roundList(found, shown));
}

function head() {
  const { name, admits, system } = tournament;
  return h("div", {},
    h("div", { class: "title-row" }, h("h1", {}, isolated(name)), badge(tournament)),
    h("p", { class: "lead" }, facts(tournament)),
    h("p", { class: "muted small" }, [when(tournament), entered(tournament), admitted(admits)].join(" · ")),
    h("p", { class: "muted small" }, t(`tournaments.system.${system}.text`)));
}

/** The visitor's own part: the way in and out, and to the game. */
function mine() {
  const { me, state, admits, system } = tournament;
  if (me?.game) return h("section", { class: "note good your-game" }, h("p", {}, h("strong", {}, t("tournaments.game"))), h("a", { class: "button", href: `/play/${me.game}`, "data-key": "game" }, icon("run"), t("tournaments.game.go")));
  if (state === "finished" || state === "cancelled") return null;
  if (me?.isIn) {
    const text = t(state === "created" ? "tournaments.in.created" : "tournaments.in.running");
    return h("section", { class: "note mine" }, h("p", {}, text), button("withdraw", "plain", withdraw));
  }
  if (state === "running" && !LATE.has(system)) return null;
  if (!admits.includes("person")) return h("p", { class: "note" }, admitted(admits));
  return joinForm();
}

function joinForm() {
  const choice = choiceMade();
  const join = h("button", { class: "primary big", type: "submit", "data-key": "join" }, icon("run"), t("tournaments.join"));
  const submit = async (event) => {
    event.preventDefault();
    join.disabled = true;
    await act("join", { name: choice.name.trim() });
    if (!person()) loadPerson().catch(() => {});  // the next page asks again
    join.disabled = false;
  };
  return h("form", { class: "card join", onsubmit: submit }, person() ? null : nameField(choice), join);
}

function owner() {
  const { me, state, entrants, standings: places, game } = tournament;
  const isOpen = state === "created";
  if (!me?.isOwner || !(isOpen || state === "running")) return null;
  const present = new Set(places.filter(({ isIn }) => isIn).map(({ player }) => player.level));
  const bots = isOpen && tournament.admits.includes("bot") && game in GAMES ? botChoice(present) : null;
  return h("section", { class: "card stack", "aria-label": t("tournaments.owner") },
    h("h2", {}, t("tournaments.owner")),
    isOpen && entrants < 2 ? h("p", { class: "muted small" }, t("tournaments.start.few")) : null,
    bots,
    h("div", { class: "row" },
      isOpen ? button("start", "primary", () => act("start"), entrants < 2) : null,
      h("button", { class: "plain", type: "button", "data-key": "copy", onclick: () => copy(location.origin + location.pathname) }, icon("copy"), t("tournaments.copy")),
      button("cancel", "danger", cancel)));
}

function botChoice(present) {
  const change = (level) => ({ target }) => (target.checked ? act("bots", { level }) : send(`${path}/bots/${level}`, { method: "DELETE" }));
  return h("fieldset", { class: "group" }, h("legend", {}, t("tournaments.form.bots")), h("div", { class: "checks" }, LEVELS.map((level) =>
    h("label", { class: "check" }, h("input", { type: "checkbox", name: "bots", value: level, "data-key": `bot-${level}`, checked: present.has(level), onchange: change(level) }), t(`play.level.${level}`)))));
}

function button(name, look, onclick, disabled = false) {
  return h("button", { class: look, type: "button", "data-key": name, "data-action": name, disabled, onclick }, t(`tournaments.${name}`));
}

async function withdraw() {
  const isRunning = tournament.state === "running";
  const answer = isRunning ? await ask({ title: t("tournaments.withdraw.title"), text: t("tournaments.withdraw.text"), answers: [["yes", t("tournaments.withdraw"), "danger"], ["", t("tournaments.stay"), "plain"]] }) : "yes";
  if (answer) await act("withdraw");
}

async function cancel() {
  const answer = await ask({ title: t("tournaments.cancel.title"), text: t("tournaments.cancel.text"), answers: [["yes", t("tournaments.cancel"), "danger"], ["", t("tournaments.keep"), "plain"]] });
  if (answer) await act("cancel");
}

const act = (verb, body = {}) => send(`${path}/${verb}`, { body });

/** What the server refuses changes nothing; what it accepts is on show at once. */
async function send(address, options) {
  const own = ++asked;
  try {
    const found = await api(address, options);
    unfinished.hidden = true;
    if (own === asked) show(found);
  } catch (error) {
    toast(error.message, "bad");
    for (const name of ["mine", "owner"]) delete drawn[name];
    show(tournament);
  }
  plan();
}

/** Says what has changed since. */
function announce(before) {
  if (!before) return;
  const { state, round, system, me, winner } = tournament;
  const news = [
    me?.game && me.game !== before.me?.game ? t("tournaments.game") : "",
    state === "finished" && before.state !== state ? winner ? t("tournaments.won", { name: entrantName(winner) }) : t("tournaments.over") : "",
    state === "cancelled" && before.state !== state ? t("tournaments.cancelled") : "",
    state === "running" && system !== "arena" && round !== before.round ? t("tournaments.round.started", { round: number(round) }) : "",
  ].filter(Boolean);
  if (news.length) announcer.textContent = news.join(" ");
}

/** Takes the player to a game that has started, once, if this page is the one they look at. */
function go() {
  const game = tournament.me?.game;
  if (!game) return;
  document.title = `${t("tournaments.game")} · Ludus`;
  const wasThere = Object.hasOwn(keptSeats(), game);
  if (!wasThere && document.visibilityState === "visible") location.assign(at(`/play/${game}`));
}

function tick() {
  const next = awaited(tournament);
  countdown.hidden = !next;
  if (!next) return;
  const text = t(next.key, { time: countdownText(next.at - Date.now()) });
  if (countdown.textContent !== text) countdown.textContent = text;
}

async function refresh() {
  const own = ++asked;
  try {
    const found = await api(path);
    if (own === asked) show(found);
    trouble.hidden = true;
  } catch (error) {
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
  if (own === asked) plan();
}

/** Asks again after a while, as long as something can change. */
function plan() {
  clearTimeout(timer);
  const { state, me } = tournament;
  if (state === "finished" || state === "cancelled") return;
  const isHidden = document.visibilityState !== "visible";
  if (isHidden && !me?.isIn) return;
  timer = setTimeout(refresh, isHidden ? HIDDEN_MS : me?.isIn ? PLAYING_MS : LOOKING_MS);
}

await fill(main, async () => {
  const found = await api(path);
  main.replaceChildren(parts.head, countdown, announcer, trouble, unfinished, parts.mine, parts.owner, parts.podium, h("div", { class: "columns" }, parts.standings, parts.pairings), parts.table);
  unfinished.textContent = takeProblem(id);
  unfinished.hidden = !unfinished.textContent;
  show(found);
  plan();
  setInterval(tick, TICK_MS);
  document.addEventListener("visibilitychange", () => (document.visibilityState === "visible" ? refresh() : plan()));
});
