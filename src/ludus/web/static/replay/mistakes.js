// Learning from mistakes: the position before each one on the board, to find a better move.
import { GAMES } from "../games/index.js";
import { moveText } from "../move-text.js";
import { nameOf } from "../people.js";
import { person } from "../person.js";
import { api, h, toast } from "../shell.js";
import { number, t, tn } from "../strings.js";
import { candidateTable, cubeTable } from "./candidates.js";

const SERIOUS = new Set(["mistake", "blunder"]);

/** Fires `start` and `stop`. */
export class Mistakes extends EventTarget {
  #moves = [];
  #at = 0;
  #solved = 0;
  #isOpen = false;
  /** Whether the viewer moves at this exercise's request. */
  #isOwnStep = false;

  /** `moves` are the analyzed ones in order. */
  constructor(viewer, moves) {
    super();
    this.viewer = viewer;
    this.path = `/web/tables/${viewer.record.id}/analysis`;
    this.serious = viewer.record.players.map((_, seat) => moves.filter((move) => move.seat === seat && SERIOUS.has(move.mark) && move.kind !== "resignation"));
    this.panel = h("div", { class: "stack mistakes", hidden: true });
    this.buttons = h("div", { class: "row" }, this.#seats().map((seat) => h("button", { class: "plain", type: "button", "data-learn": seat, onclick: () => this.start(seat) },
      t("mistakes.start", { name: nameOf(viewer.record.players[seat]), count: number(this.serious[seat].length) }))));
    this.element = h("section", { class: "stack", "aria-label": t("mistakes.title"), hidden: !this.buttons.childElementCount },
      h("h3", {}, t("mistakes.title")), h("p", { class: "muted small" }, t("mistakes.lead")), this.buttons, this.panel);
    viewer.addEventListener("step", () => this.#isOwnStep || this.stop());
    viewer.board.addEventListener("ludus-move", ({ detail }) => this.#try(detail));
  }

  get isOn() { return !this.panel.hidden; }
  get #move() { return this.#moves[this.#at]; }

  /** The visitor's own mistakes first, then the other player's. */
  #seats() {
    const own = this.viewer.record.players.findIndex(({ id }) => person() && id === `person:${person().id}`);
    return (own === 1 ? [1, 0] : [0, 1]).filter((seat) => this.serious[seat].length);
  }

  start(seat) {
    this.#moves = this.serious[seat];
    this.#solved = 0;
    this.panel.hidden = false;
    this.buttons.hidden = true;
    this.dispatchEvent(new Event("start"));
    if (this.viewer.board.hasAttribute("flip") !== (seat === 1)) this.viewer.flip();
    this.#pose(0);
  }

  stop() {
    if (!this.isOn) return;
    this.panel.hidden = true;
    this.buttons.hidden = false;
    Object.assign(this.viewer.board, { moves: [], steps: null });
    this.viewer.show();
    this.dispatchEvent(new Event("stop"));
  }

  /** Shows a position, or the end if there are no more. */
  #pose(at) {
    this.#at = at;
    if (!this.#move) return this.#finish();
    this.#isOwnStep = true;
    this.viewer.go(this.#move.number);
    this.#isOwnStep = false;
    this.#isOpen = true;
    this.viewer.board.scrollIntoView({ block: "nearest" });
    this.#offer();
    const { record } = this.viewer;
    const made = record.moves[this.#move.number - 1];
    const question = t("mistakes.question", { name: nameOf(record.players[made.seat]), move: moveText(record.game, made.move, made), loss: this.#loss(this.#move.loss) });
    this.#show(h("p", {}, question), [["solution", () => this.#reveal()]]);
  }

  /** The position with its legal moves. */
  async #offer() {
    const { board } = this.viewer;
    const { number: asked } = this.#move;
    const list = (more = {}) => api(`${this.path}/moves`, { body: { number: asked, ...more } }).then(({ moves }) => moves);
    this.viewer.peek(null);
    board.steps = (soFar) => list({ soFar });
    try {
      const moves = await list();
      if (this.isOn && this.#move?.number === asked) board.moves = moves;
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  async #try(move) {
    if (!this.isOn || !this.#isOpen) return;
    const asked = this.#move;
    try {
      const tried = await api(`${this.path}/try`, { body: { number: asked.number, move } });
      if (this.isOn && this.#move === asked) this.#judge(tried);
    } catch (error) {
      toast(error.message, "bad");
      this.#offer();
    }
  }

  /** Good enough is what the analysis wouldn't mark. */
  #judge({ notation, loss, mark, isBest }) {
    const { game } = this.viewer.record;
    const move = moveText(game, this.#move.candidates.find((each) => each.notation === notation)?.move ?? { notation }, { notation });
    if (!mark) {
      this.#solved += 1;
      return this.#explain(h("p", { class: "note good" }, isBest ? t("mistakes.best", { move }) : t("mistakes.good", { move, loss: this.#loss(loss) })));
    }
    this.#offer();
    return this.#show(h("p", { class: "note warn" }, t("mistakes.worse", { move, loss: this.#loss(loss) })), [["solution", () => this.#reveal()]]);
  }

  #reveal() {
    const { best } = this.#move;
    this.viewer.peek(best.move);
    this.viewer.board.moves = [];
    this.#explain(h("p", { class: "note" }, t("mistakes.solution", { move: moveText(this.viewer.record.game, best.move, best) })));
  }

  /** Why: what follows the best move, and what the moves are worth. */
  #explain(message) {
    this.#isOpen = false;
    const { best: { line }, cube } = this.#move;
    const { game, moves } = this.viewer.record;
    const peek = (_, move) => this.viewer.peek(move);
    const follows = line.length > 1 ? h("p", { class: "small" }, t("mistakes.line", { moves: line.join(" ") })) : null;
    this.#show(message, [[this.#at + 1 < this.#moves.length ? "next" : "end", () => this.#pose(this.#at + 1)]], follows, cube ? cubeTable(game, cube) : candidateTable(game, this.#move, moves[this.#move.number - 1], peek));
  }

  #finish() {
    this.viewer.board.moves = [];
    this.panel.replaceChildren(h("p", { class: "note good", role: "status" }, tn("mistakes.done", this.#moves.length, { solved: number(this.#solved) })), this.#button("stop", () => this.stop(), "primary"));
    this.panel.querySelector("button").focus();
  }

  #show(message, actions, ...more) {
    const hadFocus = this.panel.contains(document.activeElement);
    this.panel.replaceChildren(
      h("p", { class: "muted small" }, t("mistakes.progress", { number: number(this.#at + 1), count: number(this.#moves.length) })),
      h("div", { role: "status" }, message),
      h("div", { class: "row" }, actions.map(([name, act]) => this.#button(name, act, name === "solution" ? "plain" : "primary")), this.#button("stop", () => this.stop(), "plain")),
      ...more.filter(Boolean));
    if (hadFocus) this.panel.querySelector("button").focus();
  }

  #button(name, act, look) { return h("button", { class: look, type: "button", "data-mistakes": name, onclick: act }, t(name === "solution" ? "mistakes.solution.show" : `mistakes.${name}`)); }

  #loss(loss) { return number(loss, { maximumFractionDigits: GAMES[this.viewer.record.game].lossDigits }); }
}
