// A lesson: a position for each step, and a move to find.
import { makeBoard, unpack } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { api, fill, h, lastOf, mount, store, stored } from "../shell.js";
import { gameName, language, number, t } from "../strings.js";

const id = lastOf(location.pathname);
const name = Object.hasOwn(GAMES, id) ? gameName(id) : t("shell.games");
const main = mount({ active: "games", title: t("learn.title", { game: name }) });
const KEY = `ludus.lesson.${id}`;

/** What the steps say in this language. */
async function textsOf(game) {
  const load = GAMES[game]?.load.lesson;
  return load ? (await (load[language] ?? load.en)()).default : {};
}

class Lesson {
  #at = 0;
  #isOpen = false;

  constructor(path, steps, texts) {
    Object.assign(this, { path, steps, texts });
    this.board = makeBoard(id);
    this.board.addEventListener("ludus-move", ({ detail }) => this.#try(detail));
    this.board.addEventListener("ludus-refused", () => this.#isOpen && this.#say(t("learn.refused"), "warn"));
    this.progress = h("progress", { class: "lesson-progress", max: steps.length, "aria-label": t("learn.progress") });
    this.count = h("p", { class: "muted small" });
    this.task = h("p", { class: "task", "aria-live": "polite" });
    this.answer = h("div", { class: "stack", role: "status" });
    this.buttons = h("div", { class: "row" });
    this.element = h("div", { class: "lesson" },
      h("h1", {}, t("learn.title", { game: name })),
      h("div", { class: "board-box" }, this.board),
      h("section", { class: "card stack", "aria-label": t("learn.task") }, this.progress, this.count, this.task, this.answer, this.buttons));
    this.#pose(Math.min(Number(stored(KEY)) || 0, steps.length - 1));
  }

  get #step() { return this.steps[this.#at]; }

  #pose(at) {
    const hadFocus = this.buttons.contains(document.activeElement);
    this.#at = at;
    this.#isOpen = true;
    const { board, color, moves } = this.#step;
    Object.assign(this.board, { side: color, last: null, advice: null, position: unpack(id, board, { color }), moves, steps: (soFar) => this.#steps(soFar) });
    this.progress.value = at;
    this.count.textContent = t("learn.step", { number: number(at + 1), count: number(this.steps.length) });
    this.task.textContent = this.texts[`${this.#step.name}.task`];
    this.answer.replaceChildren();
    this.#offer(["show", () => this.#show(), "plain"], at > 0 && ["back", () => this.#pose(at - 1), "plain"]);
    if (hadFocus) this.board.focusFirst?.();
  }

  /** The steps that can follow in a play of several. */
  async #steps(soFar) { return (await api(`${this.path}/moves`, { body: { step: this.#at, soFar } })).moves; }

  async #try(move) {
    if (!this.#isOpen) return;
    const at = this.#at;
    try {
      const tried = await api(`${this.path}/try`, { body: { step: at, move } });
      if (at === this.#at && this.#isOpen) this.#judge(tried, move);
    } catch (error) {
      this.#say(error.message, "bad");
    }
  }

  #judge({ isRight, board }, move) {
    if (!isRight) {
      const { board: before, color, moves } = this.#step;
      Object.assign(this.board, { position: unpack(id, before, { color }), moves });
      return this.#say(t("learn.wrong"), "warn");
    }
    this.#isOpen = false;
    Object.assign(this.board, { moves: [], steps: null, advice: null, last: move, position: unpack(id, board) });
    this.progress.value = this.#at + 1;
    this.#say(this.texts[`${this.#step.name}.done`], "good");
    if (this.#at + 1 < this.steps.length) {
      store(KEY, this.#at + 1);
      this.#offer(["next", () => this.#pose(this.#at + 1), "primary"]);
    } else this.#finish();
    return this.buttons.querySelector("button, a").focus();
  }

  #finish() {
    store(KEY, 0);
    this.answer.append(h("p", {}, t("learn.done")));
    this.buttons.replaceChildren(h("a", { class: "button", href: `/?game=${id}` }, icon("play"), t("learn.play")),
      h("a", { class: "button plain", href: `/games/${id}` }, t("learn.rules")));
    this.#offerMore(["restart", () => this.#pose(0), "plain"]);
  }

  #show() { this.board.advice = this.#step.solution; }

  #say(text, kind) { this.answer.replaceChildren(h("p", { class: `note ${kind}` }, text)); }

  #offer(...actions) {
    this.buttons.replaceChildren();
    this.#offerMore(...actions);
  }

  #offerMore(...actions) {
    this.buttons.append(...actions.filter(Boolean).map(([action, act, look]) => h("button", { class: look, type: "button", "data-lesson": action, onclick: act }, t(`learn.${action}`))));
  }
}

await fill(main, async () => {
  const path = `/web/lessons/${encodeURIComponent(id)}`;
  const [{ steps }, texts] = await Promise.all([api(path), textsOf(id)]);
  main.replaceChildren(new Lesson(path, steps, texts).element);
});
