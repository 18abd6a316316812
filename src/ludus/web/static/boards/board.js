// The base of all boards: properties, the grid of cells that people touch and screen readers read, selecting and dragging.
// A board knows no rules: it offers the moves in `moves` and fires `ludus-move` with the one chosen.

import { BOARD_STYLE, styleSheet } from "./board.css.js";
import { BoardPointer } from "./pointer.js";

const SVG = "http://www.w3.org/2000/svg";
const KEYS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
const THEME = {
  primaryColor: "--ludus-accent", lightColor: "--ludus-light", darkColor: "--ludus-dark", frameColor: "--ludus-frame",
  feltColor: "--ludus-felt", firstColor: "--ludus-first", secondColor: "--ludus-second", lastColor: "--ludus-last",
  adviceColor: "--ludus-advice",
};

/** Creates an SVG element. */
export function svg(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Creates an empty HTML element. */
export function html(name, className, attributes = {}) {
  const element = document.createElement(name);
  element.className = className;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/** Sets an attribute only if its value differs, which spares the browser most of the work. */
export function set(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Sets a text only if it differs: setting the same text still costs a layout. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Redraws a layer only if `key` differs from what it shows, to avoid a repaint. */
export function fill(layer, key, draw) {
  if (layer.shows === key) return;
  layer.shows = key;
  layer.replaceChildren(...draw());
}

let isStill = false;

/** Switches animation off or on for all boards of the page; people who prefer reduced motion never see any. */
export function setAnimation(isOn) { isStill = !isOn; }

export const prefersStill = () => isStill || document.hidden || matchMedia("(prefers-reduced-motion: reduce)").matches;

/** How long places stay pointed out. */
const POINTED_MS = 3000;

export class LudusBoard extends HTMLElement {
  static observedAttributes = ["flip", "compact"];
  /** English texts by key, with {placeholders}; an element's `labels` override them. */
  static words = {};
  /** CSS beyond what all boards share. */
  static style = "";

  #position = null;
  #moves = null;
  #last = null;
  #advice = null;
  #side = null;
  #theme = null;
  #labels = {};
  #isDue = false;
  #hasGeometry = false;
  /** The name this board has given itself, to tell it from one that the page gave. */
  #name = null;
  /** Whether a move was chosen that the page hasn't answered with a new position yet. */
  #hasChosen = false;
  /** Places that are pointed out for a moment, and the timer that ends it. */
  #pointed = [];
  #pointing = null;
  /** The grid's tab stop. */
  #tabStop = null;
  /** Whether the first piece that can move is to be focused as soon as it's known. */
  #isFocusDue = false;
  #isEditing = false;

  selected = null;
  cells = new Map();

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [BOARD_STYLE, this.constructor.style].filter(Boolean).map(styleSheet);
    this.stage = html("div", "stage");
    this.cellLayer = html("div", "cells");
    this.liveRegion = html("div", "live-region", { role: "status", "aria-live": "polite" });
    this.plate = svg("svg", { class: "plate", "aria-hidden": "true" });
    this.drawing = svg("svg", { class: "pieces-layer", "aria-hidden": "true" });
    this.under = svg("g", { class: "under" });
    this.pieces = svg("g", { class: "pieces" });
    this.over = svg("g", { class: "over" });
    this.arrows = svg("g", { class: "arrows" });
    this.rings = svg("g", { class: "rings" });
    this.stage.append(this.plate, this.drawing, this.cellLayer);
    this.shadowRoot.append(this.stage, this.liveRegion);
    this.#listen();
  }

  connectedCallback() {
    for (const name of ["position", "moves", "last", "advice", "side", "theme", "labels"]) this.#upgrade(name);
    this.redraw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.redraw();
  }

  get position() { return this.#position; }
  set position(value) { this.#position = value; this.#hasChosen = false; this.forget(); this.refresh(); }
  get moves() { return this.#moves; }
  set moves(value) { this.#moves = value; this.#hasChosen = false; this.forget(); this.refresh(); }
  get last() { return this.#last; }
  set last(value) { this.#last = value; this.refresh(); }
  get advice() { return this.#advice; }
  set advice(value) { this.#advice = value; this.refresh(); }
  get side() { return this.#side; }
  set side(value) { if (value !== this.#side) { this.#side = value; this.redraw(); } }
  get labels() { return this.#labels; }
  set labels(value) { this.#labels = value ?? {}; this.refresh(); }
  get theme() { return this.#theme; }
  set theme(value) { this.#applyTheme(value); }
  get isCompact() { return this.hasAttribute("compact"); }
  /** Whether a position is being set up: a tap or a drag is no move, but fires `ludus-place` with the place and, after a drag,
   * where the piece came `from`; Delete fires it with `isEmptied`. The page changes the position. */
  get isEditing() { return this.#isEditing; }
  set isEditing(value) { this.#isEditing = value; this.forget(); this.refresh(); }
  get isInteractive() { return !this.isCompact && !this.#isEditing && !this.#hasChosen && Boolean(this.#moves?.length); }

  /** The text for a key in the page's language. */
  word(key, values = {}) {
    const template = this.#labels[key] ?? this.constructor.words[key] ?? key;
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
  }

  /** Announces a text to screen readers. */
  announce(text) { this.liveRegion.textContent = text; }

  /** Redraws everything, after a flip or when the size calls for another layout. */
  redraw() {
    this.#hasGeometry = false;
    this.refresh();
  }

  /** Schedules one update, however many properties were set. */
  refresh() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      if (this.isConnected) this.#paint();
    });
  }

  #paint() {
    if (!this.#hasGeometry) {
      this.#hasGeometry = true;
      this.under.shows = null;
      this.drawBase();
      this.#layCells();
    }
    this.#setName();
    this.update();
    this.mark();
    this.#showAdvice();
    this.#drawRings();
  }

  /** Names the board for screen readers, on every paint because labels may arrive after the first one. */
  #setName() {
    const given = this.getAttribute("aria-label");
    const isGiven = given !== null && given !== this.#name;
    this.#name = isGiven ? null : this.word("board");
    if (!this.isCompact) set(this.grid, "aria-label", isGiven ? given : this.#name);
    else if (!isGiven) set(this, "aria-label", this.#name);
  }

  /** Draws arrows for the suggested move, or for several, best first; screen readers find it in the grid's description. */
  #showAdvice() {
    const moves = [this.#advice ?? []].flat();
    const advised = moves.map((move, rank) => this.drawAdvice(move).map((arrow) => (arrow.classList.toggle("other", rank > 0), arrow))).reverse().flat();
    const arrows = [...advised, ...(this.premove ? [this.drawPremove(this.premove)] : [])];
    if (arrows.length || this.arrows.hasChildNodes()) this.arrows.replaceChildren(...arrows);
    const text = moves.length ? ` ${this.word("advice", { move: this.notationOf(moves[0]) })}` : "";
    if (!this.isCompact) set(this.grid, "aria-description", this.word("hint") + text);
  }

  /** Rings places for a moment, or until the next call: the pieces that can move, or where one can go. */
  point(places, { ms = POINTED_MS } = {}) {
    this.#pointed = places;
    clearTimeout(this.#pointing);
    if (ms !== Infinity) this.#pointing = setTimeout(() => { this.#pointed = []; this.refresh(); }, ms);
    this.refresh();
  }

  #drawRings() {
    const places = this.#pointed.map((place) => this.placeOf(place)).filter((place) => this.cells.has(place));
    fill(this.rings, places.join(), () => places.map((place) => svg("circle", { class: "ring", ...this.ringAt(place) })));
  }

  #applyTheme(theme) {
    for (const name of Object.keys(this.#theme ?? {})) this.style.removeProperty(propertyOf(name));
    this.#theme = theme;
    this.toggleAttribute("themed", Boolean(theme && Object.keys(theme).length));
    for (const [name, value] of Object.entries(theme ?? {})) {
      if (typeof value === "string") this.style.setProperty(propertyOf(name), value);
    }
  }

  #upgrade(name) {
    if (Object.hasOwn(this, name)) {
      const value = this[name];
      delete this[name];
      this[name] = value;
    }
  }

  #layCells() {
    this.cells.clear();
    this.stage.style.aspectRatio = `${this.size.width} / ${this.size.height}`;
    for (const picture of [this.plate, this.drawing]) {
      picture.setAttribute("viewBox", `0 0 ${this.size.width} ${this.size.height}`);
    }
    if (this.isCompact) {
      this.cellLayer.replaceChildren();
      this.setAttribute("role", "img");
      return;
    }
    if (this.getAttribute("role") === "img") this.removeAttribute("role");
    this.grid = html("div", "grid", { role: "grid" });
    this.rows = this.makeCells().map((row) => row.map((cell) => cell.place));
    const hadFocus = this.shadowRoot.activeElement !== null;
    this.cellLayer.replaceChildren(this.grid, ...this.controls());
    this.focusPlace(this.cells.has(this.#tabStop) ? this.#tabStop : this.rows.at(-1)[0], hadFocus);
  }

  /** A row of cells for the grid, each `{place, x, y, width, height}` in the board's units. */
  addRow(cells) {
    const row = html("div", "row", { role: "row" });
    for (const cell of cells) {
      const element = html("div", "cell", { role: "gridcell", tabindex: "-1", "data-place": cell.place });
      this.put(element, cell);
      this.cells.set(String(cell.place), element);
      row.append(element);
    }
    this.grid.append(row);
    return cells;
  }

  /** Positions an HTML element over a part of the board. */
  put(element, { x, y, width, height }) {
    element.style.left = `${(100 * x) / this.size.width}%`;
    element.style.top = `${(100 * y) / this.size.height}%`;
    element.style.width = `${(100 * width) / this.size.width}%`;
    element.style.height = `${(100 * height) / this.size.height}%`;
  }

  /** Marks what can be selected, both in the cells (for screen readers) and in the drawing. */
  mark() {
    const sources = this.isInteractive ? this.sources() : [];
    const targets = this.isInteractive && this.selected !== null ? this.targets(this.selected) : [];
    for (const [place, cell] of this.cells) {
      const mark = targets.includes(place) ? "target" : place === this.selected ? "selected" : sources.includes(place) ? "source" : "";
      if (mark) set(cell, "data-mark", mark);
      else if (cell.hasAttribute("data-mark")) cell.removeAttribute("data-mark");
      set(cell, "aria-selected", String(place === this.selected));
      set(cell, "aria-label", this.describe(place) + (mark ? `, ${this.word(`mark.${mark}`)}` : ""));
    }
    this.cellLayer.classList.toggle("live", this.isInteractive || this.#isEditing);
    this.paintMarks(sources, targets);
    if (this.#isFocusDue && sources.length) this.#focusSource(sources);
  }

  #listen() {
    new BoardPointer(this);
    this.cellLayer.addEventListener("keydown", (event) => this.#key(event));
    this.cellLayer.addEventListener("focusin", (event) => {
      const place = event.target.dataset?.place;
      if (place) this.focusPlace(place, false);
    });
  }

  /** Whether the piece on a place can be picked up. */
  canPick(place) { return this.#isEditing ? place !== null && Boolean(this.pieceOn(place)) : this.isInteractive && this.sources().includes(place); }

  /** Where the piece that was picked up can go. */
  goals() {
    if (this.#isEditing) return [...this.cells.keys()];
    return this.selected === null ? [] : this.targets(this.selected);
  }

  /** A piece was dragged to a place where it can go. */
  drop(place, target) {
    if (this.#isEditing) this.#setDown(target, { from: place });
    else this.go(place, target);
  }

  #setDown(place, more = {}) {
    this.selected = null;
    this.dispatchEvent(new CustomEvent("ludus-place", { bubbles: true, composed: true, detail: { place, ...more } }));
  }

  /** A place was tapped; `was` is what was selected before the pointer went down. */
  tap(place, was) {
    if (place === null) return this.deselect();
    if (this.#isEditing) return this.#setDown(place);
    if (!this.isInteractive) return this.refuse(place);
    if (was !== null && this.targets(was).includes(place)) return this.go(was, place);
    if (place === was) return this.again(place);
    if (this.sources().includes(place)) return this.selected === place ? undefined : this.select(place);
    this.refuse(was ?? place, was === null ? null : place);
    return this.deselect();
  }

  /** A gesture that leads to no move. The page may say why: `ludus-refused` has the piece's place, where it should have
   * gone, and the steps already made. */
  refuse(place, target = null) {
    const detail = this.refused(place, target);
    if (detail) this.dispatchEvent(new CustomEvent("ludus-refused", { bubbles: true, composed: true, detail }));
  }

  #key(event) {
    const place = event.target.dataset?.place;
    if (event.key === "Escape") {
      this.cancel();
      event.preventDefault();
    } else if (place && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      this.tap(place, this.selected);
    } else if (place && this.#isEditing && (event.key === "Delete" || event.key === "Backspace")) {
      event.preventDefault();
      this.#setDown(place, { isEmptied: true });
    } else if (place && KEYS[event.key]) {
      event.preventDefault();
      this.#walk(place, ...KEYS[event.key]);
    } else if (place && (event.key === "PageDown" || event.key === "PageUp")) {
      event.preventDefault();
      this.#leap(place, event.key === "PageDown" ? 1 : -1);
    }
  }

  #walk(place, down, right) {
    const row = this.rows.findIndex((places) => places.includes(place));
    const next = this.rows[row + down];
    const column = this.rows[row].indexOf(place) + right;
    if (next && column >= 0) this.focusPlace(next[down ? Math.min(column, next.length - 1) : column]);
  }

  /** Moves the focus to the next selectable place. */
  #leap(place, direction) {
    const all = this.rows.flat();
    const wanted = this.selected === null ? "source" : "target";
    const marked = all.filter((each) => this.cells.get(each).dataset.mark === wanted || each === place);
    const index = marked.indexOf(place) + direction;
    this.focusPlace(marked[(index + marked.length) % marked.length]);
  }

  /** Makes a place the grid's tab stop, and focuses it if `isTaken`. */
  focusPlace(place, isTaken = true) {
    const cell = this.cells.get(String(place));
    if (!cell) return;
    this.#tabStop = String(place);
    for (const each of this.cells.values()) set(each, "tabindex", each === cell ? "0" : "-1");
    if (isTaken) cell.focus({ preventScroll: true });
  }

  /** Focuses the first piece that can move, as soon as that's known. The focus stays where it is if something else has it
   * by then, or a place of this board that isn't the opponent's. */
  focusFirst() {
    this.#isFocusDue = true;
    this.refresh();
  }

  #focusSource(sources) {
    this.#isFocusDue = false;
    const place = this.shadowRoot.activeElement?.dataset.place;
    if (document.activeElement !== document.body && !(place && this.isTheirs(place))) return;
    this.focusPlace(this.rows.flat().find((place) => sources.includes(place)));
  }

  select(place) {
    this.selected = place;
    if (this.#isEditing) return;
    this.#pointed = [];
    this.mark();
    this.announce(this.word("picked", { place: this.describe(place), targets: this.targets(place).map((each) => this.nameOf(each)).join(", ") }));
  }

  /** The selected piece was tapped again. */
  again() { this.deselect(); }

  /** Escape: gives up what was begun. */
  cancel() { this.deselect(); }

  /** Puts down the piece that was picked up. */
  deselect() {
    this.selected = null;
    this.refresh();
  }

  forget() { this.selected = null; }

  /** Whether the opponent has taken a place. */
  isTheirs() { return false; }

  controls() { return []; }

  paintHover() {}

  choose(move) {
    this.#hasChosen = true;
    this.#pointed = [];
    this.mark();
    this.dispatchEvent(new CustomEvent("ludus-move", { bubbles: true, composed: true, detail: move }));
  }

  /** Animates a piece along points and leaves it at the last. */
  glide(piece, points, delay = 0, step = 190) {
    const to = points.at(-1);
    piece.style.transform = `translate(${to.x}px, ${to.y}px)`;
    piece.at = to;
    piece.motion?.cancel();  // moves may arrive faster than the animation ends
    piece.motion = null;
    if (points.length < 2 || prefersStill()) return;
    const frames = points.map(({ x, y }) => ({ transform: `translate(${x}px, ${y}px)` }));
    piece.motion = piece.animate(frames, { duration: step * (points.length - 1), delay, easing: points.length > 2 ? "linear" : "ease-in-out", fill: "backwards" });
  }

  /** Fades a piece out and removes it. */
  vanish(piece, delay = 0) {
    if (prefersStill()) return piece.remove();
    const fade = piece.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 160, delay, fill: "forwards" });
    fade.finished.then(() => piece.remove(), () => piece.remove());
  }
}

function propertyOf(name) {
  return THEME[name] ?? `--ludus-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
