// <ludus-backgammon>: points numbered from white's side, 24 down to 1. A play is built step by step and fired when confirmed.

import { LudusBoard, fill, html, set, svg, write } from "../../boards/board.js";
import { drawArrow } from "../../boards/arrows.js";
import { definitions, drawPiece } from "../../boards/pieces.js";
import { BACKGAMMON_STYLE } from "./board.css.js";
import { Cube, cubeArea } from "./cube.js";
import { Dice } from "./dice.js";
import { narrowShape } from "./game.js";
import { Layout, RADIUS } from "./layout.js";
import { shownCube } from "./match.js";
import { notationOf } from "./notation.js";
import { after, colorOf, following, isSame, other, own, pips, unused, waysOf } from "./plays.js";
import { Stacks } from "./stacks.js";

export { notationOf };

const NARROW_PIXELS = 560;
/** What a window needs above and below the high form, at least. */
const ROOM_PIXELS = 100;
const RETRY_MS = 1000;
const EMPTY = { board: Array(25).fill(0), bar: { white: 0, black: 0 }, off: { white: 0, black: 0 }, dice: [] };
const COLORS = ["white", "black"];
/** Those that have a button besides *Roll*. */
const CUBE_ACTIONS = ["double", "take", "drop", "beaver"];

/** Converts the arena's view into a `position`. */
export function fromArena(view) {
  return {
    board: view.board,
    bar: { white: view.whiteBar, black: view.blackBar },
    off: { white: view.whiteOff, black: view.blackOff },
    dice: view.dice ?? [],
    currentColor: view.currentColor ?? null,
  };
}

export class LudusBackgammon extends LudusBoard {
  static words = {
    board: "Backgammon board", hint: "Arrow keys to move around, Enter to pick up and drop, Escape to undo.",
    point: "point {number}, {checkers}", empty: "empty", bar: "bar, {checkers}", off: "borne off, {checkers}",
    white: "{count} white", black: "{count} black", "mark.source": "can move", "mark.target": "can move here",
    "mark.selected": "picked up", picked: "{place} picked up. It can move to {targets}.", "name.bar": "bar", "name.off": "off",
    undo: "Undo", confirm: "Done", swap: "Dice {dice}. Swap", step: "{step} played.", complete: "Move complete. Press Done.",
    advice: "Suggested: {move}.", roll: "Roll", hit_one: "A hit.", hit_other: "{count} hits.",
    double: "Double", "double.to": "Double to {value}", take: "Take", drop: "Drop", beaver: "Beaver", resign: "Resigns",
    "cube.middle": "Doubling cube in the middle", "cube.white": "Doubling cube: {value}, owned by white",
    "cube.black": "Doubling cube: {value}, owned by black", "cube.offered": "Doubling cube offered at {value}",
  };
  static style = BACKGAMMON_STYLE;

  /** Asks for the steps that can follow others: `async (soFar) => [{from, to}, …]`. Without it, `moves` decides. */
  steps = null;
  /** Whether a play is fired as soon as it's complete, without *Done*. */
  autoConfirm = false;
  #mustRoll = false;

  size = { width: 1, height: 1 };
  #soFar = [];
  /** The position with these steps made, computed when first needed. */
  #shown = null;
  #known = new Map();
  #stacks = null;
  #pixels = 0;
  #dice = new Dice();
  #cube = new Cube();
  #cubeButtons = {};
  #observer = new ResizeObserver(() => this.#measure());

  connectedCallback() {
    super.connectedCallback();
    this.#observer.observe(this);
  }

