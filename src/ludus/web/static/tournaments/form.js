// The form for a new tournament.
import { at } from "../address.js";
import { GAMES } from "../games/index.js";
import { LEVELS } from "../levels.js";
import { choiceMade, nameField } from "../play/lobby.js";
import { optionsChoice } from "../play/options.js";
import { timeControlChoice } from "../play/time-control.js";
import { changePerson, person } from "../person.js";
import { api, h } from "../shell.js";
import { gameName, t, tn } from "../strings.js";
import { KINDS as CLOCKS } from "../time-controls.js";
import { KINDS, SYSTEMS } from "./terms.js";
import { leaveProblem } from "./unfinished.js";

const MOST = { arena: 256, swiss: 256, round_robin: 32, knockout: 256 };
const MOST_ROUNDS = { swiss: 15, round_robin: 4 };
const USUAL = 64;
const MINUTES = [15, 30, 60, 90, 120, 180];
const TIME_CONTROL = { type: "fischer", seconds: 300, increment: 3 };
const STARTS = ["owner", "now", "time", "full"];
/** The first start that is offered: in so many minutes, rounded up to five. */
const AHEAD_MS = 15 * 60_000;
const FIVE_MS = 5 * 60_000;
const MAX_NAME = 60;

/** `close` hides the form. */
export function createForm({ game, close }) {
  const choice = choiceMade();
  const options = {};
  const name = h("input", { name: "title", maxlength: MAX_NAME, autocomplete: "off" });
  const games = select("game", Object.keys(GAMES).map((each) => [each, gameName(each)]), game);
  const systems = radios("system", SYSTEMS, (system) => [t(`tournaments.system.${system}`), t(`tournaments.system.${system}.text`)]);
  const rounds = h("select", { name: "rounds", autocomplete: "off" });
  const minutes = select("minutes", MINUTES.map((each) => [each, tn("tournaments.minutes", each)]), 60);
  const control = timeControlChoice({ game, value: TIME_CONTROL, allowed: CLOCKS.filter((kind) => kind !== "none") });
  const rated = h("input", { type: "checkbox", name: "rated" });
  const admits = checks("admits", KINDS.map((kind) => [kind, t(`tournaments.admits.${kind}`)]), KINDS);
  const bots = checks("bots", LEVELS.map((level) => [level, t(`play.level.${level}`)]), []);
  const most = h("input", { type: "number", name: "max", min: 2, required: true, inputmode: "numeric", value: USUAL });
  const starts = select("starts", STARTS.map((each) => [each, t(`tournaments.form.start.${each}`)]), "owner");
  const time = h("input", { type: "datetime-local", name: "time", value: localTime(Math.ceil((Date.now() + AHEAD_MS) / FIVE_MS) * FIVE_MS) });
  const plays = h("input", { type: "checkbox", name: "plays", checked: true });
  const problem = h("p", { class: "note bad", role: "alert", hidden: true });
  const own = h("div", {});
  const parts = {
    rounds: h("label", {}, h("span", { class: "rounds-title" }), rounds),
    minutes: h("label", {}, t("tournaments.form.minutes"), minutes),
    time: h("label", {}, t("tournaments.form.time"), time),
    bots: group(t("tournaments.form.bots"), bots.element),
  };

  const system = () => systems.value;
  const update = () => {
    const isArena = system() === "arena";
    name.placeholder = suggestion();
    parts.minutes.hidden = !isArena;
    parts.rounds.hidden = !(system() in MOST_ROUNDS);
    if (!parts.rounds.hidden) offerRounds(parts.rounds, rounds, system());
    most.max = MOST[system()];
    if (Number(most.value) > MOST[system()]) most.value = MOST[system()];
    control.allow(CLOCKS.filter((kind) => kind !== "none" && !(isArena && kind === "correspondence")), games.value);
    parts.time.hidden = starts.value !== "time";
    time.required = !parts.time.hidden;
    parts.bots.hidden = !admits.value.includes("bot");
  };
  const suggestion = () => t("tournaments.form.suggestion", { game: gameName(games.value), system: t(`tournaments.system.${system()}`) });
  const showOptions = () => own.replaceChildren(...[optionsChoice(games.value, options)].filter(Boolean));
  const refuse = (text) => {
    problem.textContent = text;
    problem.hidden = !text;
    if (text) problem.scrollIntoView({ block: "nearest" });
  };

  const body = () => ({
    name: name.value.trim() || suggestion(), game: games.value, system: system(), timeControl: control.value, rated: rated.checked,
    admits: admits.value, maxEntrants: Number(most.value), startsWhenFull: starts.value === "full",
    ...(parts.rounds.hidden ? {} : { rounds: Number(rounds.value) }),
    ...(parts.minutes.hidden ? {} : { minutes: Number(minutes.value) }),
    ...(starts.value === "time" ? { startsAt: new Date(time.value).toISOString() } : {}),
    ...GAMES[games.value].optionsOf(options[games.value] ?? {}),
  });
  const send = h("button", { class: "primary", type: "submit" }, t("tournaments.create"));
  const submit = async (event) => {
    event.preventDefault();
    const added = parts.bots.hidden ? [] : bots.value;
    const isIn = plays.checked && admits.value.includes("person");
    if (!admits.value.length) return refuse(t("tournaments.form.nobody"));
    if (starts.value === "now" && added.length + (isIn ? 1 : 0) < 2) return refuse(t("tournaments.form.few"));
    refuse("");
    send.disabled = true;
    try {
      location.assign(at(`/tournaments/${await made(body(), { added, isIn, name: choice.name.trim(), isNow: starts.value === "now" })}`));
    } catch (error) {
      refuse(error.message);
      send.disabled = false;
    }
    return null;
  };
  const form = h("form", { class: "card stack tournament-form", onsubmit: submit, "aria-labelledby": "form-title" },
    h("h2", { id: "form-title" }, t("tournaments.create")),
    h("div", { class: "fields" }, h("label", {}, t("tournaments.form.name"), name), h("label", {}, t("games.game"), games)),
    own,
    group(t("tournaments.form.system"), systems.element),
    h("div", { class: "fields" }, control.element, h("div", { class: "stack" }, parts.minutes, parts.rounds, h("label", {}, t("tournaments.form.max"), most))),
    h("label", { class: "check" }, rated, h("span", { class: "labelled" }, t("tournaments.form.rated"), h("span", { class: "muted small" }, t("tournaments.form.rated.text")))),
    group(t("tournaments.form.admits"), admits.element),
    parts.bots,
    h("div", { class: "fields" }, h("label", {}, t("tournaments.form.start"), starts), parts.time),
    h("label", { class: "check" }, plays, t("tournaments.form.plays")),
    person() ? null : nameField(choice),
    problem,
    h("div", { class: "row" }, send, h("button", { class: "plain", type: "button", onclick: close }, t("play.cancel"))));
  form.addEventListener("change", update);
  games.addEventListener("change", showOptions);
  showOptions();
  update();
  return form;
}

