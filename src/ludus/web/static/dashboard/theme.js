// A theme, as sessions carry it, on both boards.
import { boardOf, gameName, unpacked } from "../board.js";
import { START } from "../games/start.js";
import { icon } from "../icons.js";
import { copy, h } from "../shell.js";
import { t } from "../strings.js";

export const COLOURS = {
  primaryColor: "#2c6e4f", lightColor: "#efdfc4", darkColor: "#a8754b", frameColor: "#6d4a30",
  feltColor: "#dfcba5", firstColor: "#c8342c", secondColor: "#3a3835", lastColor: "#f2c230",
};

/** A form of colours; `changed` is called with the theme whenever it is another one. */
export function themeForm(changed) {
  const theme = {};
  return h("div", { class: "swatches" }, Object.entries(COLOURS).map(([name, value]) => h("label", {}, t(`theme.${name}`), h("input", { type: "color", value, name, oninput: (event) => {
    theme[name] = event.target.value;
    changed({ ...theme });
  } }))));
}

export function themePanel() {
  const boards = Object.keys(START).map((game) => {
    const board = boardOf(game, { compact: true, label: gameName(game) });
    board.position = unpacked(START[game], { dice: [6, 4] });
    return board;
  });
  const code = h("pre", { tabindex: "0" }, "{}");
  const form = themeForm((theme) => {
    for (const board of boards) board.theme = theme;
    code.textContent = JSON.stringify({ theme }, null, 2);
  });
  return h("div", { class: "stack" }, h("p", { class: "muted" }, t("theme.lead")), form, h("div", { class: "theme-boards" }, boards), code,
    h("button", { class: "plain", type: "button", onclick: () => copy(code.textContent) }, icon("copy"), t("shell.copy")));
}
