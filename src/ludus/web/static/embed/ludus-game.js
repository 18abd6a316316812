// <ludus-game game="checkers" token="…">: a whole game in any page. It connects to where this file came from.
import "../boards/ludus-backgammon.js";
import "../boards/ludus-checkers.js";
import { sheet } from "./game.css.js";
import { Line } from "./line.js";
import { WORDS } from "./words.js";

const HOME = new URL(import.meta.url).origin;
const EVENTS = { "game:started": "ludus-started", "game:move:made": "ludus-moved", "game:over": "ludus-over" };

export class LudusGame extends HTMLElement {
  static observedAttributes = ["game", "token", "server", "level"];
  #line = null;
  #isDue = false;
  #asked = null;

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [sheet()];
  }

  connectedCallback() { this.#restart(); }
  disconnectedCallback() { this.#stop(); }
  attributeChangedCallback() { this.#restart(); }

  get language() { return (this.lang || document.documentElement.lang).slice(0, 2) === "de" ? "de" : "en"; }
  get words() { return WORDS[this.language]; }
  resign() { return this.#line?.command("game:resign"); }
  rematch() { return this.#line?.command("game:rematch"); }

  #restart() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#stop();
      if (this.isConnected && this.getAttribute("game")) this.#start();
    });
  }

  #stop() {
    this.#line?.close();
    this.#line = null;
  }

  #start() {
    const game = this.getAttribute("game") === "backgammon" ? "backgammon" : "checkers";
    const level = this.getAttribute("level") ?? "easy";
    const token = this.getAttribute("token");
    const name = this.getAttribute("name") ?? "";
    this.#build(game);
    this.#line = new Line({ server: this.getAttribute("server") ?? HOME, game, token, wish: token ? {} : { username: name, wantsBot: true, botDifficulty: level } });
    this.#line.addEventListener("change", ({ kind, data }) => this.#changed(kind, data));
    this.#say("connecting");
  }

  #build(game) {
    const make = (tag, name, text = "") => Object.assign(document.createElement(tag), { className: name, textContent: text });
    this.board = document.createElement(`ludus-${game}`);
    this.board.steps = (soFar) => this.#line.steps(soFar);
    if (this.language === "de") this.#translate(game);
    this.board.addEventListener("ludus-move", ({ detail }) => this.#play(detail));
    this.them = make("span", "name");
    this.status = make("p", "status");
    this.status.setAttribute("role", "status");
    this.button = make("button", "action");
    this.button.type = "button";
    this.button.hidden = true;
    this.button.addEventListener("click", () => this.#press());
    const top = make("div", "strip");
    top.append(this.them);
    const foot = make("div", "strip");
    foot.append(this.status, this.button);
    const box = make("section", "game");
    box.setAttribute("aria-label", this.words.label);
    box.append(top, this.board, foot);
    this.shadowRoot.replaceChildren(box);
  }

  /** The boards know English by themselves. */
  async #translate(game) {
    const texts = (await import("../strings/de-play.js")).default;
    const own = Object.entries(texts).filter(([key]) => key.startsWith(`board.${game}.`));
    this.board.labels = Object.fromEntries(own.map(([key, text]) => [key.slice(`board.${game}.`.length), text]));
  }

  #changed(kind, data) {
    const line = this.#line;
    if (!line) return;
    if (kind === "matchmaking:waiting") return this.#say("waiting");
    if (kind === "offline") return this.#say("offline");
    if (kind === "problem") return this.#problem(data);
    if (kind === "game:started" || kind === "game:reconnected") {
      this.board.side = line.color;
      this.board.theme = line.theme;
      this.them.textContent = line.opponent?.displayName ?? "";
    }
    if (line.position && kind !== "game:valid_moves") this.#draw();
    if (EVENTS[kind]) this.dispatchEvent(new CustomEvent(EVENTS[kind], { detail: data, bubbles: true, composed: true }));
  }

  async #draw() {
    const line = this.#line;
    const asked = (this.#asked = {});
    Object.assign(this.board, { position: line.position, last: line.last, moves: [] });
    this.button.hidden = false;
    delete this.button.dataset.sure;
    this.button.textContent = this.words[line.over ? "again" : "resign"];
    this.#tellTurn(line);
    if (!line.isMine || (line.game === "backgammon" && !line.position.dice?.length)) return;
    const moves = await line.moves().catch(() => []);
    if (this.#asked === asked) this.board.moves = moves;
  }

  #tellTurn(line) {
    const name = line.opponent?.displayName ?? "";
    if (!line.over) return this.#say(line.isMine ? "yours" : "theirs", name);
    if (line.over.winner === null) return this.#say("draw");
    this.#say(line.over.winner === line.playerId ? "won" : "lost", name);
  }

  async #play(move) {
    try {
      await this.#line.command("game:move", { move });
    } catch (problem) {
      this.#problem(problem);
      this.#draw();
    }
  }

  /** Resigning asks once more; after the end the button is for another game. */
  async #press() {
    const { over, opponent } = this.#line;
    if (!over && !this.button.dataset.sure) {
      this.button.dataset.sure = "true";
      this.button.textContent = this.words.sure;
      return;
    }
    try {
      await (over ? this.rematch() : this.resign());
      if (over) this.#say("agreed", opponent?.displayName);
    } catch (problem) {
      this.#problem(problem);
    }
  }

  #say(key, name = "") { this.status.textContent = this.words[key].replace("{name}", name); }

  #problem(problem) {
    this.status.textContent = problem.message ?? this.words.offline;
    this.dispatchEvent(new CustomEvent("ludus-problem", { detail: problem, bubbles: true, composed: true }));
  }
}

customElements.define("ludus-game", LudusGame);
