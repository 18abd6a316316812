// Light or dark, the board's theme and the style of the pieces: a form for the header and for /me.
import { THEMES, showTheme } from "./boards/themes.js";
import { unpack, viewBoard } from "./games.js";
import { GAMES } from "./games/index.js";
import { get, listen, set } from "./preferences.js";
import { h } from "./shell.js";
import { t } from "./strings.js";

const COLORINGS = ["auto", "light", "dark"];

/** Three groups of choices; each takes effect at once. */
export function appearanceForm() {
  const form = h("div", { class: "appearance stack" }, choices("theme", COLORINGS, () => null),
    Object.entries(THEMES).map(([preference, themes]) => choices(preference, Object.keys(themes), (name) => preview(preference, name))));
  const stop = listen((name, value) => {
    if (!form.isConnected) return stop();
    const input = form.querySelector(`input[name="${name}"][value="${value}"]`);
    if (input) input.checked = true;
  });
  return form;
}

function choices(preference, names, picture) {
  const inputs = names.map((name) => h("label", { class: "look" },
    h("input", { type: "radio", name: preference, value: name, checked: name === get(preference), onchange: () => set(preference, name) }),
    picture(name), h("span", {}, t(`appearance.${preference}.${name}`))));
  return h("fieldset", { class: "looks" }, h("legend", {}, t(`appearance.${preference}`)), inputs);
}

/** A small board of the first game in this theme. */
function preview(preference, name) {
  const [game] = Object.keys(GAMES);
  const board = viewBoard(game, { compact: true });
  board.position = unpack(game, GAMES[game].start);
  const picture = h("span", { class: "preview", "aria-hidden": "true" }, board);
  showTheme(picture, preference, name);
  return picture;
}
