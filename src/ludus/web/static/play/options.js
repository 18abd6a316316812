// What can be chosen for a game before it starts; the game says what there is.

import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { has, t } from "../strings.js";

/** `chosen` holds the choice by game, and is changed. Null for a game without options. */
export function optionsChoice(game, chosen) {
  const { optionFields } = GAMES[game];
  if (!optionFields({}).length) return null;
  const element = h("div", { class: "options" });
  /** A new value in a list resets the switches that depend on it. */
  const change = (name, value, isList) => {
    chosen[game] = isList ? { [name]: value } : { ...chosen[game], [name]: value };
    draw();
    element.querySelector(`[name="${name}"]`).focus();
  };
  const draw = () => element.replaceChildren(...optionFields(chosen[game] ?? {}).map((field) => (field.values ? list(game, field, change) : switchOf(game, field, change))));
  draw();
  return element;
}

function list(game, { name, value, values }, change) {
  const select = h("select", { name, autocomplete: "off", onchange: () => change(name, Number(select.value), true) },
    values.map((each) => h("option", { value: each, selected: each === value }, each ? t(`${game}.option.${name}.value`, { value: each }) : t(`${game}.option.${name}.none`))));
  return h("label", {}, h("span", { class: "visually-hidden" }, t(`${game}.option.${name}`)), select);
}

function switchOf(game, { name, value }, change) {
  const text = `${game}.option.${name}.text`;
  return h("label", { class: "check" },
    h("input", { type: "checkbox", name, checked: value, onchange: ({ target }) => change(name, target.checked, false) }),
    h("span", {}, t(`${game}.option.${name}`), has(text) ? [" ", h("span", { class: "muted small" }, t(text))] : null));
}
