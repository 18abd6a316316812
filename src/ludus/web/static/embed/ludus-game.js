// <ludus-game game="checkers" token="…">: a whole game in any page. It connects to where this file came from.
import "../boards/ludus-backgammon.js";
import "../boards/ludus-checkers.js";
import { Countdown, secondsTo } from "../countdown.js";
import { isolated } from "../isolation.js";
import { sheet } from "./game.css.js";
import { Line } from "./line.js";
import { Voice, tidings } from "./voice.js";
import { WORDS } from "./words.js";

const HOME = new URL(import.meta.url).origin;
const TICK_MS = 500;
const RETRY_MS = 1000;
/** Only so little time is worth more than a clock. */
const SHORT_SECONDS = 20;
const EVENTS = { "game:started": "ludus-started", "game:move:made": "ludus-moved", "game:over": "ludus-over" };

/** Others leave the board alone, and with it what a player has begun there. */
const BOARD_EVENTS = new Set(["game:started", "game:reconnected", "game:move:made", "game:dice", "game:over"]);

export class LudusGame extends HTMLElement {
  static observedAttributes = ["game", "token", "server", "level"];
  #line = null;
  #isDue = false;
  #asked = null;
  #timer = null;
  #count = new Countdown();
  /** Those of the page, in another language than the server's. */
  #texts = {};

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
    clearInterval(this.#timer);
    this.#line?.close();
    this.#line = null;
  }

