// The embed page: snippets to copy, and the same game running next to them.
import { HOME } from "../address.js";
import { themeForm } from "../dashboard/theme.js";
import { unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { LANGUAGES } from "../languages.js";
import { LEVELS } from "../levels.js";
import { copy, h, mount } from "../shell.js";
import { gameName, t } from "../strings.js";
import "./ludus-game.js";
import { snippets } from "./snippets.js";

const [firstGame] = Object.keys(GAMES);
const options = { game: firstGame, level: "easy", kind: "element", lang: "", theme: {} };
const main = mount({ active: "embed", title: t("shell.embed") });

const select = (name, values) => h("label", {}, t(`embed.${name}`), h("select", { name, onchange: (event) => change(name, event.target.value) }, values.map(([value, text]) => h("option", { value, selected: value === options[name] }, text))));
const parts = { page: block(), server: block(), origin: block() };
const example = h("div", {});
const languages = select("lang", [["", t("embed.lang.page")], ...Object.entries(LANGUAGES)]);

main.append(
  h("div", {}, h("h1", {}, t("embed.title")), h("p", { class: "lead" }, t("embed.lead"))),
  h("div", { class: "generator" },
    h("div", { class: "stack" },
      h("section", { class: "card stack", "aria-label": t("embed.options") },
        h("div", { class: "options" }, select("game", Object.keys(GAMES).map((game) => [game, gameName(game)])),
          select("level", LEVELS.map((level) => [level, t(`play.level.${level}`)])),
          select("kind", ["element", "frame"].map((kind) => [kind, t(`embed.kind.${kind}`)])),
          languages),
        h("details", {}, h("summary", {}, t("embed.colors")), themeForm((theme) => change("theme", theme)))),
      h("section", { class: "card" }, h("ol", { class: "steps" }, ["page", "server", "origin"].map((name) =>
        h("li", {}, h("div", { class: "step-head" }, h("h2", {}, t(`embed.step.${name}`)), parts[name].button), h("p", { class: "muted small" }, t(`embed.step.${name}.text`)), parts[name].element))))),
    h("section", { class: "card stack" }, h("h2", {}, t("embed.example")), h("p", { class: "muted small" }, t("embed.example.text")), example)),
);

function block() {
  const code = h("code", {});
  const button = h("button", { class: "plain small", type: "button", onclick: () => copy(code.textContent) }, icon("copy"), t("shell.copy"));
  return { code, button, element: h("div", { class: "snippet" }, h("pre", { tabindex: "0" }, code)) };
}

function change(name, value) {
  options[name] = value;
  // By default an element uses the page's language; a frame can't know that.
  if (name === "kind") languages.querySelector("option").textContent = t(value === "frame" ? "embed.lang.browser" : "embed.lang.page");
  const made = snippets(options, HOME);
  for (const [key, part] of Object.entries(parts)) part.code.textContent = made[key];
  if (name === "theme") return applyTheme();
  offerExample();
}

/** A game starts when it's asked for: merely looking at this page must not count as one. */
function offerExample() {
  const board = viewBoard(options.game);
  board.position = unpack(options.game, GAMES[options.game].start);
  if (Object.keys(options.theme).length) board.theme = options.theme;
  const start = h("button", { class: "primary", type: "button", onclick: startExample }, icon("run"), t("embed.start"));
  example.replaceChildren(h("div", { class: "stack example" }, board, start));
}

function startExample() {
  const game = h("ludus-game", { game: options.game, level: options.level, name: t("embed.you"), lang: options.lang || null });
  game.addEventListener("ludus-started", applyTheme);
  example.replaceChildren(game);
}

/** A guest's game has no theme; that of a session is applied by the element. */
function applyTheme() {
  const board = example.querySelector("ludus-game")?.board ?? example.querySelector(".example")?.firstElementChild;
  if (board && Object.keys(options.theme).length) board.theme = options.theme;
}

change("game", firstGame);
