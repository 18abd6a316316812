// A session's theme, shown on the boards.
import { unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { copy, h } from "../shell.js";
import { gameName, t } from "../strings.js";

export const COLORS = {
  primaryColor: "#2c6e4f", lightColor: "#efdfc4", darkColor: "#a8754b", frameColor: "#6d4a30",
  feltColor: "#dfcba5", firstColor: "#c8342c", secondColor: "#3a3835", lastColor: "#f2c230",
};

/** A form of colors; `changed` is called with the new theme on every change. */
export function themeForm(changed) {
  const theme = {};
  return h("div", { class: "swatches" }, Object.entries(COLORS).map(([name, value]) => h("label", {}, t(`theme.${name}`), h("input", { type: "color", value, name, oninput: (event) => {
    theme[name] = event.target.value;
    changed({ ...theme });
  } }))));
}

export async function themePanel() {
  await Promise.all(Object.values(GAMES).map(({ load }) => load.board()));
  const boards = Object.keys(GAMES).map((game) => {
    const board = viewBoard(game, { compact: true, label: gameName(game) });
    board.position = unpack(game, GAMES[game].start, { dice: [6, 4] });
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
