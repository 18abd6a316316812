// <ludus-generic>: a board for any game: the server's drawing, and the legal moves as buttons.

import { styleSheet } from "../../boards/board.css.js";
import { notationOf } from "./game.js";

const STYLE = `
:host { display: block; font: 500 14px/1.3 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
:host([hidden]) { display: none; }
img { display: block; width: 100%; border-radius: 1.4%; }
.moves { display: flex; flex-wrap: wrap; gap: 8px; margin: 10px 6px 0; padding: 0; list-style: none; }
.moves:empty, :host([compact]) .moves { display: none; }
button { min-width: 44px; min-height: 44px; padding: 0 14px; font: inherit; font-weight: 600; color: inherit; background: transparent; border: 1px solid currentcolor; border-radius: 9px; cursor: pointer; }
button:hover { background: light-dark(rgb(0 0 0 / 6%), rgb(255 255 255 / 8%)); }
button:focus-visible { outline: 3px solid var(--ludus-accent, #286f46); outline-offset: 2px; }
.advice { margin: 8px 0 0; }
.advice:empty { display: none; }
`;

const PROPERTIES = ["position", "moves", "last", "advice", "side", "theme", "labels"];

export class LudusGeneric extends HTMLElement {
  static words = { board: "Board", moves: "Legal moves", advice: "Suggested: {move}." };

  #values = {};
  #isDue = false;
  #hasChosen = false;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [styleSheet(STYLE)];
    this.picture = document.createElement("img");
    this.list = Object.assign(document.createElement("ul"), { className: "moves" });
    this.note = Object.assign(document.createElement("p"), { className: "advice" });
    this.shadowRoot.append(this.picture, this.note, this.list);
  }

  static {
    for (const name of PROPERTIES) {
      Object.defineProperty(this.prototype, name, {
        get() { return this.#values[name] ?? null; },
        set(value) { this.#set(name, value); },
      });
    }
  }

  /** Properties may have been set before the element was defined. */
  connectedCallback() {
    for (const name of PROPERTIES) {
      if (!Object.hasOwn(this, name)) continue;
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
    this.#refresh();
  }

  #set(name, value) {
    this.#values[name] = value;
    if (name === "position" || name === "moves") this.#hasChosen = false;
    this.#refresh();
  }

  #refresh() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#draw();
    });
  }

  #word(key, values = {}) {
    const template = this.labels?.[key] ?? LudusGeneric.words[key];
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  }

  #draw() {
    const { position, advice } = this;
    this.picture.hidden = !position?.svg;
    if (position?.svg) this.picture.src = `data:image/svg+xml,${encodeURIComponent(position.svg)}`;
    this.picture.alt = `${this.getAttribute("aria-label") ?? this.#word("board")}: ${position?.board?.join("\n") ?? ""}`;
    this.list.setAttribute("aria-label", this.#word("moves"));
    this.note.textContent = advice ? this.#word("advice", { move: notationOf(advice) }) : "";
    this.list.replaceChildren(...(this.#hasChosen ? [] : this.moves ?? []).map((move) => this.#entry(move)));
  }

  #entry(move) {
    const item = document.createElement("li");
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: notationOf(move) });
    button.addEventListener("click", () => this.#choose(move));
    item.append(button);
    return item;
  }

  #choose(move) {
    this.#hasChosen = true;
    this.#draw();
    this.dispatchEvent(new CustomEvent("ludus-move", { bubbles: true, composed: true, detail: move }));
  }

  /** Focuses the first legal move. */
  focusFirst() { queueMicrotask(() => this.list.querySelector("button")?.focus()); }
}

if (!customElements.get("ludus-generic")) customElements.define("ludus-generic", LudusGeneric);
