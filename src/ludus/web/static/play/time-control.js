// The choice of a time control: presets and custom values.
import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { t } from "../strings.js";
import { BOUNDS, KINDS, isSame, isValid, keyOf, timeControlName, timeControlText } from "../time-controls.js";

const CUSTOM = "custom";
const PRESETS = [
  { type: "none" },
  { type: "fischer", seconds: 180, increment: 2 },
  { type: "fischer", seconds: 300, increment: 3 },
  { type: "fischer", seconds: 600, increment: 5 },
  { type: "move", seconds: 15 },
  { type: "correspondence", days: 1 },
];
/** The initial values of the custom fields. */
const FIRST = { seconds: 300, increment: 5, delay: 12, days: 2 };
const MOVE_SECONDS = 30;

/** The presets of all games, or of one: a game may have some of its own, which come after the common ones. */
export function presets(game = null) {
  const own = (game ? [GAMES[game]] : Object.values(GAMES)).flatMap((each) => each.timeControls ?? []);
  const found = [...PRESETS];
  for (const each of own) if (!found.some((other) => isSame(each, other))) found.splice(-2, 0, each);
  return found;
}

/** `value` is a time control as the server takes it; `allowed` are the kinds to choose from. `onchange` is called with each
 * new value. Returns `{element, value, allow(kinds, game)}`. */
export function timeControlChoice({ value = null, onchange = () => {}, allowed = KINDS, game = null } = {}) {
  let chosen = isValid(value) ? value : null;
  const note = h("p", { class: "muted small", id: "time-control-note" });
  const select = h("select", { name: "time-control", "aria-describedby": "time-control-note", autocomplete: "off", onchange: () => choose(select.value) });
  const fields = h("div", { class: "custom-time", hidden: true });
  const element = h("div", { class: "time-control" }, h("label", {}, t("clock.title"), select), fields, note);
  let [kinds, options] = [allowed, presets(game)];

  const set = (next, isNews = true) => {
    chosen = next;
    note.textContent = timeControlText(chosen);
    if (isNews) onchange(chosen);
  };
  const choose = (key) => {
    fields.hidden = key !== CUSTOM;
    if (key !== CUSTOM) return set(options.find((each) => keyOf(each) === key));
    set(chosen.type === "none" ? first(kinds.find((kind) => kind !== "none")) : chosen);
    fields.replaceChildren(...customFields(chosen, kinds, set));
  };
  const draw = () => {
    const offered = options.filter(({ type }) => kinds.includes(type));
    if (!chosen || !kinds.includes(chosen.type)) set(offered.find(({ type }) => type === "fischer") ?? offered[0], Boolean(chosen));
    const isPreset = offered.some((each) => isSame(each, chosen));
    select.replaceChildren(
      ...offered.map((each) => h("option", { value: keyOf(each) }, timeControlName(each))),
      h("option", { value: CUSTOM }, t("clock.custom")));
    select.value = isPreset ? keyOf(chosen) : CUSTOM;
    fields.hidden = isPreset;
    if (!isPreset) fields.replaceChildren(...customFields(chosen, kinds, set));
    set(chosen, false);
  };
  draw();
  return {
    element,
    get value() { return chosen; },
    /** Offers other kinds, or another game's presets; a choice that's no longer among them is replaced. */
    allow(next, other = game) {
      [kinds, options] = [next, presets(other)];
      draw();
    },
  };
}

/** A time control of this kind to begin with. */
const first = (type) => ({ type, ...Object.fromEntries(Object.keys(BOUNDS[type]).map((field) => [field, type === "move" ? MOVE_SECONDS : FIRST[field]])) });

/** A choice of the kind, and a number for each of its fields. */
function customFields(value, kinds, set) {
  let now = value;
  const numbers = h("div", { class: "custom-numbers" });
  const change = (next) => { now = next; set(now); };
  const show = () => numbers.replaceChildren(...Object.keys(BOUNDS[now.type]).map((field) => numberField(now, field, (number) => change({ ...now, [field]: number }))));
  const type = h("select", { name: "time-control-type", autocomplete: "off", onchange: () => { change(first(type.value)); show(); } },
    kinds.filter((kind) => kind !== "none").map((kind) => h("option", { value: kind }, t(`clock.kind.${kind}`))));
  type.value = now.type;
  show();
  return [h("label", {}, t("clock.kind"), type), numbers];
}

/** Time for the game is in minutes, with halves allowed. Invalid input is ignored, and reset when the field loses the focus. */
function numberField(now, field, changed) {
  const { type, [field]: value } = now;
  const unit = field === "seconds" && type !== "move" ? 60 : 1;
  const [least, most] = BOUNDS[type][field];
  let valid = value / unit;
  const input = h("input", {
    type: "number", name: `time-control-${field}`, inputmode: unit === 60 ? "decimal" : "numeric", required: true, value: valid,
    step: unit === 60 ? 0.5 : 1, min: Math.ceil((least / unit) * 2) / 2, max: most / unit,
  });
  input.addEventListener("input", () => {
    const isValid = input.checkValidity();
    input.setAttribute("aria-invalid", String(!isValid));
    if (!isValid) return;
    valid = Number(input.value);
    changed(Math.round(valid * unit));
  });
  input.addEventListener("blur", () => {
    input.value = valid;
    input.setAttribute("aria-invalid", "false");
  });
  return h("label", {}, t(`clock.field.${unit === 60 ? "minutes" : field}`), input);
}
