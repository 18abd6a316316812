// A player's connection to a room: the server's messages folded into one state, and the player's commands. No rules in
// here, and nothing of the page: the npm package `ludus-client` contains the same file.

import { Outbox, backoff } from "./outbox.js";

const ANSWER_MS = 8000;
const PAUSE_MS = 1000;
/** Error codes that another try won't change. */
const FINAL = new Set(["unauthorized", "expired", "forbidden", "not_found", "unreadable"]);

/** The server refused; `code` and `message` are its own. */
export class RoomError extends Error {
  constructor({ code, message, retryAfter }) {
    super(message);
    this.code = code;
    this.retryAfter = retryAfter;  // seconds, if the server says so
  }
}

/** Adds to a compact `game:move:made`, in place, what it leaves out: the board's arrays and the history. `position` is the
 * last message that shows the board, with what came since. */
export function completeMove(data, position, history) {
  const { record, changes, moveNumber } = data;
  if (!record) return;
  for (const [name, entries] of Object.entries(changes)) data[name] = Object.assign([...position[name]], entries);
  data.moveHistory = [...history.slice(0, moveNumber - 1), { move: data.move, playerId: data.playerId, ...record }];
  for (const name of ["record", "changes", "moveNumber"]) delete data[name];
}

/** Milliseconds that a player has left on a clock as `RoomClient.clock` keeps it, now or at another moment of
 * `performance.now()`. */
export function timeLeft({ remainingMs, running, delayMs = 0, at }, player, now = performance.now()) {
  const used = player === running ? Math.max(0, now - at - delayMs) : 0;
  return Math.max(0, remainingMs[player] - used);
}

/** Fires `change` after every event; its `kind` is the event's name without the game's prefix, or one of the client's
 * own: "link", "problem", "clock", "lost". */
export class RoomClient extends EventTarget {
  /** "connecting", "online" once the server has admitted the player, or "offline". */
  link = "connecting";
  /** The player's place in the queue. */
  waiting = null;
  /** Whether the player has chosen to leave the queue. */
  isLeaving = false;
  roomId = null;
  players = [];
  position = null;
  history = [];
  last = null;
  over = null;
  /** When the absent opponent forfeits; Infinity if there is no limit. */
  away = null;
  /** Whether the opponent left after the end, or was away when it came. */
  gone = false;
  /** Who offers a draw. */
  offer = null;
  /** Who offers to resign the current game, and as what: `{playerId, points}`. */
  resignOffer = null;
  /** Who was warned of being idle. */
  warned = null;
  /** Who wants a rematch. */
  rematch = new Set();
  deadline = null;
  /** How long the players may think, if that was chosen, and their clocks, if they have any: `{remainingMs, running,
   * delayMs, at}`, where `at` is the moment it was received by `performance.now()`. `timeLeft` reads them. */
  timeControl = null;
  clock = null;
  /** How the game differs from a plain one, such as the length of a match; empty for a plain one. */
  options = {};
  turn = 0;
  /** How long the player may be disconnected, and how long a game without moves is kept; null without a limit. */
  reconnectSeconds = null;
  abandonSeconds = null;
  /** Whether the players met by a room's code. */
  isPrivate = false;
  /** Whether moves can be taken back and hints asked for. */
  practice = false;
  /** In rematches, the results so far: `{wins, draws}`, the wins by the player's place in `players`. */
  series = null;
  /** The engine's suggestion for the position on the board, as in `game:hint:found`. */
  suggestion = null;
  /** What the tutor says about a move that was asked about, as in `game:tutor:found`. */
  advice = null;
  /** Whether this client joined a game that had started already. */
  isResumed = false;
  /** The last temporary refusal, and the final one. */
  problem = null;
  lost = null;

