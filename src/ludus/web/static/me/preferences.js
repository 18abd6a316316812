// Switches for a person's preferences; the pages that use them decide what they do.
import { appearanceForm } from "../appearance.js";
import { get, listen, set } from "../preferences.js";
import { h } from "../shell.js";
import { t } from "../strings.js";

const SWITCHES = ["sound", "animation", "autoRoll", "confirmMoves", "autoConfirm", "premove", "hints", "tutor", "arrows", "phrases"];

export function preferencesCard() {
  const inputs = new Map(SWITCHES.map((name) => [name, h("input", { type: "checkbox", name, checked: get(name), onchange: ({ target }) => set(name, target.checked) })]));
  listen((name, value) => {
    if (inputs.has(name)) inputs.get(name).checked = value;
  });
  const rows = SWITCHES.map((name) => h("label", { class: "row" }, inputs.get(name), h("span", {}, t(`me.preference.${name}`), h("span", { class: "hint" }, t(`me.preference.${name}.text`)))));
  // In a form of its own, so that its radio buttons are not in one group with those in the header's panel.
  return h("section", { class: "card", "aria-labelledby": "me-preferences" }, h("h2", { id: "me-preferences" }, t("me.preferences")),
    h("div", { class: "stack" }, h("div", { class: "switch-list" }, rows), h("form", {}, appearanceForm())));
}