  #start() {
    const game = this.getAttribute("game") === "backgammon" ? "backgammon" : "checkers";
    const level = this.getAttribute("level") ?? "easy";
    const token = this.getAttribute("token");
    const name = this.getAttribute("name") ?? "";
    this.#build(game);
    this.#line = new Line({ server: this.getAttribute("server") ?? HOME, game, token, wish: token ? {} : { username: name, wantsBot: true, botDifficulty: level, afkTimeoutEnabled: false } });
    this.#line.addEventListener("change", ({ kind, data }) => this.#changed(kind, data));
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#say("connecting");
  }

  #build(game) {
    const make = (tag, name, text = "") => Object.assign(document.createElement(tag), { className: name, textContent: text });
    this.board = document.createElement(`ludus-${game}`);
    this.board.steps = (soFar) => this.#line.steps(soFar);
    this.#texts = {};
    if (this.language === "de") this.#translate(game);
    this.board.addEventListener("ludus-move", ({ detail }) => this.#play(detail));
    this.them = make("span", "name");
    this.clock = make("span", "clock");
    this.clock.setAttribute("role", "timer");
    this.clock.setAttribute("aria-label", this.words.clock);
    this.status = make("p", "status");
    this.status.setAttribute("role", "status");
    this.hurry = make("p", "hurry");
    this.hurry.hidden = true;
    this.voice = new Voice();
    const button = (text, act) => {
      const made = Object.assign(make("button", "action", text), { type: "button", hidden: true });
      made.addEventListener("click", act);
      return made;
    };
    this.accept = button(this.words.accept, () => this.#order("game:draw:accept"));
    this.decline = button(this.words.decline, () => this.#order("game:draw:decline"));
    this.draw = button(this.words.offer, () => this.#order("game:draw:offer"));
    this.button = button("", () => this.#press());
    const top = make("div", "strip");
    top.append(this.them, this.clock);
    const buttons = make("div", "buttons");
    buttons.append(this.accept, this.decline, this.draw, this.button);
    const foot = make("div", "strip");
    foot.append(this.hurry, this.status, this.voice.element, buttons);
    const box = make("section", "game");
    box.setAttribute("aria-label", this.words.label);
    box.append(top, this.board, foot);
    this.shadowRoot.replaceChildren(box);
  }

  #greet() {
    this.them.textContent = this.#them;
    this.#tell(this.#line);
  }

  /** Bots have a name in each language. */
  get #them() {
    const { opponent } = this.#line;
    return this.#texts[`play.bot.${opponent?.id}`] ?? isolated(opponent?.displayName ?? "");
  }

  /** The boards know English by themselves. */
  async #translate(game) {
    const texts = (this.#texts = (await import("../strings/de-play.js")).default);
    const own = Object.entries(texts).filter(([key]) => key.startsWith(`board.${game}.`));
    this.board.labels = Object.fromEntries(own.map(([key, text]) => [key.slice(`board.${game}.`.length), text]));
    if (this.#line?.position) this.#greet();
  }

  #changed(kind, data) {
    const line = this.#line;
    if (!line) return;
    if (kind === "matchmaking:waiting") return this.#say("waiting");
    if (kind === "offline") return this.#say("offline");
    if (kind === "online") return line.position && this.#tell(line);
    if (kind === "problem") return this.#problem(data);
    if (kind === "game:started" || kind === "game:reconnected") {
      this.board.side = line.color;
      this.board.theme = line.theme;
      this.#greet();
    }
    if (BOARD_EVENTS.has(kind)) this.#draw();
    else if (line.position && kind !== "game:valid_moves") this.#tell(line);
    const news = tidings(kind, data, line);
    if (news) this.voice.say(this.words[news.key].replace("{name}", this.#them).replace("{value}", news.value));
    if (kind === "game:draw:declined" && data.playerId !== line.playerId) this.#say("declined", this.#them);
    if (EVENTS[kind]) this.dispatchEvent(new CustomEvent(EVENTS[kind], { detail: data, bubbles: true, composed: true }));
  }

  #draw() {
    const line = this.#line;
    const asked = (this.#asked = {});
    Object.assign(this.board, { position: line.position, last: line.last, moves: [] });
    this.button.hidden = false;
    this.button.disabled = false;
    delete this.button.dataset.sure;
    this.button.textContent = this.words[line.over ? "again" : "resign"];
    this.#tell(line);
    if (!line.isMine || (line.game === "backgammon" && !line.position.dice?.length)) return;
    this.#ask(line, asked);
  }

  /** What may be played. */
  async #ask(line, asked) {
    try {
      const moves = await line.moves();
      if (this.#asked === asked) this.board.moves = moves;
    } catch {
      setTimeout(() => this.#asked === asked && line.link === "online" && this.#ask(line, asked), RETRY_MS);  // a slow line: once more
    }
  }

  #tell(line) {
    this.#offer(line);
    this.#tellTurn(line);
    this.#tick();
  }

  #tellTurn(line) {
    const name = this.#them;
    if (!line.over && line.link === "offline") return this.#say("offline");
    if (!line.over && line.offer) return this.#say(line.offer === line.playerId ? "offered" : "asked", name);
    if (!line.over) return this.#say(line.isMine ? "yours" : "theirs", name);
    this.#say(line.over.winner === null ? "draw" : line.over.winner === line.playerId ? "won" : "lost", name);
    const next = this.#next(line);
    if (next) this.status.textContent += ` · ${this.#text(next, name)}`;
  }

  /** Whether there will be another game. */
  #next(line) {
    this.button.disabled = line.gone || line.again.has(line.playerId);
    if (line.gone) return "left";
    if (line.again.has(line.playerId)) return "agreed";
    return line.again.has(line.opponent?.id) ? "wants" : "";
  }

  /** Draws are for checkers; who is offered one may say no. */
  #offer(line) {
    const isAsked = !line.over && Boolean(line.offer) && line.offer !== line.playerId;
    this.accept.hidden = this.decline.hidden = !isAsked;
    this.draw.hidden = line.game !== "checkers" || Boolean(line.over || line.offer);
  }

  #tick() {
    const { deadline } = this.#line;
    const seconds = deadline ? secondsTo(deadline) : null;
    this.clock.textContent = seconds === null ? "" : `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    this.#hurry(this.#pressing(seconds));
  }

  /** What hurries, if anything does: an opponent who is gone, or one's own last seconds. */
  #pressing(seconds) {
    const { away, isMine } = this.#line;
    if (away) return ["away", this.#them, secondsTo(away)];
    return isMine && seconds !== null && seconds <= SHORT_SECONDS ? ["afk", "", seconds] : null;
  }

  /** Every second is shown, a few are spoken. */
  #hurry(pressing) {
    this.hurry.hidden = !pressing;
    if (!pressing) return this.#count.stop();
    this.hurry.textContent = this.#text(...pressing);
    if (this.#count.isHeard(pressing[2])) this.voice.say(this.hurry.textContent);
  }

  async #order(event) {
    await this.#line.command(event).catch((problem) => this.#problem(problem));
  }

  async #play(move) {
    try {
      await this.#line.command("game:move", { move });
    } catch (problem) {
      this.#draw();
      this.#problem(problem);
    }
  }

  /** Resigning asks once more; after the end the button is for another game. */
  async #press() {
    const { over } = this.#line;
    if (!over && !this.button.dataset.sure) {
      this.button.dataset.sure = "true";
      this.button.textContent = this.words.sure;
      return;
    }
    try {
      await (over ? this.rematch() : this.resign());
    } catch (problem) {
      this.#problem(problem);
    }
  }

  #text(key, name = "", seconds = 0) { return this.words[key].replace("{name}", name).replace("{seconds}", seconds); }

  #say(key, name) { this.status.textContent = this.#text(key, name); }

  #problem(problem) {
    this.status.textContent = this.#texts[`problem.${problem.code}`] ?? problem.message ?? this.words.offline;
    this.dispatchEvent(new CustomEvent("ludus-problem", { detail: problem, bubbles: true, composed: true }));
  }
}

customElements.define("ludus-game", LudusGame);
