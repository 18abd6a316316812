// A seat in a room: what the server tells, folded into one state, and what the player does. No rules are in here.

import { io } from "../vendor/socket.io.esm.min.js";
import { Outbox } from "../outbox.js";
import { whyNot } from "../strings.js";
import { forgetSeat, keepSeat } from "./seat.js";

const ANSWER_MS = 8000;
const PAUSE_MS = 1000;
/** After which a server that refuses for now, as one that stops, is asked again. */
const REFUSED_MS = 3000;
const BOARD_FIELDS = ["board", "bar", "off", "dice", "pipCounts", "currentColor"];
/** After these a client has nothing to come back to. */
const LOST = new Set(["unauthorized", "expired", "forbidden", "not_found"]);

export class Refused extends Error {
  constructor(problem) {
    super(whyNot(problem));
    this.code = problem.code;
  }
}

/** Says `change` after everything that happens; the event's `kind` says what it was. */
export class Room extends EventTarget {
  link = "connecting";
  waiting = null;
  roomId = null;
  players = [];
  position = null;
  history = [];
  last = null;
  over = null;
  away = null;
  /** Whether the opponent has left after the end, or was away when it came. */
  gone = false;
  offer = null;
  warned = null;
  rematch = new Set();
  deadline = null;
  turn = 0;
  /** Whether this page found the game as it went on, or over, and did not see it begin. */
  isResumed = false;

  #socket;
  #seen = null;
  #outbox = new Outbox({ emit: (event, data) => this.#emit(event, data), isOpen: () => this.link === "online" && this.#socket.connected });
  #skew = 0;
  #isClosed = false;

