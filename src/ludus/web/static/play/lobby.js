// The start: two games as cards, and whom to play. One click plays.

import { h, keep } from "../shell.js";
import { icon } from "../icons.js";
import { t } from "../strings.js";

const GAMES = ["checkers", "backgammon"];
export const OPPONENTS = { bot: "robot", anybody: "people", friend: "person", agent: "light" };
export const LEVELS = ["easy", "medium", "hard"];
/** Time for the first frame. */
const DEMO_MS = 50;
const KEPT = "ludus-choice";

/** Returns what takes the view away again. */
export function showLobby(main, { start, asked }) {
  const choice = remembered(asked);
  const code = asked.get("room");
  const cards = GAMES.map((game) => gameCard(game, code ? "plain" : "primary", () => go({ game })));
  // What is asked for once, as a friend's code, is no part of the choice.
  const go = async (what) => {
    keep(KEPT, JSON.stringify({ opponent: choice.opponent, level: choice.level, name: choice.name }));
    hideDemos();
    main.setAttribute("aria-busy", "true");
    cards.forEach((card) => card.querySelector("button").toggleAttribute("disabled", true));
    await start({ ...choice, ...what }).catch(() => cards.forEach((card) => card.querySelector("button").removeAttribute("disabled")));
    main.removeAttribute("aria-busy");
  };
  const games = [opponentChoice(choice), h("div", { class: "games" }, cards)];
  main.replaceChildren(h("div", { class: "lobby" }, ...(code ? invited(choice, code, games, go) : welcome(choice, games, go))));
  if (code) main.querySelector(".invited input[name=name]").focus();
  else if (asked.get("game")) main.querySelector(`[data-game="${CSS.escape(asked.get("game"))}"] button`)?.focus();
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

/** For whoever follows a friend's link: the friend first. */
function invited(choice, code, games, go) {
  const form = codeForm({ class: "join-form", label: t("play.invited.code"), look: "primary big", code }, go);
  form.prepend(nameField(choice));
  return [
    h("section", { class: "card invited" }, h("h1", {}, t("play.invited")), h("p", { class: "lead" }, t("play.invited.text")), form),
    h("h2", { class: "other" }, t("play.invited.other")),
    ...games,
  ];
}

/** The boards on the cards are only for the eye: they come when everything that can be used is drawn. */
function showDemos(cards) {
  let stop = () => {};
  const timer = setTimeout(async () => {
    const { demo } = await import("./demo.js");
    const demos = GAMES.map((game) => demo(game));
    stop = () => demos.forEach((each) => each.stop());
    demos.forEach(({ board }, at) => cards[at].querySelector(".thumb").append(board));
    if (!cards[0].isConnected) stop();
  }, DEMO_MS);
  return () => { clearTimeout(timer); stop(); };
}

function remembered(asked) {
  const choice = { opponent: "bot", level: "easy", name: "" };
  try {
    Object.assign(choice, JSON.parse(localStorage.getItem(KEPT)));
  } catch {
    // nothing kept, or not by us
  }
  if (Object.hasOwn(OPPONENTS, asked.get("opponent"))) choice.opponent = asked.get("opponent");
  if (LEVELS.includes(asked.get("level"))) choice.level = asked.get("level");
  if (!Object.hasOwn(OPPONENTS, choice.opponent)) choice.opponent = "bot";
  if (!LEVELS.includes(choice.level)) choice.level = "easy";
  return choice;
}

function gameCard(game, look, onclick) {
  const play = h("button", { class: `${look} big`, type: "button", onclick, "aria-label": t("play.go.game", { game: t(`play.${game}`) }) }, icon("run"), t("play.go"));
  return h("article", { class: "card game", "data-game": game },
    h("div", { class: "thumb", onclick: () => play.click() }),
    h("div", { class: "game-text" }, h("h2", {}, t(`play.${game}`)), h("p", { class: "muted" }, t(`play.${game}.text`))),
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

/** One of several, as radio buttons that look like a row of pills. */
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
