// A puzzle on the board: the server judges each move, and tells the reply once a move is right.
import { at } from "../address.js";
import { prefersStill } from "../boards/board.js";
import { makeBoard, unpack } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { moveText } from "../move-text.js";
import { loadPerson, person } from "../person.js";
import { explainer } from "../play/explainer.js";
import { notationBox } from "../play/notation-box.js";
import { api, copy, fill, h, mount, toast } from "../shell.js";
import { gameName, language, number, t } from "../strings.js";
import { standing } from "./standing.js";

/** Time to see one's own move before the reply. */
const REPLY_MS = 650;
const [game, id = ""] = location.pathname.slice(at("/puzzles/").length).split("/").map(decode);
const name = Object.hasOwn(GAMES, game) ? gameName(game) : "";
const main = mount({ active: "puzzles", title: name ? t("puzzles.of", { game: name }) : t("puzzles.title") });
const themes = await themesOf(game);
const themeName = (theme) => themes[theme] ?? theme.replaceAll("_", " ");
const root = `/web/puzzles/${encodeURIComponent(game)}`;

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** What the game's puzzles are about, in this language. */
async function themesOf(game) {
  const load = GAMES[game]?.load.themes;
  return load ? (await (load[language] ?? load.en)()).default : {};
}

class Solver {
  /** The puzzle as the server shows it, and the number of the move to find. */
  #puzzle = null;
  #number = 0;
  #isOpen = false;
  /** Changes with every puzzle and try, so that a late answer is not taken for a new one. */
  #turn = {};

