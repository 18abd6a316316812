// The start page: the games as cards, and a choice of opponents. One click plays.

import { makeBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { h, store } from "../shell.js";
import { icon } from "../icons.js";
import { LEVELS } from "../levels.js";
import { gameName, t } from "../strings.js";

export const OPPONENTS = { bot: "robot", anybody: "people", friend: "person", agent: "light" };
/** Gives the first frame time to be painted. */
const DEMO_MS = 50;
const STORAGE_KEY = "ludus-choice";

/** Returns a function that removes the view. */
export function showLobby(main, { start, params }) {
  const choice = remembered(params);
  const code = params.get("room");
  const cards = Object.keys(GAMES).map((game) => gameCard(game, code ? "plain" : "primary", () => go({ game })));
  // A friend's code isn't part of the choice to remember.
  const go = async (what) => {
    store(STORAGE_KEY, JSON.stringify({ opponent: choice.opponent, level: choice.level, name: choice.name }));
    hideDemos();
    main.setAttribute("aria-busy", "true");
    cards.forEach((card) => card.querySelector("button").toggleAttribute("disabled", true));
    await start({ ...choice, ...what }).catch(() => cards.forEach((card) => card.querySelector("button").removeAttribute("disabled")));
    main.removeAttribute("aria-busy");
  };
  const games = [opponentChoice(choice), h("div", { class: "games" }, cards)];
  main.replaceChildren(h("div", { class: "lobby" }, ...(code ? invited(choice, code, games, go) : welcome(choice, games, go))));
  if (code) main.querySelector(".invited input[name=name]").focus();
  else if (params.get("game")) main.querySelector(`[data-game="${CSS.escape(params.get("game"))}"] button`)?.focus();
  const hideDemos = showDemos(cards);
  return hideDemos;
}

function welcome(choice, games, go) {
  return [
    h("div", { class: "hello" }, h("h1", {}, t("play.hello")), h("p", { class: "lead" }, t("play.hello.text"))),
    ...games,
    h("div", { class: "extras" }, nameField(choice), codeForm({ class: "code-form", label: t("play.code"), look: "plain" }, go)),
  ];
}

/** The view for people who follow a friend's link. */
function invited(choice, code, games, go) {
  const form = codeForm({ class: "join-form", label: t("play.invited.code"), look: "primary big", code }, go);
  form.prepend(nameField(choice));
  return [
    h("section", { class: "card invited" }, h("h1", {}, t("play.invited")), h("p", { class: "lead" }, t("play.invited.text")), form),
    h("h2", { class: "other" }, t("play.invited.other")),
    ...games,
  ];
}

/** The boards on the cards are decoration: they come after everything that can be used. */
function showDemos(cards) {
  const timers = [];
  let isStopped = false;
  timers.push(setTimeout(() => cards.forEach(async (card) => {
    const game = card.dataset.game;
    const board = makeBoard(game);
    board.toggleAttribute("compact", true);
    const play = await demoOf(game, board);
    card.querySelector(".thumb").append(board);
    if (play && !isStopped) timers.push(setInterval(play.step, play.pauseMs));
  }), DEMO_MS));
  return () => {
    isStopped = true;
    timers.forEach(clearTimeout);
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

function remembered(params) {
  const choice = { opponent: "bot", level: "easy", name: "" };
  try {
    Object.assign(choice, JSON.parse(localStorage.getItem(STORAGE_KEY)));
  } catch {
    // nothing stored, or not by us
  }
  if (Object.hasOwn(OPPONENTS, params.get("opponent"))) choice.opponent = params.get("opponent");
  if (LEVELS.includes(params.get("level"))) choice.level = params.get("level");
  if (!Object.hasOwn(OPPONENTS, choice.opponent)) choice.opponent = "bot";
  if (!LEVELS.includes(choice.level)) choice.level = "easy";
  return choice;
}

function gameCard(game, look, onclick) {
  const play = h("button", { class: `${look} big`, type: "button", onclick, "aria-label": t("play.go.game", { game: gameName(game) }) }, icon("run"), t("play.go"));
  return h("article", { class: "card game", "data-game": game },
    h("div", { class: "thumb", onclick: () => play.click() }),
    h("div", { class: "game-text" }, h("h2", {}, gameName(game)), h("p", { class: "muted" }, t(`${game}.tagline`))),
    play);
}

function opponentChoice(choice) {
  const levels = pills("level", LEVELS, choice.level, (level) => { choice.level = level; });
  const note = h("p", { class: "muted small opponent-note" });
  const update = () => {
    levels.hidden = choice.opponent !== "bot";
    note.hidden = choice.opponent === "bot";
    note.textContent = t(`play.opponent.${choice.opponent}.text`);
  };
  const who = pills("opponent", Object.keys(OPPONENTS), choice.opponent, (opponent) => { choice.opponent = opponent; update(); }, OPPONENTS);
  update();
  return h("div", { class: "choices" }, who, levels, note);
}

/** Radio buttons that look like a row of pills. */
function pills(name, values, chosen, choose, icons = {}) {
  return h("fieldset", { class: `pills pills-${name}` }, h("legend", { class: "visually-hidden" }, t(`play.${name}`)),
    values.map((value) => h("label", {},
      h("input", { type: "radio", name, value, checked: value === chosen, onchange: () => choose(value) }),
      h("span", {}, icons[value] ? icon(icons[value]) : null, t(`play.${name}.${value}`)))));
}

function nameField(choice) {
  return h("label", {}, t("play.name"),
    h("input", { name: "name", maxlength: 40, value: choice.name, placeholder: t("play.name.none"), autocomplete: "nickname", oninput: (event) => { choice.name = event.target.value; } }));
}

function codeForm({ class: name, label, look, code = "" }, go) {
  const input = h("input", { name: "code", maxlength: 6, required: true, value: code, placeholder: "ABC234", autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  const submit = (event) => {
    event.preventDefault();
    go({ opponent: "code", code: input.value.trim().toUpperCase() });
  };
  return h("form", { class: name, onsubmit: submit }, h("label", {}, label, input), h("button", { class: look, type: "submit" }, t("play.join")));
}