/** Creates the tournament with those who are in it from the beginning; returns its id. Once it exists, its page shows
 * what failed: the form would make another one. */
async function made(body, { added, isIn, name, isNow }) {
  if (!person() && name) await changePerson({ name });
  const { id } = await api("/web/tournaments", { body });
  const path = `/web/tournaments/${id}`;
  try {
    if (isIn) await api(`${path}/join`, { body: {} });
    for (const level of added) await api(`${path}/bots`, { body: { level } });
    if (isNow) await api(`${path}/start`, { body: {} });
  } catch (error) {
    leaveProblem(id, error.message);
  }
  return id;
}

function offerRounds(label, rounds, system) {
  label.firstElementChild.textContent = t(`tournaments.form.rounds.${system}`);
  if (rounds.dataset.system === system) return;
  rounds.dataset.system = system;
  const counts = Array.from({ length: MOST_ROUNDS[system] }, (_, index) => index + 1);
  const text = (count) => tn(system === "swiss" ? "tournaments.rounds" : "tournaments.times", count);
  rounds.replaceChildren(...(system === "swiss" ? [h("option", { value: 0 }, t("tournaments.form.rounds.fit"))] : []), ...counts.map((count) => h("option", { value: count }, text(count))));
}

const group = (title, content) => h("fieldset", { class: "group" }, h("legend", {}, title), content);

function select(name, values, chosen) {
  return h("select", { name, autocomplete: "off" }, values.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

/** Radio buttons with a sentence each; the first one is chosen. */
function radios(name, values, textOf) {
  const inputs = values.map((value, index) => h("input", { type: "radio", name, value, checked: index === 0, "aria-labelledby": `${name}-${value}`, "aria-describedby": `${name}-${value}-text` }));
  const element = h("div", { class: "systems" }, inputs.map((input) => {
    const [title, text] = textOf(input.value);
    return h("label", { class: "system" }, input, h("span", {}, h("strong", { id: `${name}-${input.value}` }, title), h("span", { class: "muted small", id: `${name}-${input.value}-text` }, text)));
  }));
  return { element, get value() { return inputs.find((input) => input.checked).value; } };
}

function checks(name, values, chosen) {
  const inputs = values.map(([value]) => h("input", { type: "checkbox", name, value, checked: chosen.includes(value) }));
  const element = h("div", { class: "checks" }, inputs.map((input, index) => h("label", { class: "check" }, input, values[index][1])));
  return { element, get value() { return inputs.filter((input) => input.checked).map((input) => input.value); } };
}

/** As the field wants it: without a zone, in the visitor's own. */
function localTime(ms) {
  const moment = new Date(ms);
  return new Date(ms - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