  constructor() {
    this.board = makeBoard(game);
    this.state = {
      board: this.board,
      moves: [],
      presentation: { isLooking: false },
      prompt: { show: (_, text) => this.#say(text, "warn") },
      room: { game, color: null, position: null, isMine: true, over: null, why: (detail) => this.#list({ ...detail, explain: true }).then(({ refusal }) => refusal) },
      send: (move) => this.#try(move),
    };
    this.state.explainer = explainer(this.state);
    this.typed = notationBox(this.state);
    this.board.addEventListener("ludus-move", ({ detail }) => this.#try(detail));
    this.board.addEventListener("ludus-refused", ({ detail }) => this.#isOpen && this.state.explainer.explain(detail));
    this.heading = h("h1", {});
    this.task = h("p", { class: "task" });
    this.answer = h("div", { class: "stack answer", role: "status" });
    this.buttons = h("div", { class: "row" });
    this.standing = h("div", { "aria-label": t("puzzles.standing"), role: "group" });
    this.theme = h("select", { name: "theme", autocomplete: "off", onchange: () => this.next() });
    this.element = h("div", { class: "puzzle" },
      h("div", { class: "title-row" }, this.heading, h("div", { class: "row" }, h("a", { class: "button plain", href: "/puzzles" }, t("puzzles.all")))),
      h("div", { class: "board-box" }, this.board),
      h("section", { class: "card stack", "aria-label": t("puzzles.task") }, this.task, this.answer, this.buttons, this.typed.element, this.standing,
        h("label", {}, t("puzzles.theme"), this.theme)));
  }

  get #path() { return `${root}/${encodeURIComponent(this.#puzzle.id)}`; }

  async next() {
    const query = new URLSearchParams({ ...(this.theme.value ? { theme: this.theme.value } : {}), ...(this.#puzzle ? { skip: this.#puzzle.id } : {}) });
    try {
      this.show(await api(`${root}/next?${query}`));
      history.replaceState(null, "", at(`/puzzles/${game}`));
      this.board.focusFirst?.();
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  /** Shows a puzzle as the visitor left it. */
  show(puzzle) {
    this.#puzzle = puzzle;
    this.heading.textContent = puzzle.isDaily ? t("puzzles.daily.of", { game: name }) : t("puzzles.of", { game: name });
    this.#showThemes(puzzle.themes);
    this.#pose(puzzle.number, puzzle, puzzle.last);
    this.#showStanding(puzzle.me);
    const { attempt, solution } = puzzle;
    this.answer.replaceChildren();
    if (solution) this.#note(t(attempt.state === "solved" ? "puzzles.solved.before" : "puzzles.failed.before"), "");
    else if (attempt && attempt.state !== "open") this.#note(t(attempt.state === "hinted" ? "puzzles.hint.unrated" : "puzzles.failed.before"), "");
    this.#offer("hint", "show", "skip");
  }

  /** Puts a position on the board in which the visitor is to find a move. */
  #pose(at, { board, color, moves }, last = null) {
    this.#number = at;
    this.#isOpen = true;
    const position = unpack(game, board, { color });
    this.element.dataset.number = at;
    Object.assign(this.state.room, { color, position, isMine: true, over: null });
    this.state.moves = moves;
    Object.assign(this.board, { side: color, last, advice: null, position, moves, steps: (soFar) => this.#list({ soFar }).then(({ moves: next }) => next) });
    const decision = GAMES[game].turnOf(position);
    this.task.textContent = decision ? t(`${game}.${decision[0]}.mine`, { name: t("puzzles.opponent"), ...decision[1] }) : t("puzzles.find", { color: t(`color.${color}`) });
    this.#pending = { board, color, moves };
    this.board.point?.([]);
    this.typed.update();
  }

  /** What was posed last, to go back to it. */
  #pending = null;

  #list(wanted) {
    const { position, target, soFar, explain } = wanted;
    const asked = Object.fromEntries(Object.entries({ position, target, soFar, explain }).filter(([, value]) => value !== undefined));
    return api(`${this.#path}/moves`, { body: { number: this.#number, ...asked } });
  }

  async #try(move) {
    if (!this.#isOpen) return;
    const turn = (this.#turn = {});
    const wasOpen = (this.#puzzle.attempt?.state ?? "open") === "open";
    const found = await this.#post("try", { number: this.#number, move });
    if (turn !== this.#turn) return;
    if (!found) this.#pose(this.#number, this.#pending, this.board.last);
    else if (found.isRight) await this.#accept(found, wasOpen);
    else this.#refuse(found, move, wasOpen);
  }

  /** Asks the server for something that may change how the visitor stands. */
  async #post(what, body = {}) {
    try {
      const found = await api(`${this.#path}/${what}`, { body });
      this.#puzzle.attempt = found.attempt;
      this.#showStanding(found.me);
      if (!person()) loadPerson().catch(() => {});
      return found;
    } catch (error) {
      toast(error.message, "bad");
      return null;
    }
  }

  #refuse({ notation, attempt }, move, wasOpen) {
    this.#pose(this.#number, this.#pending, this.board.last);
    const text = t(wasOpen ? "puzzles.wrong.first" : "puzzles.wrong", { move: moveText(game, move, { notation }) });
    this.#say(text, "warn", wasOpen && ratingChange(attempt.rating));
    this.#offer("hint", "show", "skip");
  }

  async #accept({ made, reply, solution, attempt, isSolved }, wasOpen) {
    const turn = this.#turn;
    this.#isOpen = false;
    Object.assign(this.state, { moves: [] }).room.isMine = false;
    const hadFocus = this.board.contains(document.activeElement);
    Object.assign(this.board, { moves: [], steps: null, advice: null, last: made.move, position: unpack(game, made.after, {}) });
    if (isSolved) return this.#finish(solution, wasOpen && attempt.state === "solved", attempt.rating);
    this.#say(t("puzzles.found"), "good");
    await new Promise((resolve) => setTimeout(resolve, prefersStill() ? 0 : REPLY_MS));
    if (turn !== this.#turn) return;
    this.#pose(this.#number + 1, reply, reply.move);
    if (hadFocus) this.board.focusFirst?.();
  }

  #finish(solution, isRated, rating) {
    const [first] = solution.moves;
    const key = isRated ? (solution.moves.length > 1 ? "puzzles.solved.line" : "puzzles.solved") : "puzzles.solved.late";
    this.#end(solution, t(key, { move: moveText(game, first.move, first) }), "good", isRated && ratingChange(rating));
  }

  async #give() {
    const turn = (this.#turn = {});
    const wasOpen = (this.#puzzle.attempt?.state ?? "open") === "open";
    const found = await this.#post("solution");
    if (!found || turn !== this.#turn) return;
    const [first] = found.solution.moves;
    const last = found.solution.moves.at(-1);
    Object.assign(this.board, { moves: [], steps: null, advice: null, last: last.move, position: unpack(game, last.after, {}) });
    this.#end(found.solution, t("puzzles.solution", { move: moveText(game, first.move, first) }), "", wasOpen && ratingChange(found.attempt.rating));
  }

  /** Everything there is to say about a puzzle that is over. */
  #end(solution, text, look, change) {
    this.#isOpen = false;
    this.state.room.over = {};
    this.board.point?.([]);
    this.typed.update();
    this.task.textContent = t("puzzles.line");
    const margin = number(solution.margin, { maximumFractionDigits: GAMES[game].lossDigits });
    this.#say(text, look, change);
    this.answer.append(
      solution.moves.length > 1 ? h("ol", { class: "line" }, solution.moves.map((each) => h("li", {}, moveText(game, each.move, each)))) : "",
      h("p", { class: "small" }, t("puzzles.margin", { margin })),
      h("p", { class: "row" }, solution.themes.map((theme) => h("span", { class: "badge" }, themeName(theme))),
        h("span", { class: "badge" }, t("puzzles.rated", { rating: number(solution.rating, { useGrouping: false }) }))));
    this.#offer("next", "retry", "share");
    this.buttons.append(h("a", { class: "button plain", "data-puzzle": "analyze", href: `/analysis?${new URLSearchParams({ game, position: this.#puzzle.position })}` }, t("puzzles.analyze")));
    this.buttons.querySelector("button").focus();
  }

  async #hint() {
    const turn = this.#turn;
    const found = await this.#post("hint");
    if (!found || turn !== this.#turn || !this.#isOpen) return;
    const { themes, place, number: asked } = found.hint;
    const words = themes.map((theme) => themeName(theme)).join(", ");
    const isHere = place !== null && asked === this.#number;
    this.#say(t(isHere ? "puzzles.hint.place" : "puzzles.hint.text", { themes: words }), "");
    if (found.attempt.state === "hinted") this.answer.append(h("p", { class: "small muted" }, t("puzzles.hint.unrated")));
    if (isHere) this.board.point?.([place], { ms: Infinity });
  }

  #retry() {
    this.#turn = {};
    api(this.#path).then((puzzle) => {
      this.#puzzle = puzzle;
      this.answer.replaceChildren();
      this.#pose(puzzle.number, puzzle, puzzle.last);
      this.#offer("hint", "show", "skip");
      this.board.focusFirst?.();
    }).catch((error) => toast(error.message, "bad"));
  }

  #say(text, look, change = null) {
    this.answer.replaceChildren();
    this.#note(text, look);
    if (change) this.answer.append(change);
  }

  #note(text, look) { this.answer.append(h("p", { class: `note ${look}` }, text)); }

  #offer(...actions) {
    const all = {
      hint: ["light", () => this.#hint(), "plain"],
      show: [null, () => this.#give(), "plain"],
      skip: [null, () => this.next(), "plain"],
      next: ["run", () => this.next(), "primary"],
      retry: ["again", () => this.#retry(), "plain"],
      share: ["share", () => copy(new URL(at(`/puzzles/${game}/${this.#puzzle.id}`), location.href).href), "plain"],
    };
    this.buttons.replaceChildren(...actions.map((action) => {
      const [picture, act, look] = all[action];
      return h("button", { class: look, type: "button", "data-puzzle": action, onclick: act }, picture ? icon(picture) : null, t(`puzzles.${action}`));
    }));
  }

  #showStanding(me) { this.standing.replaceChildren(standing(me)); }

  #showThemes(themes) {
    if (this.theme.options.length) return;
    this.theme.append(h("option", { value: "" }, t("puzzles.theme.any")), ...themes.map((theme) => h("option", { value: theme }, themeName(theme))));
  }
}

function ratingChange(rating) {
  if (!rating) return null;
  const show = (value) => number(value, { useGrouping: false });
  const gained = rating.after - rating.before;
  return h("p", { class: "rating-change" }, t("puzzles.rating.change", { before: show(rating.before), after: show(rating.after) }), " ",
    h("span", { class: `badge ${gained < 0 ? "bad" : "good"}` }, number(gained, { signDisplay: "always" })));
}

await fill(main, async () => {
  const puzzle = await api(id ? `${root}/${encodeURIComponent(id)}` : `${root}/next`);
  const solver = new Solver();
  main.replaceChildren(solver.element);
  solver.show(puzzle);
});
