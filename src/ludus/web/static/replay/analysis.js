// The engine's analysis of a finished game, on request.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { nameOf } from "../people.js";
import { ApiError, api, h, store, stored } from "../shell.js";
import { has, number, t } from "../strings.js";
import { Graph } from "./graph.js";
import { isPass } from "./viewer.js";

const POLL_MS = 600;
const MARKS = ["doubtful", "mistake", "blunder"];
const BUSY = ["waiting", "running"];
const ARROWS = "ludus-arrows";
const LEAST = 0.005;

export class Analysis {
  constructor(viewer) {
    this.viewer = viewer;
    this.path = `/web/tables/${viewer.record.id}/analysis`;
    this.moves = new Map();
    this.graph = new Graph(viewer.length, (at) => viewer.go(at));
    this.startButton = h("button", { class: "primary", type: "button", onclick: () => this.start() }, icon("light"), t("analysis.start"));
    this.body = h("div", { class: "stack" }, viewer.length ? [h("p", { class: "muted" }, t("analysis.lead")), this.startButton] : h("p", { class: "muted" }, t("analysis.none")));
    this.element = h("section", { class: "card analysis", "aria-label": t("analysis.title") }, h("h2", {}, t("analysis.title")), this.body);
    viewer.addEventListener("step", () => this.#point());
    if (viewer.length) this.#showExisting();
  }

  /** Shows an analysis that exists already. */
  async #showExisting() {
    const found = await api(this.path).catch(() => null);
    if (found && found.state !== "none" && found.state !== "failed") await this.#watch(() => found);
  }

  async start() {
    this.startButton.disabled = true;
    await this.#watch(() => api(this.path, { body: {} })); // with a body: what the cookie allows must be JSON
  }

  async #watch(ask) {
    try {
      await this.#follow(await ask());
    } catch (error) {
      this.#fail(error);
    }
  }

  async #follow(answer) {
    this.progress = h("progress", { max: "1", value: "0", "aria-label": t("analysis.progress") });
    this.status = h("p", { class: "muted small", role: "status" });
    this.review = h("div", { class: "review", "aria-live": "polite" });
    this.tally = h("div", { class: "tally" });
    this.body.replaceChildren(this.status, this.progress, this.graph.element, this.review, this.#arrowSwitch(), this.tally);
    while (true) {
      this.#take(answer);
      if (!BUSY.includes(answer.state)) break;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      answer = await api(`${this.path}?after=${this.moves.size}`);
    }
    if (answer.state === "failed") throw new ApiError(t("analysis.failed"), { code: "engine_failed" });
    this.progress.remove();
    this.status.remove();
    this.viewer.mark(new Map(this.#sorted().filter((move) => move.mark).map((move) => [move.number, move.mark])));
    this.#showTally();
    this.element.dataset.state = "done";
  }

  #take(answer) {
    for (const move of answer.moves) this.moves.set(move.number, move);
    this.progress.max = Math.max(1, answer.total);
    this.progress.value = answer.done;
    this.status.textContent = answer.state === "waiting" ? t("analysis.waiting") : t("analysis.running", { done: number(answer.done), total: number(answer.total) });
    if (this.moves.size) this.graph.draw(this.#sorted(), GAMES[this.viewer.record.game].graphLimit, this.viewer.at);
    this.#point();
  }

  /** Whether the board shows the better move; remembered for the next game. */
  #arrowSwitch() {
    this.arrows = h("input", { type: "checkbox", checked: stored(ARROWS) !== "off", onchange: () => {
      store(ARROWS, this.arrows.checked ? "on" : "off");
      this.#advise();
    } });
    return h("label", { class: "row" }, this.arrows, t("analysis.arrows"));
  }

  #advise() {
    const move = this.moves.get(this.viewer.at);
    this.viewer.advise(this.arrows.checked && move && hasBetter(move, this.#played(move)) ? move.best.move : null);
  }

  #played(move) { return this.viewer.record.moves[move.number - 1].notation; }

  #sorted() { return [...this.moves.values()].sort((one, other) => one.number - other.number); }

  #point() {
    if (!this.review) return;
    this.graph.point(this.viewer.at);
    const move = this.moves.get(this.viewer.at);
    this.review.replaceChildren(...(move ? this.#reviewOf(move) : [h("p", { class: "muted small" }, t(this.#noReview()))]));
    this.#advise();
  }

  /** Why there's no review of the move on display. */
  #noReview() {
    if (!this.viewer.at) return "analysis.step";
    return isPass(this.viewer.record.moves[this.viewer.at - 1]) ? "analysis.pass" : "analysis.not_yet";
  }

  #reviewOf(move) {
    const { value, best, mark, loss, isForced } = move;
    const played = this.#played(move);
    const head = h("p", {}, h("strong", {}, played), " ", mark ? h("span", { class: `badge ${mark === "doubtful" ? "warn" : "bad"}` }, t(`mark.${mark}`)) : null,
      " ", h("span", { class: "muted" }, signed(value)));
    if (!hasBetter(move, played)) {
      const comment = isForced ? "forced" : best.notation === played ? "is_best" : "as_good";
      return [head, h("p", { class: "small" }, t(`analysis.${comment}`, { move: best.notation })), this.#chances(best.chances)].filter(Boolean);
    }
    const cost = ` (${t("analysis.cost", { loss: number(loss, { maximumFractionDigits: 2 }) })})`;
    const line = best.line.length > 1 ? best.line.join(" ") : best.notation;
    const better = h("button", { class: "better small", type: "button", "aria-pressed": "false", onclick: () => this.#peek(better, best.move) }, t("analysis.best", { move: line }));
    return [head, h("p", { class: "small" }, better, cost), this.#chances(best.chances)].filter(Boolean);
  }

  /** Toggles between the position in which the better move could have been made and the game. */
  #peek(button, move) {
    const isShown = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!isShown));
    if (isShown) this.viewer.show();
    else this.viewer.peek(move);
  }

  #showTally() {
    const rows = this.viewer.record.players.map((player, seat) => {
      const own = this.#sorted().filter((move) => move.seat === seat);
      return [h("span", {}, nameOf(player)), ...MARKS.map((mark) => h("span", { class: "number" }, String(own.filter((move) => move.mark === mark).length)))];
    });
    this.tally.replaceChildren(h("b", {}), ...MARKS.map((mark) => h("b", {}, t(`marks.${mark}`))), ...rows.flat());
  }

  #chances(shares) {
    const key = `${this.viewer.record.game}.chances`;
    if (!shares.length || !has(key)) return null;
    const percent = (share) => number(share, { style: "percent", maximumFractionDigits: 1 });
    return h("p", { class: "small muted" }, t(key, { win: percent(shares[0]), gammon: percent(shares[1] ?? 0) }));
  }

  #fail(error) {
    this.startButton.disabled = false;
    this.body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message), this.startButton);
  }
}

/** Whether another move was better by at least half of what two decimals show. */
const hasBetter = ({ best, isForced, loss }, played) => !isForced && best.notation !== played && loss >= LEAST;

function signed(value) {
  return number(value, { signDisplay: "exceptZero", minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