  disconnectedCallback() { this.#observer.disconnect(); }

  /** Whether the player has yet to press *Roll*, which fires `ludus-roll`. */
  get mustRoll() { return this.#mustRoll; }
  set mustRoll(value) { this.#mustRoll = value; this.refresh(); }

  get state() { return this.position ? { ...EMPTY, ...this.position } : EMPTY; }
  get mover() { return this.state.currentColor ?? this.side ?? "white"; }
  get shown() { return (this.#shown ??= after(this.state, this.#soFar, this.mover)); }
  get isTurned() { return (this.side === "black") !== this.hasAttribute("flip"); }
  /** The cube as it's shown; null in a game without one. */
  get cube() { return shownCube(this.state); }
  get #plays() { return (this.moves ?? []).filter(Array.isArray); }
  /** What can be done with the cube: the actions among the moves. */
  get #actions() { return this.isInteractive ? this.moves.filter((move) => move.cube).map(({ cube }) => cube) : []; }
  get isComplete() { return this.#soFar.length > 0 && this.#next()?.length === 0; }

  forget() {
    super.forget();
    this.#keep([]);
    this.#known = new Map();
    this.#dice?.forget();
  }

  #keep(steps) {
    this.#soFar = steps;
    this.#shown = null;
  }

  /** A small board in a window that is high enough for its high form. */
  get #isNarrow() {
    return !this.isCompact && this.clientWidth < NARROW_PIXELS && innerHeight > this.clientWidth / narrowShape + ROOM_PIXELS;
  }

  #measure() {
    const isSmall = Math.min(this.clientWidth, this.#pixels) < 1.5 * NARROW_PIXELS && !this.isCompact;
    const hasChanged = this.#isNarrow !== this.layout?.isNarrow || (isSmall && this.clientWidth !== this.#pixels);
    if (this.layout && hasChanged) this.redraw();
  }

  drawBase() {
    this.#pixels = this.clientWidth;
    this.layout = new Layout({ isNarrow: this.#isNarrow, isTurned: this.isTurned, pixels: this.isCompact ? 0 : this.#pixels, hasCube: Boolean(this.cube) });
    this.size = this.layout.size;
    this.plate.replaceChildren(definitions(), this.#ground());
    this.drawing.replaceChildren(definitions(), this.under, this.pieces, this.#dice.layer, this.#cube.layer, this.over, this.rings, this.arrows);
    this.pieces.replaceChildren();
    this.#stacks = new Stacks(this, (color) => drawChecker(color, this.layout.slab));
  }

  #ground() {
    const { layout } = this;
    const group = svg("g", {}, paint(svg("rect", { ...this.size }), "frame"));
    const halves = [layout.left, layout.right].map((x) => svg("rect", { x, y: layout.top, width: 360, height: layout.play.height, rx: 4 }));
    group.append(...halves.map((half) => paint(half, "felt")));
    for (const color of COLORS) group.append(paint(svg("rect", { ...layout.cell(`off-${color}`), rx: 6 }), "felt", 0.28));
    for (let point = 1; point <= 24; point++) {
      group.append(paint(svg("polygon", { points: layout.triangle(point) }), layout.isDark(point) ? "point-a" : "point-b"));
      if (!this.isCompact) group.append(this.#number(point));
    }
    group.append(...halves.map((half) => svg("rect", { ...boxOf(half), class: "sunk" })), ...this.#hinges());
    return group;
  }

  /** A point's number from the side at the bottom. */
  #number(point) {
    const text = svg("text", { class: "pip", ...this.layout.number(point) });
    text.textContent = this.isTurned ? 25 - point : point;
    return text;
  }

  #hinges() {
    const { layout } = this;
    const { x, width } = layout.cell("bar-white");
    const middle = x + width / 2;
    const seam = svg("line", { class: "seam", x1: middle, x2: middle, y1: layout.top - 30, y2: layout.top + layout.play.height + 30 });
    const hinges = [0.16, 0.84].map((share) => svg("rect", { class: "hinge", x: middle - 9, y: layout.top + layout.play.height * share - 26, width: 18, height: 52, rx: 4 }));
    return [seam, ...hinges];
  }

  makeCells() {
    const near = (point) => String(this.isTurned ? 25 - point : point);
    const [low, high] = this.isTurned ? ["black", "white"] : ["white", "black"];
    const run = (from, to) => Array.from({ length: 6 }, (_, at) => near(from + Math.sign(to - from) * at));
    const upper = [...run(13, 18), `bar-${low}`, ...run(19, 24)];
    const lower = [...run(12, 7), `bar-${high}`, ...run(6, 1)];
    const rows = this.layout.isNarrow ? [[`off-${high}`], upper, lower, [`off-${low}`]] : [[...upper, `off-${high}`], [...lower, `off-${low}`]];
    return rows.map((row) => this.addRow(row.map((place) => ({ place, ...this.layout.cell(place) }))));
  }

  controls() {
    this.swapButton = html("button", "swap", { type: "button" });
    this.swapButton.addEventListener("click", () => this.swap());
    this.undoButton = html("button", "undo", { type: "button" });
    this.undoButton.addEventListener("click", () => this.undo());
    this.confirmButton = html("button", "confirm", { type: "button" });
    this.confirmButton.addEventListener("click", () => this.confirm());
    this.rollButton = html("button", "roll", { type: "button" });
    this.rollButton.addEventListener("click", () => this.#roll());
    this.#cubeButtons = Object.fromEntries(CUBE_ACTIONS.map((action) => {
      const button = html("button", action, { type: "button" });
      button.addEventListener("click", () => this.#turnCube(action));
      return [action, button];
    }));
    this.bar = html("div", "controls", { role: "group", tabindex: "-1" });
    this.bar.append(this.undoButton, this.confirmButton, this.rollButton, ...Object.values(this.#cubeButtons));
    this.cubePlace = html("div", "cube-place", { role: "img" });
    return [this.swapButton, this.cubePlace, this.bar];
  }

  /** *Roll*: without a double where one was possible, or by hand where the server has rolled already. */
  #roll() {
    if (this.#actions.includes("roll")) this.#turnCube("roll");
    else this.dispatchEvent(new CustomEvent("ludus-roll", { bubbles: true, composed: true }));
  }

  #turnCube(action) {
    const hadFocus = this.bar.contains(this.shadowRoot.activeElement);
    this.choose({ cube: action });
    this.#updateControls();
    if (hadFocus) this.focusPlace(this.rows.at(-1)[0]);
  }

  placeAt({ x, y }, wanted = []) {
    const has = ({ x: left, y: top, width, height }, slack) => x >= left - slack && x <= left + width + slack && y >= top - slack && y <= top + height + slack;
    return wanted.find((place) => has(this.layout.cell(place), 0)) ?? [...this.cells.keys()].find((place) => has(this.layout.cell(place), 0))
      ?? wanted.find((place) => has(this.layout.cell(place), 20)) ?? null;
  }

  pieceOn(place) { return this.#stacks.top(place, this.mover) ?? (this.isEditing ? this.#stacks.top(place, other(this.mover)) : undefined); }

  update() {
    if (Boolean(this.cube) !== this.layout.hasCube) return this.redraw();
    this.#stacks.arrange(this.shown);
    this.#cube.show(this.cube, this.layout);
    const { dice, made = [], previousDice = null } = this.state;
    const left = unused(dice, [...made, ...this.#soFar], this.mover);
    this.#dice.show({ dice, left, color: this.mover, layout: this.layout, canSwap: this.isInteractive && !this.#soFar.length, previous: this.#soFar.length || this.#mustRoll || this.#actions.length ? null : previousDice });
    if (this.swapButton) this.#updateControls();
  }

  #updateControls() {
    const { dice } = this.state;
    const canSwap = this.isInteractive && dice.length === 2 && !this.#soFar.length;
    this.swapButton.hidden = !canSwap;
    if (canSwap) {
      set(this.swapButton, "aria-label", this.word("swap", { dice: this.#dice.order(dice).join(", ") }));
      this.put(this.swapButton, this.#dice.area(this.layout, this.mover));
    }
    this.undoButton.hidden = !(this.isInteractive && this.#soFar.length);
    this.confirmButton.hidden = !(this.isInteractive && this.isComplete);
    this.rollButton.hidden = !this.#mustRoll && !this.#actions.includes("roll");
    write(this.rollButton, this.word("roll"));
    write(this.undoButton, this.word("undo"));
    write(this.confirmButton, this.word("confirm"));
    this.#updateCube();
  }

  #updateCube() {
    const [{ cube }, actions] = [this, this.#actions];
    for (const [action, button] of Object.entries(this.#cubeButtons)) {
      button.hidden = !actions.includes(action);
      write(button, this.word(action));
    }
    set(this.#cubeButtons.double, "aria-label", this.word("double.to", { value: 2 * (cube?.value ?? 1) }));
    const isWhole = this.layout.isNarrow && actions.length > 0;
    this.bar.classList.toggle("beside-cube", isWhole && actions.includes("roll"));
    this.put(this.bar, this.layout.band(!this.layout.isBottom(cube?.offeredTo ?? this.side ?? this.mover), isWhole));
    this.cubePlace.hidden = !cube;
    if (!cube) return;
    const name = this.#cubeName(cube);
    set(this.cubePlace, "aria-label", name);
    set(this.bar, "aria-label", name);
    this.put(this.cubePlace, cubeArea(cube, this.layout));
  }

  #cubeName({ value, owner, offeredTo }) { return this.word(offeredTo ? "cube.offered" : `cube.${owner ?? "middle"}`, { value }); }

  swap() {
    this.#dice.swap();
    this.refresh();
  }

  /** The steps that can follow; undefined while the server is being asked. */
  #next(steps = this.#soFar) {
    if (!this.#plays.length) return [];
    const key = JSON.stringify(steps);
    if (!this.#known.has(key)) this.#ask(steps, key);
    return this.#known.get(key);
  }

  #ask(steps, key) {
    const known = this.#known;
    if (!this.steps) return known.set(key, following(this.#plays, steps));
    known.set(key, undefined);
    Promise.resolve(this.steps(steps)).then((found) => {
      known.set(key, found ?? []);
      if (known === this.#known) this.refresh();
      if (known === this.#known && this.isComplete) this.#completed();
    }, () => {
      known.delete(key);
      setTimeout(() => known === this.#known && this.refresh(), RETRY_MS);  // a slow connection: try again
    });
  }

  #completed() {
    if (this.autoConfirm) return this.confirm();
    this.announce(this.word("complete"));
    if (this.shadowRoot.activeElement?.classList.contains("cell")) queueMicrotask(() => this.confirmButton.focus());
  }

  #place(end) { return typeof end === "number" ? String(end) : `${end}-${this.mover}`; }

  sources() {
    return [...new Set((this.#next() ?? []).map((step) => this.#place(step.from)))];
  }

  /** For each place that the checker on `place` can reach, with one die or several, the steps that take it there. */
  #ways(place) {
    const ways = new Map();
    let heads = [{ at: place, made: [] }];
    while (heads.length) {
      const further = [];
      for (const { at, made } of heads) {
        for (const step of (this.#next([...this.#soFar, ...made]) ?? []).filter((each) => this.#place(each.from) === at)) {
          const way = { at: this.#place(step.to), made: [...made, step] };
          if (!ways.has(way.at)) ways.set(way.at, way.made), further.push(way);
        }
      }
      heads = further;
    }
    return ways;
  }

  targets(place) { return [...this.#ways(place).keys()]; }

  go(place, target) { this.#make(this.#ways(place).get(target)); }

  /** Double tap: moves by the first die, or by another if that one can't be played. */
  again(place) {
    const steps = (this.#next() ?? []).filter((step) => this.#place(step.from) === place);
    const wanted = this.#dice.order(unused(this.state.dice, this.#soFar, this.mover));
    const fitting = wanted.map((die) => steps.find((step) => pips(step, this.mover) === die)).find(Boolean) ?? steps[0];
    if (fitting) this.#make([fitting]);
  }

  #make(steps) {
    const before = this.shown.bar[other(this.mover)];
    this.#keep([...this.#soFar, ...steps]);
    this.selected = null;
    const hits = this.shown.bar[other(this.mover)] - before;
    const hit = hits ? ` ${this.word(hits === 1 ? "hit_one" : "hit_other", { count: hits })}` : "";
    this.announce(this.word("step", { step: notationOf(steps, this.mover) }) + hit);
    this.#built();
    this.#next();
    this.refresh();
    if (this.isComplete) this.#completed();
  }

  /** Tells the page how the board looks with the steps made so far. */
  #built() {
    this.dispatchEvent(new CustomEvent("ludus-step", { bubbles: true, composed: true, detail: { position: this.shown } }));
  }

  undo() {
    this.#keep(this.#soFar.slice(0, -1));
    this.selected = null;
    this.#built();
    this.refresh();
  }

  cancel() {
    if (this.selected === null && this.#soFar.length) return this.undo();
    super.cancel();
  }

  /** Fires the play, with its steps in the order in which the server listed them. */
  confirm() {
    if (!this.isComplete) return;
    const listed = this.#plays.find((play) => isSame(play, this.#soFar));
    const moves = listed ?? this.#soFar;
    this.focusPlace(this.#place(this.#soFar.at(-1).to), this.shadowRoot.activeElement !== null);
    this.choose({ moves });
    for (const button of [this.undoButton, this.confirmButton]) button.hidden = true;
  }

  placeOf(end) { return this.cells.has(String(end)) ? String(end) : this.#place(end); }

  ringAt(place) {
    const color = place.split("-")[1] ?? this.mover;
    const count = this.#stacks.height(place, color);
    const { x: cx, y: cy } = count ? this.layout.spot(place, Math.min(count, 15) - 1, count) : this.#landing(place);
    return { cx, cy, r: RADIUS + 4 };
  }

  /** Nothing to explain on empty points and in trays; what's on the other side's bar isn't this player's. */
  refused(place, target) {
    const [kind, color] = place.split("-");
    if (this.#actions.length) return { reason: this.#actions.includes("roll") ? "roll_first" : "answer_first", places: [] };
    if (kind === "off" || (target === null && !this.#height(place))) return null;
    if (kind === "bar" && color !== this.mover) return { reason: "not_yours", places: [] };
    const end = (each) => (/^\d/.test(each) ? Number(each) : each.split("-")[0]);
    if (target !== null && target.startsWith("bar")) return null;
    return { position: end(place), soFar: this.#soFar, ...(target === null ? {} : { target: end(target) }) };
  }

  isTheirs(place) { return this.#stacks.height(place, this.mover) === 0 && this.#height(place) > 0; }

  #height(place) { return COLORS.reduce((sum, color) => sum + this.#stacks.height(place, color), 0); }

  paintMarks(sources, targets) {
    const steps = this.last?.moves ?? [];
    fill(this.under, JSON.stringify([steps, targets]), () => [...steps.flatMap((step) => this.#tints(step)), ...targets.map((place) => this.#glow(place, "selected"))]);
    this.over.replaceChildren(...targets.map((place) => this.#dot(place)));
    this.#stacks.each((checker, place, isTop, color) => {
      const isFree = isTop && color === this.mover && sources.includes(place);
      checker.classList.toggle("movable", isFree && this.selected === null);
      checker.classList.toggle("picked", isFree && this.selected === place);
    });
  }

  #dot(place) {
    const { x, y } = this.#landing(place);
    return svg("circle", { class: "dot", cx: x, cy: y, r: 13 });
  }

  #tints({ from, to }) { return [from, to].filter((end) => typeof end === "number").map((end) => this.#glow(String(end), "last")); }

  #glow(place, kind) {
    if (/^\d/.test(place)) return svg("polygon", { class: kind, points: this.layout.triangle(Number(place)) });
    return svg("rect", { class: kind, ...this.layout.cell(place), rx: 6 });
  }

  /** Where a checker would land. */
  #landing(place) {
    const count = this.#stacks.height(place, this.mover);
    return this.layout.spot(place, Math.min(count, 14), count + 1);
  }

  /** With the cube to turn, *Roll* gets the focus; a double is answered on purpose, so no answer has it by itself. */
  focusFirst() {
    const actions = this.#actions;
    if (!actions.length) return super.focusFirst();
    if (![document.body, this].includes(document.activeElement)) return;
    queueMicrotask(() => (actions.includes("roll") ? this.rollButton : this.bar).focus());
  }

  /** From the top of each stack to where the checker would lie; a way that several checkers take is drawn once. */
  drawAdvice({ moves }) {
    const color = moves.length ? colorOf(moves) : null;
    return waysOf(moves).map(({ way, count }) => {
      const places = way.map((end) => (typeof end === "number" ? String(end) : `${end}-${color}`));
      const spots = places.map((place, at) => this.#spot(place, color, at === 0 ? -1 : 0));
      return drawArrow(spots, { count, bend: (from, to) => this.#bend(from, to) });
    });
  }

  /** Where a stack's top checker is, or the next one would be. */
  #spot(place, color, from) {
    const count = this.#stacks.height(place, color);
    return this.layout.spot(place, Math.max(0, Math.min(count + from, 14)), Math.max(count + from + 1, count));
  }

  /** Along one side of the board an arrow bends towards the middle, so as not to hide what it passes. */
  #bend(from, to) {
    const isUpper = Math.max(from.y, to.y) < this.layout.middle;
    const isLower = Math.min(from.y, to.y) > this.layout.middle;
    const lift = Math.min(90, Math.abs(to.x - from.x) / 3) * Math.sign(to.x - from.x);
    return isUpper ? lift : isLower ? -lift : 0;
  }

  notationOf(move) { return move.moves.length ? notationOf(move, colorOf(move.moves)) : ""; }

  paintHover(place) {
    this.over.querySelector(".hover")?.remove();
    if (place) this.over.append(svg("circle", { class: "hover", cx: this.#landing(place).x, cy: this.#landing(place).y, r: 22 }));
  }

  nameOf(place) {
    const [kind] = place.split("-");
    return /^\d/.test(kind) ? String(own(Number(kind), this.side ?? this.mover)) : this.word(`name.${kind}`);
  }

  describe(place) {
    const { shown } = this;
    const [kind, color] = place.split("-");
    if (color) return this.word(kind, { checkers: this.word(color, { count: shown[kind][color] }) });
    const count = shown.board[Number(place)];
    const checkers = count ? this.word(count > 0 ? "white" : "black", { count: Math.abs(count) }) : this.word("empty");
    return this.word("point", { number: this.nameOf(place), checkers });
  }
}

/** A checker that's borne off lies on its side in the tray. */
function drawChecker(color, { width, height }) {
  const checker = drawPiece(color === "white" ? "first" : "second", RADIUS);
  const slab = svg("g", { class: "slab" }, svg("rect", { class: "body", x: -width / 2, y: -height / 2, width, height, rx: 3 }));
  checker.firstChild.append(slab, svg("text", { class: "count" }));
  return checker;
}

const boxOf = (shape) => Object.fromEntries(["x", "y", "width", "height", "rx"].map((name) => [name, shape.getAttribute(name)]));

function paint(shape, name, opacity = 1) {
  shape.style.fill = `var(--_${name})`;
  shape.style.opacity = opacity;
  return shape;
}

if (!customElements.get("ludus-backgammon")) customElements.define("ludus-backgammon", LudusBackgammon);
