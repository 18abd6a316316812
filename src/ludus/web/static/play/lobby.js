// The start page: the games as cards, and a choice of opponents. One click plays.

import { makeBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { api, h, store, stored, toast } from "../shell.js";
import { icon } from "../icons.js";
import { LEVELS } from "../levels.js";
import { changePerson, person } from "../person.js";
import { gameName, t, tn } from "../strings.js";
import { KINDS } from "../time-controls.js";
import { optionsChoice } from "./options.js";
import { timeControlChoice } from "./time-control.js";

const OPPONENTS = { bot: "robot", anyone: "people", friend: "person", agent: "light" };
/** The opponents that people can set a clock against, and the kinds of clocks; strangers don't wait for ever. */
const CLOCKS = { anyone: KINDS.filter((kind) => kind !== "none"), friend: KINDS };
const NO_LIMIT = { type: "none" };
const INVITATION = /^[A-Z0-9]{6}$/;
const SEAT = /^[A-Z0-9]{7}$/;
/** Gives the first frame time to be painted. */
const DEMO_MS = 50;
const STORAGE_KEY = "ludus-choice";
/** What the server calls people who have chosen no name. */
const NO_NAME = "Guest";

/** Returns a function that removes the view. */
export function showLobby(main, { start, open, params }) {
  const choice = Object.assign(choiceMade(), choiceIn(params));
  const cards = Object.keys(GAMES).map((game) => gameCard(game, choice, () => go(game)));
  const go = async (game) => {
    rememberChoice(choice);
    hideDemos();
    main.setAttribute("aria-busy", "true");
    cards.forEach((card) => card.querySelector("button").toggleAttribute("disabled", true));
    await start({ ...choice, game, options: GAMES[game].optionsOf(choice.options[game] ?? {}) }).catch(() => cards.forEach((card) => card.querySelector("button").removeAttribute("disabled")));
    main.removeAttribute("aria-busy");
  };
  const counts = h("p", { class: "muted small presence", hidden: true });
  const contests = h("section", { class: "card stack contests", hidden: true });
  main.replaceChildren(h("div", { class: "lobby" },
    h("div", { class: "hello" }, h("h1", {}, t("play.hello")), h("p", { class: "lead" }, t("play.hello.text")), counts),
    opponentChoice(choice),
    h("div", { class: "games" }, cards),
    h("div", { class: "extras" }, nameField(choice), codeForm(open)),
    contests));
  if (params.get("game")) main.querySelector(`[data-game="${CSS.escape(params.get("game"))}"] button`)?.focus();
  const hideDemos = showDemos(cards);
  showPresence(counts, cards);
  import("../tournaments/strip.js").then(({ showTournaments }) => showTournaments(contests)).catch(() => {});  // offline
  return hideDemos;
}

/** How many people are here; it comes after everything that can be used. */
async function showPresence(line, cards) {
  const { playing = 0, waiting = {} } = await api("/web/presence").catch(() => ({}));
  line.textContent = playing ? tn("play.presence.playing", playing) : "";
  line.hidden = !playing;
  for (const card of cards) {
    const count = waiting[card.dataset.game] ?? 0;
    if (count) card.querySelector(".game-text").append(h("p", { class: "good small", "data-waiting": count }, tn("play.presence.waiting", count)));
  }
}

/** The boards on the cards are decoration: they come after everything that can be used. What bots play live for spectators
 * is shown in place of a recording. */
function showDemos(cards) {
  const timers = [];
  const live = new Map();
  let isStopped = false;
  let endExhibitions = () => {};
  const showBoard = async (card) => {
    const game = card.dataset.game;
    const board = makeBoard(game);
    board.toggleAttribute("compact", true);
    const play = await demoOf(game, board);
    card.querySelector(".thumb").append(board);
    if (play && !isStopped) timers.push(setInterval(() => live.get(game) || play.step(), play.pauseMs));
    return [game, board];
  };
  timers.push(setTimeout(async () => {
    const boards = new Map(await Promise.all(cards.map(showBoard)));
    const { exhibitionLink, showExhibitions } = await import("./live-board.js");
    if (isStopped) return;
    endExhibitions = showExhibitions(boards, (game, table) => {
      live.set(game, table);
      const card = cards.find((each) => each.dataset.game === game);
      card.querySelector(".exhibition")?.remove();
      if (table) card.append(exhibitionLink(table));
    });
  }, DEMO_MS));
  return () => {
    isStopped = true;
    timers.forEach(clearTimeout);
    endExhibitions();
  };
}

/** Shows a recorded game on a board, or the starting position if the game has no recording. */
async function demoOf(game, board) {
  const { load, start, unpack } = GAMES[game];
  if (!load.demo) {
    board.position = unpack(start);
    return null;
  }
  const { frames, pauseMs } = await load.demo();
  const shown = frames();
  let at = 0;
  const step = () => {
    Object.assign(board, shown[at]);
    at = (at + 1) % shown.length;
  };
  step();
  return matchMedia("(prefers-reduced-motion: reduce)").matches ? null : { step, pauseMs };
}

/** What the player chose last, here or in another tab. */
export function choiceMade() {
  const choice = { opponent: "bot", level: "easy", name: knownName(), timeControls: {}, options: {}, isRated: false, isPublic: false };
  try {
    const { opponent, level, name, timeControls, options, isRated } = JSON.parse(stored(STORAGE_KEY)) ?? {};
    if (Object.hasOwn(OPPONENTS, opponent)) choice.opponent = opponent;
    if (LEVELS.includes(level)) choice.level = level;
    Object.assign(choice, { name: String(name || knownName()), timeControls: timeControls ?? {}, options: options ?? {}, isRated: isRated === true });
  } catch {
    // not stored by us
  }
  return choice;
}

/** The name that the person has chosen elsewhere. */
const knownName = () => (person()?.name === NO_NAME ? "" : person()?.name ?? "");

/** All but whether anyone may watch: that's asked for each game. */
function rememberChoice({ opponent, level, name, timeControls, options, isRated }) {
  store(STORAGE_KEY, JSON.stringify({ opponent, level, name, timeControls, options, isRated }));
}

/** The opponent and level in a link's parameters, if they are valid. */
function choiceIn(params) {
  const [opponent, level] = [params.get("opponent"), params.get("level")];
  return { ...(Object.hasOwn(OPPONENTS, opponent ?? "") ? { opponent } : {}), ...(LEVELS.includes(level) ? { level } : {}) };
}

/** The game that a link starts, if what it says is complete and valid. */
export function choiceFrom(params) {
  if (!params.get("go") || !Object.hasOwn(GAMES, params.get("game") ?? "")) return null;
  const named = ["opponent", "level"].filter((name) => params.has(name));
  const found = choiceIn(params);
  if (named.some((name) => !(name in found))) return null;
  return { ...choiceMade(), opponent: "bot", level: "easy", options: {}, ...found, game: params.get("game") };
}

function gameCard(game, choice, onclick) {
  const play = h("button", { class: "primary big", type: "button", onclick, "aria-label": t("play.go.game", { game: gameName(game) }) }, icon("run"), t("play.go"));
  return h("article", { class: "card game", "data-game": game },
    h("div", { class: "thumb", onclick: () => play.click() }),
    h("div", { class: "game-text" }, h("h2", {}, gameName(game)), h("p", { class: "muted" }, t(`${game}.tagline`)), studyLinks(game)),
    play, optionsChoice(game, choice.options));
}

function studyLinks(game) {
  const { hasPuzzles, load } = GAMES[game];
  const places = [load.lesson && [`/learn/${game}`, "learn.link"], hasPuzzles && [`/puzzles/${game}/daily`, "puzzles.daily"]].filter(Boolean);
  if (!places.length) return null;
  return h("p", { class: "small row" }, places.map(([href, key]) => h("a", { href, "aria-label": `${t(key)}: ${gameName(game)}` }, t(key))));
}

function opponentChoice(choice) {
  const levels = pills("level", LEVELS, choice.level, (level) => { choice.level = level; });
  const note = h("p", { class: "muted small opponent-note" });
  const clock = h("div", { class: "choice-clock" });
  const rated = check("rated", choice.isRated, (is) => { choice.isRated = is; });
  const watchable = check("public", choice.isPublic, (is) => { choice.isPublic = is; });
  const update = () => {
    const { opponent } = choice;
    levels.hidden = opponent !== "bot";
    note.hidden = opponent === "bot";
    note.textContent = t(`play.opponent.${opponent}.text`);
    rated.hidden = opponent !== "anyone";
    watchable.hidden = opponent !== "friend";
    showClock(clock, choice);
  };
  const who = pills("opponent", Object.keys(OPPONENTS), choice.opponent, (opponent) => { choice.opponent = opponent; update(); }, OPPONENTS);
  update();
  return h("div", { class: "choices" }, who, levels, note, clock, rated, watchable);
}

/** Each kind of opponent has a time control of its own. */
function showClock(place, choice) {
  const { opponent, timeControls } = choice;
  const allowed = CLOCKS[opponent];
  place.hidden = !allowed;
  choice.timeControl = null;
  if (!allowed) return place.replaceChildren();
  const onchange = (value) => { choice.timeControl = timeControls[opponent] = value; };
  const shown = timeControlChoice({ value: timeControls[opponent] ?? (opponent === "friend" ? NO_LIMIT : null), onchange, allowed });
  choice.timeControl = shown.value;
  return place.replaceChildren(shown.element);
}

function check(name, checked, choose) {
  return h("label", { class: "check", "data-check": name },
    h("input", { type: "checkbox", name, checked, onchange: (event) => choose(event.target.checked) }),
    h("span", {}, t(`play.${name}`), " ", h("span", { class: "muted small" }, t(`play.${name}.text`))));
}

/** Radio buttons that look like a row of pills. */
function pills(name, values, chosen, choose, icons = {}) {
  return h("fieldset", { class: `pills pills-${name}` }, h("legend", { class: "visually-hidden" }, t(`play.${name}`)),
    values.map((value) => h("label", {},
      h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) }),
      h("span", {}, icons[value] ? icon(icons[value]) : null, t(`play.${name}.${value}`)))));
}

export function nameField(choice) {
  const oninput = ({ target }) => {
    choice.name = target.value;
    rememberChoice(choice);
  };
  const onchange = () => { if (person() && choice.name.trim()) changePerson({ name: choice.name.trim() }).catch(() => {}); };  // the next game has it too
  return h("label", {}, t("play.name"),
    h("input", { name: "name", maxlength: 40, value: choice.name, placeholder: t("play.name.none"), autocomplete: "nickname", oninput, onchange }));
}

/** Takes the code of an invitation, and of a game that goes on on another device. */
function codeForm(open) {
  const input = h("input", { name: "code", maxlength: 7, required: true, placeholder: "ABC234", autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  const submit = (event) => {
    event.preventDefault();
    const code = input.value.trim().toUpperCase();
    if (SEAT.test(code)) location.hash = `code=${code}`;
    else if (INVITATION.test(code)) open(`/invite/${code}`);
    else toast(t("play.code.short"), "bad");
  };
  return h("form", { class: "code-form", onsubmit: submit }, h("label", {}, t("play.code"), input), h("button", { class: "plain", type: "submit" }, t("play.code.go")));
}