  /** `seat` is a game, and how to get in: a token, or a wish for those who have none. */
  constructor(seat) {
    super();
    this.seat = seat;
    this.game = seat.game;
    if (seat.roomCode) keepSeat(seat);  // the code is on show from now on
    this.#seen = seat.roomId ? {} : null;
    this.#socket = io(`/${seat.game}`, {
      auth: seat.token ? { token: seat.token } : {},
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      reconnectionDelay: 300,
      reconnectionDelayMax: 2500,
      forceNew: true,
    });
    this.#listen();
  }

  get me() { return this.players.find((player) => player.id === this.playerId); }
  get opponent() { return this.players.find((player) => player.id !== this.playerId); }
  get mover() { return this.players[this.turn]; }
  get isMine() { return Boolean(this.position) && !this.over && this.mover?.id === this.playerId; }

  #listen() {
    const socket = this.#socket;
    socket.on("connect", () => this.#enter());
    socket.on("disconnect", (reason) => {
      this.#linked("offline");
      if (reason === "io server disconnect") setTimeout(() => !this.#isClosed && socket.connect(), PAUSE_MS);  // the library would not
    });
    socket.on("connect_error", (error) => this.#failed(error));
    socket.onAny((event, data) => this.#heard(event, data ?? {}));
    this.onOffline = () => { this.#linked("offline"); socket.io.engine?.close(); };
    this.onOnline = () => { if (!socket.connected) socket.disconnect().connect(); };
    addEventListener("offline", this.onOffline);
    addEventListener("online", this.onOnline);
  }

  /** Leaves for good. */
  close() {
    this.#isClosed = true;
    removeEventListener("offline", this.onOffline);
    removeEventListener("online", this.onOnline);
    this.#socket.disconnect();
    forgetSeat();
  }

  #linked(link) {
    this.link = link;
    this.#tell("link");
  }

  #failed(error) {
    if (LOST.has(error.data?.code)) return this.#lose(new Refused(error.data));
    this.problem = error.data ? whyNot(error.data) : "";
    this.#linked("offline");
    if (error.data) setTimeout(() => !this.#isClosed && this.#socket.connect(), REFUSED_MS);  // the library would not
  }

  #lose(problem) {
    this.lost = problem;
    this.close();
    this.#tell("lost");
  }

  /** Takes a place in line, or comes back to the room. */
  async #enter() {
    const { wish } = this.seat;
    try {
      if (this.#seen) await this.#ask("game:reconnect", { ...this.#seen, ...(this.roomId ? { roomId: this.roomId } : {}) });
      else await this.#ask("matchmaking:join", wish ?? {});
    } catch (error) {
      if (LOST.has(error.code)) return this.#lose(error);
      this.problem = error instanceof Refused ? error.message : "";
      setTimeout(() => this.link === "offline" && this.#socket.connected && this.#enter(), REFUSED_MS);
      return this.#linked("offline");
    }
    this.problem = "";
    this.#linked("online");
    this.#outbox.send();
  }

  #emit(event, data) { return this.#socket.timeout(ANSWER_MS).emitWithAck(event, data); }

  /** One question with its answer. */
  async #ask(event, data) {
    const answer = await this.#emit(event, data);
    if (!answer.ok) throw new Refused(answer.error);
    return answer;
  }

  #heard(event, data) {
    if (data.version && event !== "game:valid_moves") this.#seen = { version: data.version, ...(data.part === undefined ? {} : { part: data.part }) };
    const name = event.replace(/^(checkers|backgammon):/, "");
    const act = this.#acts[name];
    if (!act) return;
    act(data);
    this.#tell(name, data);
  }

  #acts = {
    "matchmaking:waiting": (data) => { this.waiting = data.position; keepSeat(this.seat); },
    "game:started": (data) => this.#start(data),
    "game:reconnected": (data) => { this.gone = false; this.isResumed ||= !this.position; this.#restore(data); },
    "game:move:made": (data) => this.#made(data),
    "game:dice": (data) => this.#rolled(data),
    "game:over": (data) => {
      this.over = { ...data };
      this.gone = this.away !== null;
      this.deadline = this.away = this.offer = this.warned = null;
    },
    "game:draw:offered": (data) => { this.offer = data.playerId; },
    "game:draw:declined": () => { this.offer = null; },
    "game:rematch:offered": (data) => { this.rematch.add(data.playerId); },
    "game:rematch:agreed": () => {},
    afk_warning: (data) => { this.warned = data.playerId; this.deadline = Date.now() + data.secondsRemaining * 1000; },
    afk_warning_cleared: () => { this.warned = null; },
    "player:disconnected": (data) => {
      if (data.playerId === this.playerId) return;
      if (this.over) this.gone = true;
      else this.away = data.secondsRemaining === null ? Infinity : Date.now() + data.secondsRemaining * 1000;
    },
    "player:reconnected": (data) => { if (data.playerId !== this.playerId) Object.assign(this, { away: null, gone: false }); },
    "server:stopping": () => { this.link = "offline"; },
  };

  #start(data) {
    Object.assign(this, { over: null, away: null, gone: false, offer: null, warned: null, waiting: null, last: null, deadline: null });
    this.rematch = new Set();
    this.#outbox.clear();
    this.#restore(data);
    this.#limit();
  }

  #restore(data) {
    const isOther = this.roomId !== data.roomId;
    this.roomId = data.roomId;
    if (isOther) Object.assign(this, { over: null, rematch: new Set() });
    this.playerId = data.playerId;
    this.color = data.color;
    this.players = data.players;
    this.theme = data.theme;
    this.commitment = data.diceCommitment;
    this.limit = data.afkTimeoutEnabled ? data.afkTimeoutSeconds : null;
    this.history = data.moveHistory ?? [];
    this.last = this.history.at(-1)?.move ?? null;
    this.#show(data);
    const token = data.reconnectToken ?? this.seat.token;
    this.#socket.auth = { token };
    this.seat = { game: this.game, token, roomId: data.roomId };
    keepSeat(this.seat);
    if (this.limit && !this.over) this.#checkClock();
  }

  #show(data) {
    const found = BOARD_FIELDS.filter((field) => data[field] !== undefined).map((field) => [field, data[field]]);
    this.position = { ...this.position, ...Object.fromEntries(found) };
    this.turn = data.currentTurn;
  }

  #made(data) {
    this.#show(data);
    this.history = data.moveHistory;
    this.last = data.move;
    this.offer = null;
    const stamp = this.history.at(-1)?.timestamp;
    if (stamp) this.#skew = stamp - Date.now();
    this.#limit();
  }

  #rolled(data) {
    this.#show(data);
    this.#limit();
  }

  /** The dice with which the move at a place of the history was made, in games that have them. */
  rollAt(index) { return this.history[index]?.dice; }

  #limit() {
    this.deadline = this.limit && !this.mover?.isBot && !this.over ? Date.now() + this.limit * 1000 : null;
  }

  async #checkClock() {
    try {
      const { status } = await this.#ask("afk:check", { roomId: this.roomId });
      this.deadline = status && !this.over ? Math.min(status.expiresAt - this.#skew, Date.now() + this.limit * 1000) : null;
      this.#tell("clock");
    } catch {
      this.#limit();  // the server did not say: the whole time is the best guess
    }
  }

  /** What may be played now, as the server lists it. */
  async legalMoves() {
    const { roomId } = this;
    if (this.game === "backgammon") return (await this.#ask("game:get_moves", { roomId })).moves;
    const own = this.position.board.flatMap((piece, index) => (piece?.player === this.color ? [index] : []));
    const answers = await Promise.all(own.map((position) => this.#ask("game:get_moves", { roomId, position })));
    return answers.flatMap((answer) => answer.moves);
  }

  /** Backgammon: the steps that can follow others in a play. */
  async nextSteps(soFar) {
    return (await this.#ask("game:get_moves", { roomId: this.roomId, soFar })).moves;
  }

  /** Makes a move; if the line breaks, it is sent again, which is harmless. */
  move(move) { return this.#command("game:move", { move }); }
  resign() { return this.#command("game:resign"); }
  offerDraw() { return this.#command("game:draw:offer"); }
  acceptDraw() { return this.#command("game:draw:accept"); }
  declineDraw() { return this.#command("game:draw:decline"); }
  playAgain() { return this.#command("game:rematch"); }

  /** Out of the line; a game may have begun meanwhile. */
  async leaveLine() {
    if (this.#socket.connected) await this.#ask("matchmaking:leave", {}).catch(() => {});
    if (!this.roomId) this.close();
    return !this.roomId;
  }

  async #command(event, data = {}) {
    try {
      return await this.#outbox.post(event, { roomId: this.roomId, ...data });
    } catch (problem) {
      throw new Refused(problem);
    }
  }

  #tell(kind, data = {}) {
    this.dispatchEvent(Object.assign(new Event("change"), { kind, data }));
  }
}
