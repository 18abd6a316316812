// The engine's analysis of a finished game, on request.
import { fromLine } from "../analysis/bar.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { moveText } from "../move-text.js";
import { ApiError, api, h, store, stored } from "../shell.js";
import { has, number, t } from "../strings.js";
import { candidateTable, cubeTable, equity } from "./candidates.js";
import { Graph } from "./graph.js";
import { Mistakes } from "./mistakes.js";
import { statistics } from "./statistics.js";
import { isPass } from "./viewer.js";

const POLL_MS = 600;
/** The first move is analyzed in a moment. */
const FIRST_POLL_MS = 200;
const BUSY = ["waiting", "running"];
const ARROWS = "ludus-arrows";
const LEAST = 0.005;
/** Made in either player's turn, and compared with playing on, not with moves. */
const isResignation = ({ kind }) => kind === "resignation";

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
    this.body.replaceChildren(this.status, this.progress, this.graph.element, this.review, this.#arrowSwitch());
    while (true) {
      this.#take(answer);
      if (!BUSY.includes(answer.state)) break;
      await new Promise((resolve) => setTimeout(resolve, this.moves.size ? POLL_MS : FIRST_POLL_MS));
      answer = await api(`${this.path}?after=${this.moves.size}`);
    }
    if (answer.state === "failed") throw new ApiError(t("analysis.failed"), { code: "engine_failed" });
    this.progress.remove();
    this.status.remove();
    this.viewer.mark(new Map(this.#sorted().filter((move) => move.mark).map((move) => [move.number, move.mark])));
    this.#showSummary(answer);
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
    if (this.mistakes?.isOn) return;
    const move = this.moves.get(this.viewer.at);
    this.viewer.advise(this.arrows.checked && move && hasBetter(move, this.#played(move)) ? move.best.move : null);
  }

  #played(move) { return this.viewer.record.moves[move.number - 1].notation; }

  #sorted() { return [...this.moves.values()].sort((one, other) => one.number - other.number); }

  #point() {
    if (!this.review) return;
    this.graph.point(this.viewer.at);
    this.#showBar();
    const move = this.moves.get(this.viewer.at);
    this.review.replaceChildren(...(move ? [...this.#rollReview(), ...this.#reviewOf(move)] : [h("p", { class: "muted small" }, t(this.#noReview()))]));
    this.#advise();
  }

  /** What the game is worth at the move on display, or at the last one before it that was analyzed. */
  #showBar() {
    const { bar, at } = this.viewer;
    const after = [...this.moves.keys()].filter((number) => number <= at).sort((one, other) => other - one)[0];
    const before = this.moves.get(at + 1);
    bar.element.hidden = !this.moves.size;
    if (before && after !== at) return bar.show(fromLine({ equity: before.best.value * (before.seat ? -1 : 1), chances: before.best.chances }, before.seat));
    if (after === undefined) return bar.show(null);
    const { value, seat, candidates } = this.moves.get(after);
    const played = candidates.find(({ isPlayed }) => isPlayed);
    return bar.show(played?.chances.length ? fromLine(played, seat) : { value });
  }

  /** Why there's no review of the move on display. */
  #noReview() {
    if (!this.viewer.at) return "analysis.step";
    return isPass(this.viewer.record.moves[this.viewer.at - 1]) ? "analysis.pass" : "analysis.not_yet";
  }

  /** The cube before the move on display, where the player rolled without a double. */
  #rollReview() {
    const before = this.moves.get(this.viewer.at - 1);
    const { game, moves } = this.viewer.record;
    return before?.cube && GAMES[game].isQuiet(moves[before.number - 1].move) ? [cubeTable(game, before.cube)] : [];
  }

  #reviewOf(move) {
    return [...this.#verdict(move), ...this.#details(move)];
  }

  /** What the engine compared, and how lucky the roll was. */
  #details(move) {
    const { candidates, cube, luck, luckMark, isForced } = move;
    const { game, moves } = this.viewer.record;
    const compared = () => candidateTable(game, move, moves[move.number - 1], (button, other) => this.#peek(button, other));
    const table = cube ? cubeTable(game, cube) : candidates.length > 1 && !isForced && !isResignation(move) ? compared() : null;
    const lucky = luck === null ? null : h("p", { class: "small muted" }, t("analysis.luck", { luck: equity(luck) }), luckMark ? ` (${t(`analysis.luck.${luckMark}`)})` : "");
    return [lucky, table].filter(Boolean);
  }

  #verdict(move) {
    const { value, best, mark, loss, isForced } = move;
    const played = this.#played(move);
    const cost = `(${t("analysis.cost", { loss: number(loss, { maximumFractionDigits: GAMES[this.viewer.record.game].lossDigits }) })})`;
    const head = h("p", {}, h("strong", {}, this.#text(move)), " ", mark ? h("span", { class: `badge ${mark === "doubtful" ? "warn" : "bad"}` }, t(`mark.${mark}`)) : null,
      " ", h("span", { class: "muted" }, signed(value)));
    if (isResignation(move)) {
      const worse = loss >= LEAST;
      return [head, h("p", { class: "small" }, t(worse ? "analysis.play_on" : "analysis.right_to_resign"), worse ? ` ${cost}` : ""), this.#chances(best.chances)].filter(Boolean);
    }
    if (!hasBetter(move, played)) {
      const comment = isForced ? "forced" : best.notation === played ? "is_best" : "as_good";
      return [head, h("p", { class: "small" }, t(`analysis.${comment}`, { move: this.#bestText(best) })), this.#chances(best.chances)].filter(Boolean);
    }
    const line = best.line.length > 1 ? best.line.join(" ") : this.#bestText(best);
    const better = h("button", { class: "better small", type: "button", "aria-pressed": "false", onclick: () => this.#peek(better, best.move) }, t("analysis.best", { move: line }));
    return [head, h("p", { class: "small" }, better, " ", cost), this.#chances(best.chances)].filter(Boolean);
  }

  #text(move) {
    const made = this.viewer.record.moves[move.number - 1];
    return moveText(this.viewer.record.game, made.move, made);
  }

  #bestText(best) { return moveText(this.viewer.record.game, best.move, best); }

  /** Toggles between the position in which the better move could have been made and the game. */
  #peek(button, move) {
    const isShown = button.getAttribute("aria-pressed") === "true";
    for (const other of this.review.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", "false");
    button.setAttribute("aria-pressed", String(!isShown));
    if (isShown) this.viewer.show();
    else this.viewer.peek(move);
  }

  /** The figures of both players, and what to learn from the game. */
  #showSummary(answer) {
    const moves = this.#sorted();
    this.mistakes = new Mistakes(this.viewer, moves);
    const page = this.element.closest(".game-page");
    this.mistakes.addEventListener("start", () => page.classList.add("is-learning"));
    this.mistakes.addEventListener("stop", () => {
      page.classList.remove("is-learning");
      this.#point();
    });
    this.body.append(statistics(this.viewer.record.players, moves, answer), this.mistakes.element);
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
const hasBetter = ({ best, kind, isForced, loss }, played) => !isForced && !isResignation({ kind }) && best.notation !== played && loss >= LEAST;

function signed(value) {
  return number(value, { signDisplay: "exceptZero", minimumFractionDigits: 2, maximumFractionDigits: 2 });
}
