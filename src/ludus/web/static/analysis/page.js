// The analysis board: any position or game, free moves, and what an engine thinks. The address has it all.
import { makeBoard, unpack } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { factsText } from "../move-text.js";
import { api, ApiError, copy, fill, h, mount, store, stored, toast } from "../shell.js";
import { gameName, sentence, t } from "../strings.js";
import { EvaluationBar } from "./bar.js";
import { Editor } from "./editor.js";
import { Engine } from "./engine.js";
import { Explorer } from "./explorer.js";
import { readAddress, writeAddress } from "./address.js";
import { Line } from "./line.js";
import { MoveList } from "./moves.js";
import { Paste } from "./paste.js";

const LAST_GAME = "ludus-analysis-game";
const main = mount({ active: "analysis", title: t("board.title") });

/** Does what somebody has asked for. If it fails, they are told, and `undo` puts back what they had changed. */
async function attempt(work, undo = () => {}) {
  try {
    await work();
  } catch (error) {
    undo();
    toast(error.message, "bad");
  }
}

const loadEditor = (game) => GAMES[game].load.editor().catch(() => { throw new ApiError(t("error.offline"), { code: "offline" }); });

/** Fires `position` whenever another one is on the board; `detail` is as the server writes it. */
class AnalysisBoard extends EventTarget {
  #editor = null;
  /** Counts positions, to tell late answers from those that still matter. */
  #asked = 0;

  constructor(game, line, { isFlipped = false } = {}) {
    super();
    Object.assign(this, { game, line });
    this.board = makeBoard(game);
    this.board.autoConfirm = true;
    [this.board.side] = GAMES[game].colors;
    this.bar = new EvaluationBar(game);
    this.engine = GAMES[game].hasAnalysis ? new Engine(game, this.bar) : null;
    this.bar.element.hidden = !this.engine;
    this.explorer = new Explorer(game);
    this.list = new MoveList(game, (at) => this.go(at), () => this.leave());
    this.standing = h("p", { class: "standing" });
    this.choices = h("div", { class: "row rolls", role: "group", "aria-label": t("board.roll") });
    this.turn = h("p", { class: "turn", role: "status" });
    this.#listen();
    if (isFlipped) this.flip();
    this.show();
  }

