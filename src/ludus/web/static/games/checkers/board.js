// <ludus-checkers>: 64 squares in rows from the top left, red at the bottom, as rooms send them.

import { LudusBoard, fill, svg } from "../../boards/board.js";
import { drawArrow } from "../../boards/arrows.js";
import { definitions, drawPiece } from "../../boards/pieces.js";
import { notationOf, numberOf, pathOf } from "./notation.js";

export { notationOf, numberOf, pathOf };

const UNIT = 100;
const RADIUS = 40;
const RANK = { red: "first", black: "second" };

/** Converts the arena's view into a `position`. */
export function fromArena(view) {
  const board = Array(64).fill(null);
  view.board.flat().forEach((piece, index) => {
    if (piece) board[63 - index] = { player: ["dark", "first", "black"].includes(piece.player) ? "red" : "black", type: piece.king ? "king" : "man" };
  });
  return board;
}

export class LudusCheckers extends LudusBoard {
  static words = {
    board: "Checkers board", hint: "Arrow keys to move around, Enter to pick up and drop, Escape to cancel.",
    square: "{number}, {piece}", empty: "empty",
    "red.man": "red man", "red.king": "red king", "black.man": "black man", "black.king": "black king",
    "mark.source": "can move", "mark.target": "can move here", "mark.selected": "picked up",
    picked: "{place} picked up. It can move to {targets}.", advice: "Suggested: {move}.",
    premove: "{place} picked up for a premove.",
  };

  size = { width: 8 * UNIT, height: 8 * UNIT };
  #pieces = new Map();
  #hops = [];
  #canPremove = false;
  #premove = null;

