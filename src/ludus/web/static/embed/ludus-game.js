// <ludus-game game="checkers" token="…">: a whole game in any page. It connects to the server that this file came from.
import { HOME } from "../address.js";
import { styleSheet } from "../boards/board.css.js";
import { GAMES } from "../games/index.js";
import { isolated } from "../isolation.js";
import { preferred, texts } from "../languages.js";
import { ClockFace } from "../clock-face.js";
import { RoomClient } from "../rooms/client.js";
import { Countdown, clockText, secondsTo } from "../rooms/countdown.js";
import { timeLeft } from "../rooms/room.js";
import { Announcer, announcementOf } from "./announcer.js";
import { GAME_STYLE } from "./game.css.js";
import { WORDS } from "./words.js";

const TICK_MS = 500;
const RETRY_MS = 1000;
/** From here on the time left is written out and announced. */
const SHORT_SECONDS = 20;
const EVENTS = { "game:started": "ludus-started", "game:move:made": "ludus-moved", "game:over": "ludus-over" };
/** Events that change the position; all others leave the board, and a move in progress, alone. */
const BOARD_EVENTS = new Set(["game:started", "game:reconnected", "game:move:made", "game:takeback:made", "game:dice", "game:over"]);

export class LudusGame extends HTMLElement {
  static observedAttributes = ["game", "token", "server", "level"];
  #room = null;
  #isDue = false;
  #request = null;
  /** What could be resigned when the choices were shown. */
  #offered = "";
  #timer = null;
  #countdown = new Countdown();
  #faces = [];
  /** The page's texts in a language other than English, which boards and servers speak by themselves. */
  #texts = {};

  constructor() {
    super();
    this.attachShadow({ mode: "open" }).adoptedStyleSheets = [styleSheet(GAME_STYLE)];
  }