  #listen() {
    this.board.addEventListener("ludus-move", ({ detail }) => this.#play({ move: detail }));
    this.engine?.addEventListener("play", ({ detail }) => this.#play({ notation: detail }));
    this.explorer.addEventListener("play", ({ detail }) => this.#play({ notation: detail }));
    this.engine?.addEventListener("advice", ({ detail }) => { this.board.advice = detail.length ? detail : null; });
    this.abort = new AbortController();
    addEventListener("keydown", (event) => this.#key(event), { signal: this.abort.signal });
    addEventListener("pagehide", () => this.#stop(), { signal: this.abort.signal });
  }

  close() {
    this.abort.abort();
    this.#stop();
  }

  #stop() {
    this.engine?.stop();
    this.explorer.stop();
  }

  get groups() { return this.line.groups(GAMES[this.game].isQuiet); }

  go(at) {
    this.line.at = Math.max(0, Math.min(this.line.length, at));
    this.show();
  }

  /** To the next decision, or back to the one before; `isSingle` stops at every single move and roll. */
  step(by, isSingle = false) {
    if (isSingle) return this.go(this.line.at + by);
    const stops = [0, ...this.groups.map(({ go }) => go), this.line.length];
    const next = by > 0 ? stops.find((at) => at > this.line.at) : stops.findLast((at) => at < this.line.at);
    return next === undefined ? undefined : this.go(next);
  }

  leave() {
    this.line.leave();
    this.show();
  }

  flip() {
    this.board.toggleAttribute("flip");
    this.bar.flip(this.isFlipped);
    if (this.controls) this.show();
  }

  get isFlipped() { return this.board.hasAttribute("flip"); }

  /** The position on display, with its legal moves and the engine's opinion. */
  async show() {
    const { board, line } = this;
    const { node } = line;
    const asked = ++this.#asked;
    Object.assign(board, { last: this.#lastMove(), advice: null, position: this.#positionOf(node), moves: [], steps: (soFar) => this.#list({ soFar }).then(({ moves }) => moves) });
    this.#showTurn(node);
    this.list.show(line, this.groups);
    this.#showButtons();
    writeAddress(this);
    this.engine?.look(node, line.next);
    this.explorer.look(node.position, Array.from({ length: line.at }, (_, at) => line.nodeAt(at).position));
    this.choices.replaceChildren();
    this.dispatchEvent(new CustomEvent("position", { detail: node }));
    if (node.result || this.#editor) return;
    try {
      const found = await this.#list();
      if (asked === this.#asked && !this.#editor) this.#offer(node, found);
    } catch (error) {
      toast(error.message, "bad");
    }
  }

  #positionOf(node) { return unpack(this.game, node.board, { color: GAMES[this.game].colors[node.turn] ?? null }); }

  #lastMove() { return this.line.path.slice(0, this.line.at).findLast(({ move }) => move && !GAMES[this.game].isQuiet(move))?.move ?? null; }

  #list(more = {}) { return api(`/web/analysis/${this.game}/moves`, { body: { position: this.line.node.position, ...more } }); }

  #offer(node, { moves, rolls }) {
    this.board.moves = moves;
    const button = (text, act) => h("button", { class: "chip", type: "button", onclick: act }, text);
    if (rolls.length) {
      const random = () => rolls[Math.floor(Math.random() * rolls.length)];
      this.choices.replaceChildren(button(t("board.roll.any"), () => this.#play({ notation: random() })), ...rolls.map((roll) => button(roll, () => this.#play({ notation: roll }))));
    } else if (node.turn !== null && !moves.length) this.choices.replaceChildren(button(t("board.pass"), () => this.#play({ move: { moves: [] } })));
  }

  #showTurn({ turn, isRoll, result, board }) {
    const { colors, standingOf } = GAMES[this.game];
    const color = (seat) => t(`color.${colors[seat]}`);
    this.turn.textContent = result ? (result.winner === null ? t("board.drawn") : t("board.won", { color: color(result.winner) })) : isRoll ? t("board.to_roll") : sentence(t("board.to_move", { color: color(turn) }));
    this.standing.textContent = factsText(this.game, standingOf(unpack(this.game, board), colors[this.isFlipped ? 1 : 0]));
    this.standing.hidden = !this.standing.textContent;
  }

  async #play(move) {
    const { node } = this.line;
    try {
      const made = await api(`/web/analysis/${this.game}/play`, { body: { position: node.position, ...move } });
      if (node !== this.line.node) return;
      this.line.play(made);
    } catch (error) {
      toast(error.message, "bad");
    }
    this.show();
  }

  #key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || /INPUT|TEXTAREA|SELECT/.test(event.target.tagName) || this.#editor) return;
    if (event.target === this.board && this.board.shadowRoot.activeElement?.dataset.place) return;
    const acts = {
      ArrowLeft: () => this.step(-1, event.shiftKey), ArrowRight: () => this.step(1, event.shiftKey),
      Home: () => this.go(0), End: () => this.go(this.line.length), f: () => this.flip(), Escape: () => this.leave(),
    };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  }

  /** First, back, next and last, to be laid out by the page. */
  toolbar() {
    const button = (name, label, act) => h("button", { class: "plain square", type: "button", "aria-label": label, title: label, "data-step": name, onclick: act }, icon(name));
    this.controls = {
      first: button("first", t("replay.first"), () => this.go(0)), back: button("back", t("replay.back"), () => this.step(-1)),
      next: button("next", t("replay.next"), () => this.step(1)), last: button("last", t("replay.last"), () => this.go(this.line.length)),
    };
    this.#showButtons();
    return h("div", { class: "controls", role: "toolbar", "aria-label": t("replay.controls") }, Object.values(this.controls), button("flip", t("replay.flip"), () => this.flip()));
  }

  #showButtons() {
    if (!this.controls) return;
    for (const name of ["first", "back"]) this.controls[name].disabled = this.line.at === 0;
    for (const name of ["next", "last"]) this.controls[name].disabled = this.line.at === this.line.length;
  }

  /** Sets up a position on the board; fires `set-up` with it, unless it's cancelled. */
  async edit(place) {
    if (this.#editor) return;
    const { node } = this.line;
    const module = await loadEditor(this.game);
    this.#stop();
    const editor = this.#editor = new Editor(this.game, this.board, module, { position: unpack(this.game, node.board), turn: node.turn });
    this.choices.replaceChildren();
    const end = () => {
      editor.close();
      this.#editor = null;
    };
    editor.addEventListener("cancel", () => { end(); this.show(); this.dispatchEvent(new Event("edited")); });
    editor.addEventListener("done", ({ detail }) => { end(); this.dispatchEvent(new CustomEvent("set-up", { detail })); });
    place.replaceChildren(editor.element);
    editor.element.querySelector("button").focus();
  }
}

class Page {
  constructor() {
    this.place = h("div", {});
    this.paste = new Paste((text, game) => this.#read({ text, game }));
    main.replaceChildren(this.place);
  }

  /** What the address says: a line, a position, a finished game, or a game's start. */
  async open({ game, position, start, moves, side, at, table, move, isFlipped }) {
    if (table) return this.#read({ text: await api(`/web/tables/${encodeURIComponent(table)}/file`) }, { move, isFlipped });
    if (!moves && position) return this.#read({ text: position, game }, { isFlipped });
    const chosen = Object.hasOwn(GAMES, game ?? "") ? game : Object.hasOwn(GAMES, stored(LAST_GAME) ?? "") ? stored(LAST_GAME) : Object.keys(GAMES)[0];
    const found = await api(`/web/analysis/${chosen}/line`, { body: { start: start ?? null, moves: moves ?? [] } });
    const line = new Line(found.start, found.moves, { isLoaded: Boolean(moves?.length) });
    if (side) {
      const aside = await api(`/web/analysis/${chosen}/line`, { body: { start: line.nodeAt(Math.min(side.from, line.length)).position, moves: side.moves } });
      line.branchOff(side.from, aside.moves);
    }
    line.at = Math.min(at ?? 0, line.length);
    return this.#show(chosen, line, { isFlipped });
  }

  /** A position or a game in any notation; of several games, the one with this number. */
  async #read(body, { move = null, isFlipped = false } = {}) {
    const found = await api("/web/analysis/read", { body });
    const line = new Line(found.start, found.moves);
    if (move !== null) line.at = placeOf(found.moves, move);
    this.#show(found.game, line, { isFlipped, games: found.games, problems: found.problems, choose: (number) => this.#read({ ...body, number }), number: body.number ?? 1 });
  }

  #show(game, line, { isFlipped = false, ...loaded } = {}) {
    this.analysis?.close();
    store(LAST_GAME, game);
    const analysis = this.analysis = new AnalysisBoard(game, line, { isFlipped });
    analysis.addEventListener("set-up", ({ detail }) => this.#show(game, new Line(detail), { isFlipped: analysis.isFlipped }));
    analysis.addEventListener("edited", () => this.#show(game, analysis.line, { isFlipped: analysis.isFlipped }));
    this.place.replaceChildren(this.#layout(game, analysis, loaded));
  }

  #layout(game, analysis, loaded) {
    const panels = h("div", { class: "side" }, [analysis.engine?.element, this.#moves(analysis, loaded), analysis.explorer.element, this.paste.card(game, analysis)].filter(Boolean));
    const page = h("div", { class: "game-page analysis-page" },
      h("div", { class: "board-column" },
        h("div", { class: "viewer" }, analysis.standing, analysis.explorer.opening, h("div", { class: "board-and-bar" }, analysis.bar.element, h("div", { class: "board-box" }, analysis.board)),
          analysis.turn, analysis.choices, analysis.toolbar(), h("p", { class: "hint keys" }, t("board.keys")))),
      h("div", { class: "text-column" }, this.#head(game, analysis, panels), panels));
    page.style.setProperty("--shape", GAMES[game].shape);
    return page;
  }

  #head(game, analysis, panels) {
    const choose = ({ target }) => attempt(() => this.open({ game: target.value }), () => { target.value = game; });
    const games = h("select", { name: "game", autocomplete: "off", "aria-label": t("board.game"), onchange: choose }, Object.keys(GAMES).map((id) => h("option", { value: id, selected: id === game }, gameName(id))));
    const square = (name, label, act) => h("button", { class: "plain square", type: "button", "aria-label": label, title: label, onclick: act }, icon(name));
    const edit = GAMES[game].load.editor ? h("button", { class: "plain", type: "button", "data-act": "edit", onclick: () => attempt(() => analysis.edit(panels)) }, t("board.edit")) : null;
    return h("div", { class: "head stack" },
      h("div", { class: "title-row" }, h("h1", {}, t("board.title")), h("div", { class: "row" }, square("again", t("board.restart"), () => attempt(() => this.open({ game }))), square("share", t("replay.share"), () => shareAddress()))),
      h("div", { class: "row board-tools" }, [games, edit].filter(Boolean)));
  }

  #moves(analysis, { games = [], problems = [], choose, number } = {}) {
    const several = games.length > 1 ? h("select", { "aria-label": t("board.games"), autocomplete: "off", onchange: ({ target }) => attempt(() => choose(Number(target.value)), () => { target.value = String(number); }) },
      games.map((name, at) => h("option", { value: String(at + 1), selected: at + 1 === number }, `${at + 1}. ${name || t("board.unnamed")}`))) : null;
    const name = games.length === 1 && games[0] ? h("p", { class: "small" }, games[0]) : null;
    const left = problems.length ? h("details", { class: "small" }, h("summary", {}, t("board.problems")), problems.map((problem) => h("p", { class: "muted" }, problem))) : null;
    return h("section", { class: "card moves-card stack", "aria-label": t("replay.moves") }, h("h2", {}, t("replay.moves")), [several, name, left].filter(Boolean), analysis.list.element, analysis.list.button);
  }
}

/** Where a line stands after so many moves of the players; where a roll has fallen, that's before the next one's move. */
function placeOf(moves, count) {
  let left = count;
  const end = moves.findIndex(({ move }) => move !== null && left-- === 1);
  return count <= 0 || end < 0 ? (count <= 0 ? 0 : moves.length) : end + 1;
}

async function shareAddress() {
  const url = location.href;
  if (!navigator.share) return copy(url);
  try {
    await navigator.share({ title: document.title, url });
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, "bad");
  }
}

/** An address that can't be read leads to the start, with a word about what's wrong with it. */
async function openAddress() {
  const [page, wanted] = [new Page(), readAddress(location)];
  try {
    await page.open(wanted);
  } catch (error) {
    if (error.status !== 400) throw error;
    toast(error.message, "bad");
    await page.open({ game: wanted.game });
  }
}

await fill(main, openAddress);