  /** Whether a move can be chosen before the turn has come; it's fired as `ludus-premove`, `{from, to}`. */
  get canPremove() { return this.#canPremove; }
  set canPremove(value) {
    if (value === this.#canPremove) return;
    this.#canPremove = value;
    if (!value && this.selected !== null) this.forget();
    this.refresh();
  }

  /** A move that waits for the turn, shown as an arrow. */
  get premove() { return this.#premove; }
  set premove(value) { this.#premove = value; this.refresh(); }

  get #isPremoving() { return this.#canPremove && !this.moves?.length; }
  #isOwn(place) { return this.board[Number(place)]?.player === this.side; }

  canPick(place) { return this.#isPremoving ? place !== null && this.#isOwn(place) : super.canPick(place); }

  goals() {
    if (!this.#isPremoving || this.selected === null) return super.goals();
    return [...this.cells.keys()].filter((place) => !this.#isOwn(place));
  }

  tap(place, was) {
    if (!this.#isPremoving) return super.tap(place, was);
    if (place === null || place === was) return this.cancel();
    if (was !== null && !this.#isOwn(place)) return this.go(was, place);
    if (this.#isOwn(place)) return this.selected === place ? undefined : this.select(place);
    return this.refuse(place);
  }

  select(place) {
    if (!this.#isPremoving) return super.select(place);
    this.selected = place;
    this.mark();
    this.announce(this.word("premove", { place: this.describe(place) }));
  }

  get board() { return Array.isArray(this.position) ? this.position : this.position?.board ?? Array(64).fill(null); }
  get isTurned() { return (this.side === "black") !== this.hasAttribute("flip"); }

  forget() {
    super.forget();
    this.#hops = [];
  }

  drawBase() {
    this.plate.replaceChildren(definitions(), this.#squares());
    this.drawing.replaceChildren(definitions(), this.under, this.pieces, this.over, this.rings, this.arrows);
    this.pieces.replaceChildren();
    this.#pieces.clear();
  }

  #squares() {
    const group = svg("g");
    for (let index = 0; index < 64; index++) {
      const { x, y } = this.corner(index);
      const isDark = isPlayable(index);
      const square = svg("rect", { x, y, width: UNIT, height: UNIT });
      square.style.fill = isDark ? "var(--_dark)" : "var(--_light)";
      group.append(square);
      if (isDark && !this.isCompact) group.append(number(x, y, numberOf(index)));
    }
    return group;
  }

  makeCells() {
    const rows = [];
    for (let row = 0; row < 8; row++) {
      const indices = [...Array(8).keys()].map((column) => this.#indexAt(row, column)).filter(isPlayable);
      rows.push(this.addRow(indices.map((index) => ({ place: String(index), ...this.corner(index), width: UNIT, height: UNIT }))));
    }
    return rows;
  }

  #indexAt(row, column) {
    const index = 8 * row + column;
    return this.isTurned ? 63 - index : index;
  }

  corner(index) {
    const shown = this.isTurned ? 63 - index : index;
    return { x: (shown % 8) * UNIT, y: Math.floor(shown / 8) * UNIT };
  }

  center(index) {
    const { x, y } = this.corner(index);
    return { x: x + UNIT / 2, y: y + UNIT / 2 };
  }

  placeAt({ x, y }) {
    const column = Math.floor(x / UNIT);
    const row = Math.floor(y / UNIT);
    if (column < 0 || column > 7 || row < 0 || row > 7) return null;
    const index = this.#indexAt(row, column);
    return isPlayable(index) ? String(index) : null;
  }

  pieceOn(place) { return this.#pieces.get(Number(place))?.element; }

  update() {
    const before = this.#pieces;
    const wanted = this.#shown();
    const kept = new Map();
    const fresh = [];
    wanted.forEach((piece, index) => {
      const drawn = before.get(index);
      if (piece && drawn && drawn.key === keyOf(piece)) kept.set(index, drawn);
      else if (piece) fresh.push(index);
    });
    const spare = [...before].filter(([index]) => !kept.has(index));
    for (const index of fresh) kept.set(index, this.#arrive(index, wanted[index], spare));
    const delay = spare.length < 12 ? 120 : 0;
    for (const [, drawn] of spare) this.vanish(drawn.element, delay);
    this.#pieces = kept;
    for (const [index, drawn] of kept) if (!fresh.includes(index)) this.#returnTo(drawn.element, this.center(index));
  }

  /** Reuses a piece that left another square if it can be the one that arrived here, so that it's animated. */
  #arrive(index, piece, spare) {
    const last = this.last;
    const isLast = last && last.to === index;
    const found = spare.findIndex(([from, drawn]) => drawn.key.startsWith(piece.player) && (!isLast || from === last.from));
    if (found < 0 || spare.length > 13) return this.#make(index, piece);
    const [[from, drawn]] = spare.splice(found, 1);
    const points = (isLast && from === last.from ? pathOf(last) : [from, index]).map((each) => this.center(each));
    points[0] = drawn.element.at ?? points[0];
    const next = drawn.key === keyOf(piece) ? drawn : this.#make(index, piece);
    if (next !== drawn) drawn.element.remove();
    this.pieces.append(next.element);
    this.glide(next.element, points);
    return next;
  }

  /** Returns a dragged piece to its square. */
  #returnTo(element, to) {
    const { at } = element;
    if (!at || at.x !== to.x || at.y !== to.y) this.glide(element, at ? [at, to] : [to], 0, 130);
  }

  #make(index, piece) {
    const element = drawPiece(RANK[piece.player], RADIUS, { isKing: piece.type === "king" });
    this.pieces.append(element);
    this.glide(element, [this.center(index)]);
    return { element, key: keyOf(piece) };
  }

  /** The board with the jumps of an unfinished chain made. */
  #shown() {
    const board = [...this.board];
    if (this.#hops.length > 1) {
      board[this.#hops.at(-1)] = board[this.#hops[0]];
      if (this.#hops.at(-1) !== this.#hops[0]) board[this.#hops[0]] = null;
    }
    return board;
  }

  /** The moves that continue the jumps made so far. */
  #open() {
    return (this.moves ?? []).filter((move) => this.#hops.every((square, at) => pathOf(move)[at] === square));
  }

  sources() {
    if (this.#hops.length) return [String(this.#hops.at(-1))];
    return [...new Set((this.moves ?? []).map((move) => String(move.from)))];
  }

  targets(place) {
    const square = Number(place);
    const at = Math.max(this.#hops.length, 1);
    const open = this.#hops.length ? this.#open() : this.#open().filter((move) => move.from === square);
    const next = open.map((move) => pathOf(move)[at]);
    const ends = open.map((move) => move.to).filter((end, _, all) => all.filter((each) => each === end).length === 1);
    return [...new Set([...next, ...ends])].filter((each) => each !== square).map(String);
  }

  go(place, target) {
    if (this.#isPremoving) return this.#choosePremove(place, target);
    const square = Number(target);
    if (!this.#hops.length) this.#hops = [Number(place)];
    const next = this.#open().filter((move) => pathOf(move)[this.#hops.length] === square);
    const whole = next.length ? next : this.#open().filter((move) => move.to === square);
    const done = whole.find((move) => !next.length || pathOf(move).length === this.#hops.length + 1);
    if (done) return this.#finish(done);
    this.#hops.push(square);
    this.selected = target;
    this.refresh();
    this.focusPlace(target, this.shadowRoot.activeElement !== null);
  }

  #choosePremove(place, target) {
    this.cancel();
    this.dispatchEvent(new CustomEvent("ludus-premove", { bubbles: true, composed: true, detail: { from: Number(place), to: Number(target) } }));
  }

  /** Shows the move at once and fires it. */
  #finish(move) {
    this.selected = null;
    const drawn = this.#pieces.get(this.#hops.at(-1));
    this.#pieces.delete(this.#hops.at(-1));
    const ahead = pathOf(move).slice(this.#hops.length).map((each) => this.center(each));
    this.glide(drawn.element, [drawn.element.at, ...ahead], 0, near(drawn.element.at, ahead[0]) ? 60 : 190);
    for (const jumped of move.captures ?? []) {
      if (this.#pieces.has(jumped)) this.vanish(this.#pieces.get(jumped).element, 100);
      this.#pieces.delete(jumped);
    }
    this.#pieces.set(move.to, drawn);
    this.#hops = [];
    this.focusPlace(String(move.to), this.shadowRoot.activeElement !== null);
    this.choose(move);
  }

  cancel() {
    if (this.#premove && this.selected === null) this.dispatchEvent(new CustomEvent("ludus-premove", { bubbles: true, composed: true, detail: null }));
    super.cancel();
  }

  deselect() {
    this.#hops = [];
    super.deselect();
  }

  placeOf(square) { return String(square); }

  ringAt(place) {
    const { x: cx, y: cy } = this.center(Number(place));
    return { cx, cy, r: this.#shown()[Number(place)] ? RADIUS + 5 : 18 };
  }

  /** In a chain of jumps the board itself knows why: the other pieces have to wait. */
  refused(place, target) {
    if (this.#hops.length > 1) return { reason: "finish_jump", places: [this.#hops.at(-1)] };
    if (target === null && !this.board[Number(place)]) return null;
    return { position: Number(place), ...(target === null ? {} : { target: Number(target) }) };
  }

  paintMarks(sources, targets) {
    const path = this.last ? [...new Set(pathOf(this.last))] : [];
    const picked = this.selected === null ? [] : [Number(this.selected)];
    fill(this.under, JSON.stringify([path, picked]), () => [...path.map((index) => this.#tint(index, "last")), ...picked.map((index) => this.#tint(index, "selected"))]);
    for (const [index, { element }] of this.#pieces) {
      element.classList.toggle("movable", this.selected === null && sources.includes(String(index)) && !this.isCompact);
      element.classList.toggle("ghost", this.#jumped().includes(index));
    }
    this.over.replaceChildren(...targets.map((place) => this.#dot(Number(place))));
  }

  #dot(index) {
    const { x, y } = this.center(index);
    return svg("circle", { class: "dot", cx: x, cy: y, r: 15 });
  }

  /** The pieces the jumps so far have captured. */
  #jumped() {
    const hops = this.#hops;
    return hops.slice(1).map((square, at) => (square + hops[at]) / 2);
  }

  #tint(index, kind) {
    return svg("rect", { class: kind, ...this.corner(index), width: UNIT, height: UNIT });
  }

  drawPremove({ from, to }) {
    const arrow = drawArrow([from, to].map((each) => this.center(each)));
    arrow.classList.add("premove");
    return arrow;
  }

  drawAdvice(move) { return [drawArrow(pathOf(move).map((each) => this.center(each)))]; }

  notationOf(move) { return notationOf(move); }

  paintHover(place) {
    this.over.querySelector(".hover")?.remove();
    if (place !== null && place !== undefined) {
      const { x, y } = this.corner(Number(place));
      this.over.append(svg("rect", { class: "hover", x: x + 4, y: y + 4, width: UNIT - 8, height: UNIT - 8, rx: 6 }));
    }
  }

  nameOf(place) { return String(numberOf(Number(place))); }

  describe(place) {
    const piece = this.#shown()[Number(place)];
    return this.word("square", { number: this.nameOf(place), piece: this.word(piece ? `${piece.player}.${piece.type}` : "empty") });
  }
}

/** Whether a dragged piece has almost arrived. */
const near = (from, to) => Math.hypot(from.x - to.x, from.y - to.y) < UNIT;

const keyOf = (piece) => `${piece.player}.${piece.type}`;

const isPlayable = (index) => (Math.floor(index / 8) + (index % 8)) % 2 === 1;

function number(x, y, value) {
  const text = svg("text", { class: "coord", x: x + 6, y: y + 19 });
  text.textContent = value;
  return text;
}

if (!customElements.get("ludus-checkers")) customElements.define("ludus-checkers", LudusCheckers);
