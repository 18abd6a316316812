// A game step by step: the board, the moves in notation, and controls.
import { EvaluationBar } from "../analysis/bar.js";
import { endPosition, unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { factsText, moveText, partText } from "../move-text.js";
import { nameOf, playerTag } from "../people.js";
import { h } from "../shell.js";
import { duration, number, t } from "../strings.js";
import { clockFace, secondsOf } from "../time-controls.js";

const MARKS = { doubtful: "?!", mistake: "?", blunder: "??" };
const PACE_MS = 1100;

/** Whether nothing could be played; this is how the server writes it. */
export const isPass = ({ notation }) => !notation || notation === "pass";

export class Viewer extends EventTarget {
  #timer = null;
  #advice = null;

  constructor(record) {
    super();
    this.record = record;
    this.at = record.moves.length;
    this.marks = new Map();
    this.board = viewBoard(record.game);
    const initial = record.timeControl ? secondsOf(record.timeControl) : 0;
    this.faces = initial ? record.players.map((player) => clockFace(h("span", { class: "clock", role: "timer", "aria-label": t("clock.left", { name: nameOf(player) }) }))) : [];
    /** Of a live game, as `RoomClient` keeps it. */
    this.clock = null;
    this.top = h("div", { class: "seat" });
    this.bottom = h("div", { class: "seat" });
    this.list = h("ol", { class: "moves", "aria-label": t("replay.moves"), tabindex: "0" });
    this.scores = record.players.map(() => h("span", { class: "score" }));
    this.standing = h("p", { class: "standing" });
    /** Hidden until there's an analysis. */
    this.bar = new EvaluationBar(record.game);
    this.bar.element.hidden = true;
    this.stage = h("div", { class: "viewer" }, this.standing, this.top, h("div", { class: "board-and-bar" }, this.bar.element, h("div", { class: "board-box" }, this.board)), this.bottom, this.#controls(), h("p", { class: "hint keys" }, t("replay.keys")));
    this.seats();
    this.#listMoves();
    this.show();
    this.board.addEventListener("mousedown", (event) => event.preventDefault()); // keep the focus, so that arrow keys step through the game
    addEventListener("keydown", (event) => this.#key(event));
  }

  get length() { return this.record.moves.length; }
  get isLast() { return this.at === this.length; }

  #controls() {
    const button = (name, label, act) => h("button", { class: "plain square", type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
    this.runButton = button("run", t("replay.autoplay"), () => this.toggle());
    this.buttons = {
      first: button("first", t("replay.first"), () => this.go(0)),
      back: button("back", t("replay.back"), () => this.step(-1)),
      next: button("next", t("replay.next"), () => this.step(1)),
      last: button("last", t("replay.last"), () => this.go(this.length)),
    };
    const { first, back, next, last } = this.buttons;
    this.runButton.disabled = !this.length;
    this.flipButton = button("flip", t("replay.flip"), () => this.flip());
    return h("div", { class: "controls", role: "toolbar", "aria-label": t("replay.controls") }, first, back, this.runButton, next, last, this.flipButton);
  }

  seats() {
    const { players, ratings = [] } = this.record;
    const isFlipped = this.board.hasAttribute("flip");
    const tag = (seat) => {
      const change = ratings[seat];
      const rating = change ? h("span", { class: "muted small" }, number(change.after, { maximumFractionDigits: 0 }), " ", delta(change)) : null;
      return [playerTag(players[seat]), rating, this.scores[seat], this.faces[seat]?.element];
    };
    this.top.replaceChildren(...tag(isFlipped ? 0 : 1).filter(Boolean));
    this.bottom.replaceChildren(...tag(isFlipped ? 1 : 0).filter(Boolean));
  }

  flip() {
    this.board.toggleAttribute("flip");
    this.bar.flip(this.board.hasAttribute("flip"));
    this.seats();
    this.show();
    this.dispatchEvent(new CustomEvent("flip"));
  }

  #listMoves() {
    const rows = [];
    let part = 0;
    for (const [index, move] of this.record.moves.entries()) {
      if (this.#isQuiet(index)) continue;
      if (move.seat === 0 || !Array.isArray(rows.at(-1)) || rows.at(-1)[1]) rows.push([null, null]);
      rows.at(-1)[move.seat] = index;
      if (move.ended) rows.push(this.partOf(move.ended, ++part));
    }
    this.items = [];
    this.list.replaceChildren(...rows.map((row) => (Array.isArray(row) ? h("li", {}, row.map((index) => this.#item(index))) : h("li", { class: "part" }, row))));
  }

  /** A roll without a double is listed if it was a mistake. */
  #isQuiet(index) { return GAMES[this.record.game].isQuiet(this.record.moves[index].move) && !this.marks.has(index + 1); }

  /** How a game of a match ended, in words. */
  partOf(ended, number) {
    const { game, players } = this.record;
    return partText(game, ended, { number, name: nameOf(players.find(({ color }) => color === ended.winner)) });
  }

  #item(index) {
    if (index === null) return h("span", { class: "no-move", "aria-hidden": "true" }, "…");
    const move = this.record.moves[index];
    const dice = move.dice?.length ? h("span", { class: "rolled" }, `${move.dice.slice(0, 2).join("")}:`) : null;
    const mark = this.marks.get(index + 1);
    const sign = mark ? h("span", { class: `mark ${mark}`, title: t(`mark.${mark}`) }, MARKS[mark], h("span", { class: "visually-hidden" }, ` ${t(`mark.${mark}`)}`)) : null;
    const text = isPass(move) ? t("replay.pass") : moveText(this.record.game, move.move, move);
    const took = move.spentMs === undefined ? null : h("span", { class: "took" }, tookText(move.spentMs));
    const item = h("button", { class: "move", type: "button", onclick: () => this.go(index + 1) }, dice, text, sign, took);
    this.items[index] = item;
    return item;
  }

  /** Marks moves, by number, as "doubtful", "mistake" or "blunder". */
  mark(marks) {
    this.marks = marks;
    this.#listMoves();
    this.show();
  }

  /** Adds new moves, and follows them if the last move was on display. */
  extend(record) {
    const wasLast = this.isLast;
    const moves = [...this.record.moves.slice(0, record.count - record.moves.length), ...record.moves];
    this.record = { ...record, moves };
    this.runButton.disabled = !this.length;
    this.#listMoves();
    this.seats();
    if (wasLast) this.at = this.length;
    this.show();
  }

  /** Drops the moves after so many: they were taken back. */
  cut(count) {
    this.record = { ...this.record, moves: this.record.moves.slice(0, count), count };
    this.at = Math.min(this.at, count);
    this.#listMoves();
    this.show();
  }

  go(at) {
    const next = Math.max(0, Math.min(this.length, at));
    if (next === this.at) return;
    this.at = next;
    this.#advice = null;
    this.show();
    this.dispatchEvent(new CustomEvent("step", { detail: this.at }));
  }

  /** Goes to the next listed move, or back to the one before. */
  step(by) {
    let at = this.at + by;
    while (at > 0 && at < this.length && this.#isQuiet(at - 1)) at += by;
    this.go(at);
  }

  show() {
    const { record } = this;
    const move = this.at ? record.moves[this.at - 1] : null;
    const isNow = this.isLast && record.status === "live";
    this.board.last = move?.move ?? null;
    this.board.position = isNow ? this.#position(record.now, record.turn) : this.#positionAt(this.at);
    this.board.advice = this.#advice;
    this.showClocks();
    this.#showStanding(isNow ? null : move);
    const current = this.#current;
    this.items.forEach((item) => item.toggleAttribute("aria-current", item === current));
    this.#reveal();
    for (const name of ["first", "back"]) this.buttons[name].disabled = this.at === 0;
    for (const name of ["next", "last"]) this.buttons[name].disabled = this.isLast;
    if (this.isLast && this.#timer) this.toggle();
  }

  /** The board after so many moves. */
  #positionAt(at) {
    const { moves, start, game, players } = this.record;
    const move = moves[at - 1];
    if (move?.ended) return endPosition(game, moves[at - 2]?.board ?? start, { ...move, color: players[move.seat].color });
    return this.#position(move?.board ?? start, move?.seat, move?.dice);
  }

  /** The score of a match and the number of its game, at the move on display; after the last one, the result. `end` is
   * that move, unless the board shows what came after it. */
  #showStanding(end) {
    const { game, moves, players, result } = this.record;
    const { scoreOf, standingOf } = GAMES[game];
    const { match, cube } = this.board.position;
    const number = moves.slice(0, this.at).filter(({ ended }) => ended).length + (end?.ended ? 0 : 1);
    const score = (this.isLast && result?.match?.score) || end?.ended?.score || match?.score;
    const now = { cube, match: match && { ...match, game: number, score } };
    this.scores.forEach((element, seat) => {
      const points = scoreOf(now, players[seat].color) ?? (result ? resultOf(result, seat) : null);
      element.hidden = points === null;
      element.textContent = points ?? "";
    });
    this.standing.textContent = factsText(game, standingOf(now, players[this.board.hasAttribute("flip") ? 1 : 0].color));
    this.standing.hidden = !this.standing.textContent;
  }

  /** What the players had left at the move on display; at the last one, the clocks as they are or were in the end. */
  showClocks() {
    const { record, clock } = this;
    const seconds = record.timeControl ? secondsOf(record.timeControl) : 0;
    const then = (this.isLast && record.clock) || record.moves[this.at - 1]?.clock || [seconds * 1000, seconds * 1000];
    const shown = this.isLast && record.status === "live" && clock ? clock : { remainingMs: then, running: null };
    this.faces.forEach((face, seat) => face.show(shown, seat, seconds));
  }

  /** Draws arrows for a better move than the one on display; null removes them. */
  advise(move) {
    this.#advice = move;
    this.board.advice = move;
  }

  /** Shows the position before the move on display, with arrows for another move, until the next step. */
  peek(move) {
    const { record } = this;
    const made = record.moves[this.at - 1];
    this.board.last = null;
    this.board.position = this.#position(this.at > 1 ? record.moves[this.at - 2].board : record.start, made.seat, made.dice ?? []);
    this.board.advice = move;
  }

  #position(packed, seat, dice) { return unpack(this.record.game, packed, { dice, color: this.record.players[seat]?.color }); }

  /** The item of the move on display, or of the last listed one before it. */
  get #current() { return this.items.slice(0, this.at).findLast(Boolean); }

  #reveal() {
    const item = this.#current;
    if (!item) this.list.scrollTop = 0;
    else if (item.offsetTop < this.list.scrollTop || item.offsetTop + item.offsetHeight > this.list.scrollTop + this.list.clientHeight) {
      this.list.scrollTop = item.offsetTop - this.list.clientHeight / 2;
    }
  }

  toggle() {
    if (!this.length) return;
    const isRunning = Boolean(this.#timer);
    clearInterval(this.#timer);
    this.#timer = null;
    if (!isRunning) {
      if (this.isLast) this.go(0);
      this.#timer = setInterval(() => this.step(1), PACE_MS);
    }
    this.runButton.replaceChildren(icon(isRunning ? "run" : "pause"));
    const label = t(isRunning ? "replay.autoplay" : "replay.pause");
    this.runButton.setAttribute("aria-label", label);
    this.runButton.title = label;
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName)) return;
    const acts = {
      ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      Home: () => this.go(0), End: () => this.go(this.length), f: () => this.flip(),
    };
    if (event.key === " " && !/BUTTON|SUMMARY|^A$/.test(event.target.tagName)) acts[" "] = () => this.toggle();
    if (!(event.key in acts)) return;
    event.preventDefault();
    acts[event.key]();
  }
}

/** Arranges the parts of a page about one game: two columns in a wide window, one on a phone. */
export function gamePage({ head, viewer, side, lower = null }) {
  const page = h("div", { class: "game-page" }, h("div", { class: "board-column" }, viewer.stage, lower), h("div", { class: "text-column" }, head, side));
  page.style.setProperty("--shape", GAMES[viewer.record.game].shape);
  return page;
}

function resultOf(result, seat) {
  if (result.winner === null) return "½";
  return result.winner === seat ? String(result.points) : "0";
}

function delta({ before, after }) {
  const change = Math.round(after) - Math.round(before);
  return h("span", { class: change < 0 ? "bad" : "good" }, number(change, { signDisplay: "exceptZero" }));
}

/** Short times with a tenth of a second. */
function tookText(ms) {
  return ms < 10_000 ? t("time.seconds", { seconds: number(ms / 1000, { maximumFractionDigits: 1 }) }) : duration(ms / 1000);
}