  #socket;
  #seen = null;
  #outbox = new Outbox({
    emit: (event, data) => this.#emit(event, data),
    isOpen: () => this.link === "online" && this.#socket.connected,
    onProblem: (problem) => { this.problem = problem && new RoomError(problem); this.#changed("problem"); },
  });
  /** How often in a row the server has refused for the time being. */
  #refusals = 0;
  #isClosed = false;
  #seats;

  /** `seat` is `{game, token}`, or `{game, options}` for guests, with `roomId` if the player returns to a game. `io` is
   * socket.io-client's, `seats` stores the seat: `keep(seat)` and `forget()`. */
  constructor(seat, { io, server = "", seats = { keep() {}, forget() {} }, ...socketOptions }) {
    super();
    this.seat = seat;
    this.game = seat.game;
    this.#seats = seats;
    if (seat.roomCode) seats.keep(seat);  // the code is on display from now on
    this.#seen = seat.roomId ? {} : null;
    const { origin = "", pathname = "/" } = server ? new URL(server) : {};
    this.#socket = io(`${origin}/${seat.game}`, {
      path: `${pathname.replace(/\/$/, "")}/socket.io`,
      auth: { compact: true, ...(seat.token ? { token: seat.token } : {}) },
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      reconnectionDelay: 300,
      reconnectionDelayMax: 2500,
      forceNew: true,
      ...socketOptions,
    });
    this.#listen();
  }

  /** The Socket.IO connection. Its listeners are called when the state is up to date. */
  get socket() { return this.#socket; }
  get me() { return this.players.find((player) => player.id === this.playerId); }
  get opponent() { return this.players.find((player) => player.id !== this.playerId); }
  get mover() { return this.players[this.turn]; }
  get isMine() { return Boolean(this.position) && !this.over && this.mover?.id === this.playerId; }

  #listen() {
    const socket = this.#socket;
    socket.on("connect", () => this.#enter());
    socket.on("disconnect", (reason) => {
      this.#setLink("offline");
      if (reason === "io server disconnect") this.#later(() => socket.connect(), PAUSE_MS);  // the library doesn't reconnect after this
    });
    socket.on("connect_error", (error) => this.#connectFailed(error));
    socket.onAny((event, data) => this.#receive(event, data ?? {}));
    this.onOffline = () => { this.#setLink("offline"); socket.io.engine?.close(); };
    this.onOnline = () => { if (!socket.connected) socket.disconnect().connect(); };
    globalThis.addEventListener?.("offline", this.onOffline);  // Node has no such events
    globalThis.addEventListener?.("online", this.onOnline);
  }

  /** Disconnects and gives the seat up. */
  close() {
    this.disconnect();
    this.#seats.forget();
  }

  disconnect() {
    this.#isClosed = true;
    globalThis.removeEventListener?.("offline", this.onOffline);
    globalThis.removeEventListener?.("online", this.onOnline);
    this.#socket.disconnect();
  }

  #later(act, ms) { setTimeout(() => this.#isClosed || act(), ms); }

  #setLink(link) {
    this.link = link;
    this.#changed("link");
  }

  #connectFailed({ data }) {
    if (FINAL.has(data?.code)) return this.#lose(new RoomError(data));
    this.problem = data ? new RoomError(data) : null;
    this.#setLink("offline");
    if (data) this.#later(() => this.#socket.connect(), backoff(++this.#refusals));  // the library doesn't reconnect after a refusal
  }

  #lose(error) {
    this.lost = error;
    this.close();
    this.#changed("lost");
  }

  /** Joins the queue, or returns to the room. */
  async #enter() {
    try {
      if (this.#seen) await this.#request("game:reconnect", { ...this.#seen, ...(this.roomId ? { roomId: this.roomId } : {}) });
      else await this.#request("matchmaking:join", this.seat.options ?? {});
    } catch (error) {
      if (FINAL.has(error.code)) return this.#lose(error);
      this.problem = error instanceof RoomError ? error : null;
      this.#later(() => this.link === "offline" && this.#socket.connected && this.#enter(), Math.max(backoff(++this.#refusals), (error.retryAfter ?? 0) * 1000));
      return this.#setLink("offline");
    }
    this.problem = null;
    this.#refusals = 0;
    this.#setLink("online");
    this.#outbox.send();
  }

  #emit(event, data) { return this.#socket.timeout(ANSWER_MS).emitWithAck(event, data); }

  async #request(event, data) {
    const answer = await this.#emit(event, data);
    if (!answer.ok) throw new RoomError(answer.error);
    return answer;
  }

  #receive(event, data) {
    if (data.version && event !== "game:valid_moves") this.#seen = { version: data.version, ...(data.part === undefined ? {} : { part: data.part }) };
    const kind = event.startsWith(`${this.game}:`) ? event.slice(this.game.length + 1) : event;
    const handle = this.#handlers[kind];
    if (!handle) return;
    if (data.clock) this.clock = { ...data.clock, at: performance.now() };
    handle(data);
    this.#changed(kind, data);
  }

  #handlers = {
    "matchmaking:waiting": (data) => { this.waiting = data.position; this.#seats.keep(this.seat); },
    "matchmaking:left": () => { this.waiting = null; },
    "game:started": (data) => this.#start(data),
    "game:reconnected": (data) => { this.gone = false; this.isResumed ||= !this.position; this.#restore(data); },
    "game:move:made": (data) => { completeMove(data, this.position, this.history); this.#moved(data); },
    "game:takeback:made": (data) => this.#takenBack(data),
    "game:hint:found": (data) => { this.suggestion = data.roomId === this.roomId ? data : null; },
    "game:tutor:found": (data) => { this.advice = data.roomId === this.roomId ? data : null; },
    "game:phrase:said": () => {},
    "game:dice": (data) => { this.#show(data); this.#resetDeadline(); },
    "game:over": (data) => {
      this.over = { ...data };
      this.series = data.series ?? this.series;
      this.suggestion = this.advice = null;
      this.gone = this.away !== null;
      this.deadline = this.away = this.offer = this.resignOffer = this.warned = null;
      if (data.match) this.position = { ...this.position, match: { ...this.position.match, ...data.match } };
    },
    "game:resign:offered": ({ playerId, points }) => { this.resignOffer = { playerId, points }; },
    "game:resign:declined": () => { this.resignOffer = null; },
    "game:draw:offered": (data) => { this.offer = data.playerId; },
    "game:draw:declined": () => { this.offer = null; },
    "game:rematch:offered": (data) => { this.rematch.add(data.playerId); },
    "game:rematch:agreed": () => {},
    afk_warning: (data) => { this.warned = data.playerId; this.deadline = Date.now() + data.secondsRemaining * 1000; },
    afk_warning_cleared: () => { this.warned = null; },
    "afk:status": (data) => this.#setDeadline(data.expiresAt ? data : null),
    "player:disconnected": (data) => {
      if (data.playerId === this.playerId) return;
      if (this.over) this.gone = true;
      else this.away = data.secondsRemaining === null ? Infinity : Date.now() + data.secondsRemaining * 1000;
    },
    "player:reconnected": (data) => { if (data.playerId !== this.playerId) Object.assign(this, { away: null, gone: false }); },
    "server:stopping": () => { this.link = "offline"; },
  };

  #start(data) {
    Object.assign(this, { over: null, away: null, gone: false, offer: null, resignOffer: null, warned: null, waiting: null, last: null, deadline: null });
    this.rematch = new Set();
    this.#outbox.clear();
    this.#restore(data);
    this.#resetDeadline();
  }

  #restore(data) {
    if (!data.clock) this.clock = null;
    if (this.roomId !== data.roomId) {  // a rematch may start while the connection is down
      Object.assign(this, { over: null, rematch: new Set() });
      this.#outbox.clear();
    }
    const { roomId, playerId, color, players, theme, reconnectSeconds, abandonSeconds, isPrivate } = data;
    Object.assign(this, { roomId, playerId, color, players, theme, reconnectSeconds, abandonSeconds, isPrivate });
    Object.assign(this, { practice: data.practice ?? false, series: data.series ?? null, suggestion: null, advice: null });
    this.timeControl = data.timeControl ?? null;
    this.options = data.options ?? {};
    this.resignOffer = data.resignOffer ?? null;
    this.limit = data.afkTimeoutEnabled ? data.afkTimeoutSeconds : null;
    this.history = data.moveHistory ?? [];
    this.last = this.history.at(-1)?.move ?? null;
    this.#show(data);
    const token = data.reconnectToken ?? this.seat.token;
    this.#socket.auth = { ...this.#socket.auth, token };
    this.seat = { game: this.game, token, roomId };
    this.#seats.keep(this.seat);
    if (this.limit && !this.over) this.#checkClock();
  }

  /** Merges a message into the position; fields that the message lacks keep their values. */
  #show(data) {
    this.position = { ...this.position, ...data };
    this.turn = data.currentTurn;
  }

  #moved(data) {
    this.#show(data);
    this.history = data.moveHistory;
    this.last = data.move;
    this.offer = this.suggestion = this.advice = null;
    if (data.ended || data.move?.resign || this.resignOffer?.playerId !== data.playerId) this.resignOffer = null;  // the other side's move declines an offer
    this.#resetDeadline();
  }

  #takenBack(data) {
    this.#moved(data);
    this.last = this.history.at(-1)?.move ?? null;
  }

  #resetDeadline() {
    this.deadline = this.limit && !this.mover?.isBot && !this.over ? Date.now() + this.limit * 1000 : null;
  }

  /** In seconds from now, since nobody's clock agrees with the server's. */
  #setDeadline(status) {
    this.deadline = status && this.limit && !this.over ? Date.now() + Math.min(status.secondsRemaining, this.limit) * 1000 : null;
  }

  async #checkClock() {
    try {
      const { status } = await this.#request("afk:check", { roomId: this.roomId });
      this.#setDeadline(status);
      this.#changed("clock");
    } catch {
      this.#resetDeadline();  // no answer: the full time is the best guess
    }
  }

  /** All legal moves of the turn, as the server lists them. */
  legalMoves() { return this.#getMoves({}); }

  /** The steps that can follow others, in games whose moves have steps. */
  nextSteps(soFar) { return this.#getMoves({ soFar }); }

  async #getMoves(wanted) { return (await this.#request("game:get_moves", { roomId: this.roomId, ackOnly: true, ...wanted })).moves; }

  /** Why a piece can't move, or not to `target`: `{reason, places}`, or null if it can. */
  async why({ position, target, soFar }) {
    const asked = Object.fromEntries(Object.entries({ position, target, soFar }).filter(([, value]) => value !== undefined));
    return (await this.#request("game:get_moves", { roomId: this.roomId, ackOnly: true, explain: true, ...asked })).refusal;
  }

  /** The board at the start and after each move of the history, as the server packs them. */
  async boards() { return (await this.#request("game:boards", { roomId: this.roomId })).boards; }

  /** Asks for a suggestion, which comes as `game:hint:found`. */
  async hint() { await this.#request("game:hint", { roomId: this.roomId }); }

  /** Asks whether a move would be a mistake; the answer comes as `game:tutor:found`. */
  async tutor(move) { await this.#request("game:tutor", { roomId: this.roomId, move }); }

  /** Says one of the set phrases to the opponent. */
  async say(phrase) { await this.#request("game:phrase", { roomId: this.roomId, phrase }); }

  /** Makes a move. Like every command it's sent again after a break of the connection, which is harmless. */
  move(move) { return this.#command("game:move", { move }); }
  takeBack() { return this.#command("game:takeback"); }
  /** Ends everything at this table: a match too. */
  resign() { return this.#command("game:resign"); }
  /** Offers to lose the current game as 1 (single), 2 (gammon) or 3 (backgammon), in games with a cube and in matches. */
  offerResignation(points) { return this.#command("game:resign:offer", { points }); }
  acceptResignation() { return this.#command("game:resign:accept"); }
  declineResignation() { return this.#command("game:resign:decline"); }
  offerDraw() { return this.#command("game:draw:offer"); }
  acceptDraw() { return this.#command("game:draw:accept"); }
  declineDraw() { return this.#command("game:draw:decline"); }
  offerRematch() { return this.#command("game:rematch"); }

  /** Leaves the queue; false if a game has started meanwhile. */
  async leaveQueue() {
    this.isLeaving = true;
    if (this.#socket.connected) await this.#request("matchmaking:leave", {}).catch(() => {});
    if (!this.roomId) this.close();
    return !this.roomId;
  }

  async #command(event, data = {}) {
    try {
      return await this.#outbox.post(event, { roomId: this.roomId, ...data });
    } catch (problem) {
      throw new RoomError(problem);
    }
  }

  #changed(kind, data = {}) {
    this.dispatchEvent(Object.assign(new Event("change"), { kind, data }));
  }
}