  connectedCallback() { this.#restart(); }
  disconnectedCallback() { this.#stop(); }
  attributeChangedCallback() { this.#restart(); }

  get language() { return preferred(this.lang || document.documentElement.lang); }
  get words() { return WORDS[this.language]; }
  resign() { return this.#room?.resign(); }
  rematch() { return this.#room?.offerRematch(); }

  #restart() {
    if (this.#isDue) return;
    this.#isDue = true;
    queueMicrotask(() => {
      this.#isDue = false;
      this.#stop();
      if (this.isConnected && this.getAttribute("game")) this.#start(this.getAttribute("game"));
    });
  }

  #stop() {
    clearInterval(this.#timer);
    for (const face of this.#faces) face.stop();
    this.#room?.disconnect();
    this.#room = null;
  }

  #start(game) {
    this.#texts = {};
    if (!Object.hasOwn(GAMES, game)) return this.#refuse(game);
    const level = this.getAttribute("level") ?? "easy";
    const token = this.getAttribute("token");
    const username = this.getAttribute("name") ?? "";
    this.#build(game);
    const options = token ? {} : { username, wantsBot: true, botDifficulty: level, afkTimeoutEnabled: false };
    const room = new RoomClient({ game, token, options }, { server: this.getAttribute("server") ?? HOME });
    this.#room = room;
    room.addEventListener("change", ({ kind, data }) => this.#room === room && this.#changed(kind, data));
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#setStatus("connecting");
  }

  /** There's nothing to play: says so instead of a board. */
  #refuse(game) {
    this.status = this.#make("p", "status");
    this.status.setAttribute("role", "alert");
    const box = this.#make("section", "game");
    box.append(this.status);
    this.shadowRoot.replaceChildren(box);
    this.#showProblem({ code: "unknown_game", message: this.#text("unknown", game) });
  }

  #make(tag, className, text = "") { return Object.assign(document.createElement(tag), { className, textContent: text }); }

  #build(game) {
    const { load, narrowShape, shape, tag } = GAMES[game];
    load.board();
    this.style.setProperty("--shape", shape);
    this.classList.toggle("has-narrow-form", Boolean(narrowShape));
    if (narrowShape) this.style.setProperty("--narrow-shape", narrowShape);
    this.board = this.#make(tag, "board");
    this.board.steps = (soFar) => this.#room.nextSteps(soFar);
    if (this.language !== "en") this.#translate(game);
    this.board.addEventListener("ludus-move", ({ detail }) => this.#play(detail));
    this.board.addEventListener("ludus-refused", ({ detail }) => this.#explain(detail));
    this.opponentName = this.#make("span", "name");
    const timer = (className, label) => {
      const made = this.#make("span", className);
      made.setAttribute("role", "timer");
      made.setAttribute("aria-label", label);
      return made;
    };
    this.clock = timer("clock", this.words.clock);
    this.clocks = [timer("face", this.words.theirClock), timer("face", this.words.yourClock)];
    for (const element of this.clocks) element.hidden = true;
    this.#faces = this.clocks.map((element) => new ClockFace(element, { language: this.language, days: this.words.days }));
    this.status = this.#make("p", "status");
    this.status.setAttribute("role", "status");
    this.countdown = this.#make("p", "countdown");
    this.countdown.hidden = true;
    this.announcer = new Announcer();
    const button = (text, act) => {
      const made = Object.assign(this.#make("button", "action", text), { type: "button", hidden: true });
      made.addEventListener("click", act);
      return made;
    };
    this.accept = button("", () => this.#attempt(this.#isResignation ? this.#room.acceptResignation() : this.#room.acceptDraw()));
    this.decline = button(this.words.decline, () => this.#attempt(this.#isResignation ? this.#room.declineResignation() : this.#room.declineDraw()));
    this.score = this.#make("span", "score");
    this.score.hidden = true;
    this.draw = button(this.words.offer, () => this.#attempt(this.#room.offerDraw()));
    this.button = button("", () => this.#press());
    this.choices = this.#make("div", "buttons");
    const top = this.#make("div", "strip");
    top.append(this.opponentName, this.score, this.clock, this.clocks[0]);
    const buttons = this.#make("div", "buttons");
    buttons.append(this.accept, this.decline, this.choices, this.draw, this.button);
    const foot = this.#make("div", "strip");
    foot.append(this.countdown, this.status, this.announcer.element, this.clocks[1], buttons);
    const box = this.#make("section", "game");
    box.setAttribute("aria-label", this.words.label);
    box.append(top, this.board, foot);
    this.shadowRoot.replaceChildren(box);
  }

  /** The opponent's name; bots have one in each language. */
  get #opponent() {
    const { opponent } = this.#room;
    return this.#texts[`play.bot.${opponent?.id}`] ?? isolated(opponent?.displayName ?? "");
  }

  async #translate(game) {
    const { page, games } = await texts(this.language);
    this.#texts = page;
    const own = Object.entries(games[game] ?? {}).filter(([key]) => key.startsWith("board."));
    this.board.labels = Object.fromEntries(own.map(([key, text]) => [key.slice("board.".length), text]));
    if (this.#room?.position) this.#update();
  }

  #changed(kind, data) {
    const room = this.#room;
    if (kind === "lost") return this.#showProblem(room.lost);
    if (room.problem && (kind === "link" || kind === "problem")) return this.#showProblem(room.problem);
    if (kind === "link" && room.link === "offline") return this.#setStatus("offline");
    if (kind === "matchmaking:waiting") return this.#setStatus("waiting");
    if (kind === "game:started" || kind === "game:reconnected") {
      this.board.side = room.color;
      this.board.theme = room.theme;
    }
    if (BOARD_EVENTS.has(kind)) this.#draw();
    else if (room.position) this.#update();
    const news = announcementOf(kind, data, room, this.board);
    if (news) this.announcer.announce(this.words[news.key].replace("{name}", this.#opponent).replace("{value}", news.value));
    if (kind === "game:draw:declined" && data.playerId !== room.playerId) this.#setStatus("declined", this.#opponent);
    if (EVENTS[kind]) this.dispatchEvent(new CustomEvent(EVENTS[kind], { detail: data, bubbles: true, composed: true }));
  }

  #draw() {
    const room = this.#room;
    const request = (this.#request = {});
    Object.assign(this.board, { position: room.position, last: room.last, moves: [] });
    this.button.hidden = false;
    this.button.disabled = false;
    delete this.button.dataset.sure;
    if (this.#resignable !== this.#offered) this.choices.replaceChildren();
    this.button.textContent = this.words[room.over ? "again" : "resign"];
    this.#update();
    if (room.isMine && !GAMES[room.game].isRolling(room.position)) this.#fetchMoves(room, request);
  }

  async #fetchMoves(room, request) {
    try {
      const moves = await room.legalMoves();
      if (this.#request === request) this.board.moves = moves;
    } catch {
      setTimeout(() => this.#request === request && room.link === "online" && this.#fetchMoves(room, request), RETRY_MS);  // a slow connection: try again
    }
  }

  #update() {
    this.opponentName.textContent = this.#opponent;
    this.#showClocks(this.#room);
    this.#updateOffer(this.#room);
    this.#updateScore(this.#room);
    this.#updateStatus(this.#room);
    this.#tick();
  }

  #updateStatus(room) {
    const name = this.#opponent;
    if (!room.over && room.link === "offline") return this.#setStatus("offline");
    if (this.#isResignation) return this.#setStatus("resigns", name);
    if (!room.over && room.resignOffer) return this.#setStatus("resigning", name);
    if (!room.over && room.offer) return this.#setStatus(room.offer === room.playerId ? "offered" : "asked", name);
    if (!room.over) return this.#setStatus(room.isMine ? "yours" : "theirs", name);
    this.#setStatus(room.over.winner === null ? "draw" : room.over.winner === room.playerId ? "won" : "lost", name);
    const rematch = this.#rematchStatus(room);
    if (rematch) this.status.textContent += ` · ${this.#text(rematch, name)}`;
  }

  #rematchStatus(room) {
    this.button.disabled = room.gone || room.rematch.has(room.playerId);
    if (room.gone) return "left";
    if (room.rematch.has(room.playerId)) return "agreed";
    return room.rematch.has(room.opponent?.id) ? "wants" : "";
  }

  #updateOffer(room) {
    const isAsked = this.#isResignation || (!room.over && Boolean(room.offer) && room.offer !== room.playerId);
    this.accept.textContent = this.words[this.#isResignation ? "agree" : "accept"];
    this.accept.hidden = this.decline.hidden = !isAsked;
    this.draw.hidden = !GAMES[room.game].hasDraws || Boolean(room.over || room.offer);
  }

  /** Whether the opponent offers to resign. */
  get #isResignation() {
    const { over, playerId, resignOffer } = this.#room;
    return !over && Boolean(resignOffer) && resignOffer.playerId !== playerId;
  }

  /** The score of a match, the player's own points first. */
  #updateScore(room) {
    const [mine, theirs] = [room.me, room.opponent].map((player) => GAMES[room.game].scoreOf(room.position, player?.color));
    this.score.hidden = mine === null;
    this.score.textContent = mine === null ? "" : this.words.score.replace("{value}", `${mine}–${theirs} / ${room.position.match.length}`);
  }

  #tick() {
    const { clock, deadline } = this.#room;
    const seconds = clock ? this.#ownSeconds() : deadline ? secondsTo(deadline) : null;
    this.clock.textContent = seconds === null || clock ? "" : clockText(seconds);
    this.#showCountdown(this.#urgent(seconds));
  }

  /** With a time control both players have a clock, which counts down by itself. */
  #showClocks(room) {
    const mine = room.players.indexOf(room.me);
    [1 - mine, mine].forEach((player, at) => this.#faces[at].show(room.clock, player, this.#initialSeconds));
  }

  get #initialSeconds() {
    const { seconds, days = 0 } = this.#room.timeControl ?? {};
    return seconds ?? days * 86400;
  }

  get #shortSeconds() { return this.#room.clock ? Math.min(SHORT_SECONDS, this.#initialSeconds / 3) : SHORT_SECONDS; }

  #ownSeconds() {
    const { clock, players, me } = this.#room;
    return Math.ceil(timeLeft(clock, players.indexOf(me)) / 1000);
  }

  /** What's about to run out: an absent opponent's time, or the player's own last seconds. */
  #urgent(seconds) {
    const { away, isMine } = this.#room;
    if (away !== null && away !== Infinity) return ["away", this.#opponent, secondsTo(away)];
    return isMine && seconds !== null && seconds <= this.#shortSeconds ? ["afk", "", seconds] : null;
  }

  /** Every second is shown, a few are announced. */
  #showCountdown(urgent) {
    this.countdown.hidden = !urgent;
    if (!urgent) return this.#countdown.stop();
    this.countdown.textContent = this.#text(...urgent);
    if (this.#countdown.isDue(urgent[2])) this.announcer.announce(this.countdown.textContent);
  }

  async #attempt(command) {
    await command.catch((problem) => this.#showProblem(problem));
  }

  async #play(move) {
    try {
      await this.#room.move(move);
    } catch (problem) {
      this.#draw();
      this.#showProblem(problem);
    }
  }

  /** Says why a gesture led to no move, and rings what can move. The sentences are the page's, loaded when one is needed. */
  async #explain(detail) {
    const [room, request] = [this.#room, this.#request];
    if (!room.isMine || !this.board.moves?.length) return;  // the status says whose turn it is
    const refusal = detail.reason ? detail : await room.why(detail).catch(() => null);
    if (!refusal) return;
    const { page, games } = await texts(this.language);
    if (this.#request !== request) return;
    this.board.point?.(refusal.places ?? []);
    this.status.textContent = games[room.game]?.[`why.${refusal.reason}`] ?? page[`play.why.${refusal.reason}`] ?? this.status.textContent;
  }

  /** Resigns, after a confirmation or a choice of what to resign; once the game is over, the button offers a rematch. */
  async #press() {
    const { over, game, position } = this.#room;
    if (over) return this.#attempt(this.rematch());
    if (this.button.dataset.sure) return this.#attempt(this.resign());
    const kinds = GAMES[game].resignations(position);
    if (kinds) return this.#offerChoices(kinds);
    this.button.dataset.sure = "true";
    this.button.textContent = this.words.sure;
  }

  /** What can be resigned now, to compare: the choices stay on the page while the opponent plays. */
  get #resignable() {
    const { over, game, position } = this.#room;
    return over ? "" : JSON.stringify([position.match, GAMES[game].resignations(position)]);
  }

  /** A button for each way to resign the current game of a match. */
  async #offerChoices(kinds) {
    const offered = this.#resignable;
    const { games } = await texts(this.language);
    if (this.#resignable !== offered) return;
    const plurals = new Intl.PluralRules(this.language);
    const buttons = kinds.map(({ win, points }) => {
      const text = games[this.#room.game][`resign.${win}_${plurals.select(points)}`] ?? games[this.#room.game][`resign.${win}_other`];
      const made = Object.assign(this.#make("button", "action", text.replace("{count}", points)), { type: "button" });
      made.addEventListener("click", () => {
        this.choices.replaceChildren();
        this.#attempt(this.#room.offerResignation(win));
      });
      return made;
    });
    this.#offered = offered;
    this.choices.replaceChildren(...(this.choices.childElementCount ? [] : buttons));
  }

  #text(key, name = "", seconds = 0) { return this.words[key].replace("{name}", name).replace("{seconds}", seconds); }

  #setStatus(key, name) { this.status.textContent = this.#text(key, name); }

  #showProblem({ code, message }) {
    const known = code === "unavailable" ? this.words.unavailable : this.#texts[`problem.${code}`];
    this.status.textContent = known ?? message ?? this.words.offline;
    this.dispatchEvent(new CustomEvent("ludus-problem", { detail: { code, message }, bubbles: true, composed: true }));
  }
}

customElements.define("ludus-game", LudusGame);
