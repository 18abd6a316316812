// The text of the position on the board, and a box for others: positions and games in any notation.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { copy, h } from "../shell.js";
import { gameName, has, t } from "../strings.js";

const MOST_TEXT = 50_000;

/** The notations of all games that name theirs. */
const known = () => Object.keys(GAMES).filter((game) => has(`${game}.notations`)).map((game) => `${gameName(game)}: ${t(`${game}.notations`)}.`).join(" ");

export class Paste {
  constructor(read) { this.read = read; }

  card(game, analysis) {
    const current = h("input", { class: "mono", readonly: true, "aria-label": t("board.position"), value: analysis.line.node.position, onfocus: ({ target }) => target.select() });
    analysis.addEventListener("position", ({ detail }) => { current.value = detail.position; });
    const text = h("textarea", { name: "text", class: "mono", rows: "4", maxlength: MOST_TEXT, spellcheck: "false", autocomplete: "off" });
    const problem = h("p", { class: "note bad", role: "alert", hidden: true });
    const submit = async (event) => {
      event.preventDefault();
      try {
        problem.hidden = true;
        await this.read(text.value, game);
      } catch (error) {
        problem.textContent = error.message;
        problem.hidden = false;
      }
    };
    return h("section", { class: "card stack paste", "aria-label": t("board.paste") }, h("h2", {}, t("board.paste")),
      h("div", { class: "row position-row" }, current, h("button", { class: "plain square", type: "button", "aria-label": t("board.copy"), title: t("board.copy"), onclick: () => copy(current.value) }, icon("copy"))),
      h("form", { class: "stack", onsubmit: submit }, h("label", {}, t("board.paste.label"), h("span", { class: "hint" }, known()), text), problem, h("button", { class: "plain", type: "submit" }, t("board.paste.load"))));
  }
}
