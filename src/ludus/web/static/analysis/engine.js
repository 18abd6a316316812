// What an engine thinks of the position on the board, from a glance to a deep search.
import { GAMES } from "../games/index.js";
import { moveText } from "../move-text.js";
import { chancesLine, cubeTable, equity, pipLines, windowTable } from "../replay/candidates.js";
import { h, store, stored, streamed } from "../shell.js";
import { has, number, t } from "../strings.js";
import { fromLine } from "./bar.js";

const KEY = "ludus-engine";
/** Before it's asked, since people step through a game quickly. */
const PAUSE_MS = 120;

/** Fires `play` with the notation of a move that's pressed, and `advice` with the moves to draw. */
export class Engine extends EventTarget {
  #asking = null;
  #timer = null;
  #node = null;
  #next = null;

  constructor(game, bar) {
    super();
    Object.assign(this, { game, bar });
    this.switch = h("input", { type: "checkbox", role: "switch", checked: stored(KEY) !== "off", onchange: () => this.#turn() });
    this.status = h("p", { class: "muted small", role: "status" });
    this.body = h("div", { class: "stack opinion" });
    this.element = h("section", { class: "card stack engine", "aria-label": t("board.engine") },
      h("div", { class: "title-row" }, h("h2", {}, t("board.engine")), h("label", { class: "row" }, this.switch, t("board.engine.on"))), this.status, this.body);
  }

  get isOn() { return this.switch.checked; }

  /** Looks at another position; `next` is the move that's played there, if there is one. */
  look(node, next = null) {
    this.stop();
    Object.assign(this, { found: null });
    [this.#node, this.#next] = [node, next];
    this.bar.element.hidden = !this.isOn;
    this.element.dataset.state = "asked";
    if (!this.isOn) return this.#clear("");
    if (node.result) return this.#showResult(node.result);
    this.status.textContent = t("board.engine.waiting");
    this.#timer = setTimeout(() => this.#ask(node), PAUSE_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
    this.#asking = null;
  }

  #turn() {
    store(KEY, this.isOn ? "on" : "off");
    if (this.#node) this.look(this.#node, this.#next);
  }

  #showResult({ winner }) {
    this.#clear(t("board.over"));
    this.bar.show(winner === null ? { value: 0 } : { value: winner === 0 ? GAMES[this.game].graphLimit : -GAMES[this.game].graphLimit });
  }

  #clear(text) {
    this.status.textContent = text;
    this.body.replaceChildren();
    this.bar.show(null);
    this.#advise([]);
  }

  async #ask(node) {
    const asking = this.#asking = new AbortController();
    try {
      for await (const found of streamed(`/web/analysis/${this.game}/opinion?position=${encodeURIComponent(node.position)}`, asking)) {
        if (asking.signal.aborted) return;
        this.#show(found);
      }
    } catch (error) {
      if (asking.signal.aborted) return;
      this.#clear("");
      this.body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message),
        h("button", { class: "plain", type: "button", onclick: () => this.look(this.#node, this.#next) }, t("error.again")));
    }
  }

  #show(found) {
    const { lines, cube, window, effectivePips, stage, stages, depth, seat } = found;
    this.found = found;
    this.element.dataset.state = stage === stages ? "done" : "running";
    this.status.textContent = lines.length ? [depth ? t("board.engine.depth", { depth: number(depth) }) : null, stage < stages ? t("board.engine.thinking") : null].filter(Boolean).join(" · ") : t("board.engine.nothing");
    this.bar.show(lines.length ? fromLine(lines[0], seat) : null);
    const tables = [cube ? cubeTable(this.game, cube) : this.#table(lines), window ? windowTable(this.game, window) : null, this.#isCubeless(found) ? h("p", { class: "hint", "data-cubeless": "" }, t("board.cubeless")) : null].filter(Boolean);
    this.#keepFocus(() => this.body.replaceChildren(...tables, ...pipLines(this.game, effectivePips)));
    this.#advise(cube ? [] : lines.filter(({ move }) => move).slice(0, GAMES[this.game].arrowCount).map(({ move }) => move));
  }

  /** Whether there would be a decision about the cube before this roll, if the position had one. */
  #isCubeless({ lines, cube }) { return !cube && lines.length > 0 && !lines[0].move && !this.#node.board.cube && has(`${this.game}.cube.no_double`); }

  /** A deeper search replaces the table that somebody may be walking through. */
  #keepFocus(change) {
    const at = [...this.body.querySelectorAll("button")].indexOf(document.activeElement);
    change();
    if (at >= 0) this.body.querySelectorAll("button")[at]?.focus();
  }

  #table(lines) {
    if (!lines.length) return null;
    if (!lines[0].move) return h("p", {}, h("strong", {}, equity(lines[0].equity)), " ", chancesLine(this.game, lines[0].chances));
    const rows = lines.map((line, rank) => {
      const button = h("button", { class: "better", type: "button", onclick: () => this.dispatchEvent(new CustomEvent("play", { detail: line.notation })) }, moveText(this.game, line.move, line));
      const row = h("tr", { class: line.notation === this.#next?.notation ? "is-played" : null },
        h("td", {}, `${rank + 1}.`),
        h("th", { scope: "row" }, button, line.notation === this.#next?.notation ? h("span", { class: "badge" }, t("analysis.played")) : null,
          line.line.length > 1 ? h("span", { class: "muted chances" }, line.line.slice(1).join(" ")) : null, chancesLine(this.game, line.chances)),
        h("td", { class: "number" }, equity(line.equity)),
        h("td", { class: "number" }, rank ? equity(-line.loss) : ""));
      for (const [kind, moves] of [["pointerenter", [line.move]], ["focusin", [line.move]], ["pointerleave", null], ["focusout", null]]) row.addEventListener(kind, () => this.#advise(moves ?? this.#usual()));
      return row;
    });
    return h("table", { class: "candidates small" }, h("caption", { class: "visually-hidden" }, t("board.engine.moves")),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("analysis.rank")), h("th", { scope: "col" }, t("analysis.move")),
        h("th", { scope: "col", class: "number" }, t("analysis.equity")), h("th", { scope: "col", class: "number" }, t("analysis.difference")))),
      h("tbody", {}, rows));
  }

  #usual() { return (this.found?.lines ?? []).filter(({ move }) => move).slice(0, GAMES[this.game].arrowCount).map(({ move }) => move); }

  #advise(moves) { this.dispatchEvent(new CustomEvent("advice", { detail: moves.filter((move) => !move.cube) })); }
}
