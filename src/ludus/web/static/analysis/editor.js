// Setting up a position: pieces from a palette, the side to move, and what else the game has.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { api, h } from "../shell.js";
import { has, t } from "../strings.js";

/** Fires `done` with the position as the server writes it, or `cancel`. */
export class Editor extends EventTarget {
  #tool = 0;

  /** `module` is the game's own editor. */
  constructor(game, board, module, { position, turn }) {
    super();
    Object.assign(this, { game, board, module, position, turn: turn ?? 0 });
    this.palette = h("div", { class: "chips palette", role: "group", "aria-label": t("board.edit.tools") });
    this.more = h("div", { class: "edit-fields" });
    this.problem = h("p", { class: "note bad", role: "alert", hidden: true });
    this.element = h("section", { class: "card stack editor", "aria-label": t("board.edit") }, h("h2", {}, t("board.edit")), h("p", { class: "muted small" }, t("board.edit.lead")),
      this.palette, this.#turnChoice(), this.more, this.problem,
      h("div", { class: "row" }, this.#button("done", "primary", () => this.#finish()), this.#button("cancel", "plain", () => this.dispatchEvent(new Event("cancel"))),
        this.#button("clear", "plain", () => this.#change(module.cleared(this.position))), this.#button("start", "plain", () => this.#restart())));
    this.listener = ({ detail }) => this.#place(detail);
    board.addEventListener("ludus-place", this.listener);
    Object.assign(board, { moves: [], advice: null, last: null, isEditing: true });
    this.#drawPalette();
    this.#change(position);
  }

  close() {
    this.board.removeEventListener("ludus-place", this.listener);
    this.board.isEditing = false;
    this.element.remove();
  }

  #button(name, look, act) { return h("button", { class: look, type: "button", "data-edit": name, onclick: act }, t(`board.edit.${name}`)); }

  get #tools() { return [...this.module.tools, null]; }

  #drawPalette() {
    this.palette.replaceChildren(...this.#tools.map((tool, at) => h("button", { class: "chip tool", type: "button", "aria-pressed": String(at === this.#tool), "data-tool": tool?.name ?? "erase", onclick: () => this.#choose(at) },
      tool ? h("span", { class: `man man-${tool.player}${tool.type === "king" ? " is-king" : ""}` }) : icon("close"), tool ? t(`${this.game}.edit.${tool.name}`) : t("board.edit.erase"))));
  }

  #choose(at) {
    this.#tool = at;
    this.palette.querySelectorAll("button").forEach((button, each) => button.setAttribute("aria-pressed", String(each === at)));
  }

  #turnChoice() {
    const { colors } = GAMES[this.game];
    const choice = (color, seat) => h("label", { class: "row" }, h("input", { type: "radio", name: "turn", value: color, checked: seat === this.turn, onchange: () => { this.turn = seat; this.#change(this.position); } }), this.#colorName(color));
    return h("fieldset", { class: "row turn-choice" }, h("legend", {}, t("board.edit.turn")), colors.map(choice));
  }

  #colorName(color) { return has(`color.${color}`) ? t(`color.${color}`) : color; }

  #drawFields() {
    const focused = document.activeElement?.name;
    this.more.replaceChildren(...this.module.fields(this.position).map(({ name, values, value }) => {
      const label = t(`${this.game}.edit.${name}`);
      const set = (next) => this.#change(this.module.change(this.position, name, next));
      if (!values) return h("label", { class: "row" }, h("input", { type: "checkbox", name: `edit-${name}`, checked: value, onchange: ({ target }) => set(target.checked) }), label);
      const text = (each) => (has(`${this.game}.edit.${name}.${each || "none"}`) ? t(`${this.game}.edit.${name}.${each || "none"}`) : each === 0 && !name.startsWith("score") ? "–" : has(`color.${each}`) ? t(`color.${each}`) : String(each));
      return h("label", {}, label, h("select", { name: `edit-${name}`, autocomplete: "off", onchange: ({ target }) => set(target.value) }, values.map((each) => h("option", { value: String(each), selected: each === value }, text(each)))));
    }));
    if (focused) this.more.querySelector(`[name="${focused}"]`)?.focus();
  }

  #place({ place, from, isEmptied }) {
    const { module, position } = this;
    const tool = isEmptied ? null : this.#tools[this.#tool];
    if (from !== undefined) this.#change(module.drag(position, from, place));
    else this.#change(!tool || module.isOn(position, place, tool) ? module.take(position, place) : module.put(position, place, tool));
  }

  #change(position) {
    this.position = { ...position, currentColor: GAMES[this.game].colors[this.turn] };
    this.problem.hidden = true;
    this.board.position = this.position;
    this.#drawFields();
  }

  async #restart() {
    try {
      const { start } = await api(`/web/analysis/${this.game}/line`, { body: { moves: [] } });
      this.#change(GAMES[this.game].unpack(start.board));
    } catch (error) {
      this.#refuse(error);
    }
  }

  async #finish() {
    try {
      const setup = this.module.setupOf(this.position, GAMES[this.game].colors[this.turn]);
      this.dispatchEvent(new CustomEvent("done", { detail: await api(`/web/analysis/${this.game}/setup`, { body: { setup } }) }));
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(error) {
    this.problem.textContent = error.message;
    this.problem.hidden = false;
  }
}
