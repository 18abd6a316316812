// An embedded player's line to a room: joins with a token or as a guest, comes back when the line was cut. No rules.
import { Outbox } from "../outbox.js";
import { io } from "../vendor/socket.io.esm.min.js";

const ANSWER_MS = 8000;
const PAUSE_MS = 1000;
/** Refusals that no other try changes. */
const LOST = new Set(["unauthorized", "expired", "forbidden", "not_found"]);
const FIELDS = ["board", "bar", "off", "dice", "pipCounts"];

export class Line extends EventTarget {
  /** "online" when the server has let the player in, "offline" when the line is cut. */
  link = "connecting";
  position = null;
  players = [];
  turn = 0;
  last = null;
  over = null;
  roomId = null;
  /** Who offers a draw; when an absent opponent loses; when the mover does. */
  offer = null;
  away = null;
  deadline = null;
  /** After the end: whether the opponent has left, and who would play again. */
  gone = false;
  again = new Set();
  #seen = null;
  #isClosed = false;
  #outbox = new Outbox({ emit: (event, data) => this.#emit(event, data), isOpen: () => this.link === "online" && this.socket.connected });

  constructor({ server, game, token, wish }) {
    super();
    this.game = game;
    this.wish = wish;
    this.socket = io(`${server}/${game}`, { auth: token ? { token } : {}, transports: ["websocket", "polling"], tryAllTransports: true, reconnectionDelayMax: 2500, forceNew: true });
    this.#listen();
  }

  #listen() {
    const { socket } = this;
    socket.on("connect", () => this.#enter());
    socket.on("disconnect", (reason) => {
      this.#linked("offline");
      if (reason === "io server disconnect") this.#later(() => socket.connect());  // the library would not
    });
    socket.on("connect_error", ({ data }) => (data ? this.#refused(data) : this.#linked("offline")));
    socket.onAny((event, data) => this.#hear(event, data ?? {}));
    this.onOffline = () => { this.#linked("offline"); socket.io.engine?.close(); };
    this.onOnline = () => { if (!socket.connected) socket.disconnect().connect(); };
    addEventListener("offline", this.onOffline);
    addEventListener("online", this.onOnline);
  }

  get me() { return this.players.find((player) => player.id === this.playerId); }
  get opponent() { return this.players.find((player) => player.id !== this.playerId); }
  get isMine() { return !this.over && this.players[this.turn]?.id === this.playerId; }

  close() {
    this.#isClosed = true;
    removeEventListener("offline", this.onOffline);
    removeEventListener("online", this.onOnline);
    this.socket.disconnect();
  }

  #linked(link) {
    this.link = link;
    this.#tell(link);
  }

  #later(act) { setTimeout(() => this.#isClosed || act(), PAUSE_MS); }

  async #enter() {
    const answer = await this.#come().catch(() => null);
    if (!answer) {
      this.#linked("offline");
      return this.#later(() => this.link === "offline" && this.socket.connected && this.#enter());
    }
    if (!answer.ok) return this.#fail(answer.error);
    this.#linked("online");
    this.#outbox.send();
  }

  #come() {
    if (this.#seen) return this.#emit("game:reconnect", { ...this.#seen, roomId: this.roomId });
    return this.#emit("matchmaking:join", this.wish);
  }

  #emit(event, data) { return this.socket.timeout(ANSWER_MS).emitWithAck(event, data); }

  /** One question with its answer; a refusal is thrown as `{code, message}`. */
  async ask(event, data = {}) {
    const answer = await this.#emit(event, data);
    if (!answer.ok) throw answer.error;
    return answer;
  }

  /** What the player does; if the line is cut, it waits for the next one. */
  command(event, data = {}) { return this.#outbox.post(event, { roomId: this.roomId, ...data }); }

  async moves() {
    const { roomId, color } = this;
    if (this.game === "backgammon") return (await this.ask("game:get_moves", { roomId })).moves;
    const own = this.position.board.flatMap((piece, index) => (piece?.player === color ? [index] : []));
    const answers = await Promise.all(own.map((position) => this.ask("game:get_moves", { roomId, position })));
    return answers.flatMap((answer) => answer.moves);
  }

  async steps(soFar) { return (await this.ask("game:get_moves", { roomId: this.roomId, soFar })).moves; }

  #hear(event, data) {
    if (data.version && event !== "game:valid_moves") this.#seen = { version: data.version, ...(data.part === undefined ? {} : { part: data.part }) };
    if (event === "game:started" || event === "game:reconnected") this.#start(event, data);
    else if (event === "game:move:made") this.#show(data, data.move);
    else if (event === "game:dice") this.#show(data, this.last);
    else if (event === "game:over") Object.assign(this, { over: data, gone: this.away !== null, offer: null, away: null, deadline: null });
    else if (event === "game:rematch:offered") this.again.add(data.playerId);
    else if (event === "game:draw:offered") this.offer = data.playerId;
    else if (event === "game:draw:declined") this.offer = null;
    else if (event === "player:disconnected" && data.playerId !== this.playerId) this.#miss(data);
    else if (event === "player:reconnected" && data.playerId !== this.playerId) Object.assign(this, { away: null, gone: false });
    else if (event.endsWith(":afk_warning")) this.deadline = endOf(data.secondsRemaining);
    this.#tell(event, data);
  }

  #miss({ secondsRemaining }) {
    if (this.over) this.gone = true;
    else this.away = endOf(secondsRemaining);
  }

  #start(event, data) {
    this.gone = false;
    if (event === "game:started" || data.roomId !== this.roomId) { // a rematch may begin while the line is cut
      Object.assign(this, { over: null, offer: null, away: null, again: new Set() });
      this.#outbox.clear();
    }
    this.limit = data.afkTimeoutEnabled ? data.afkTimeoutSeconds : null;
    const { roomId, playerId, color, players, theme } = data;
    Object.assign(this, { roomId, playerId, color, players, theme });
    if (data.reconnectToken) this.socket.auth = { token: data.reconnectToken };
    this.#show(data, data.moveHistory?.at(-1)?.move ?? null);
  }

  #show(data, last) {
    const found = FIELDS.filter((field) => data[field] !== undefined).map((field) => [field, data[field]]);
    this.position = { ...this.position, ...Object.fromEntries(found) };
    if (last !== this.last) this.offer = null;
    this.turn = data.currentTurn;
    this.last = last;
    this.deadline = this.over || this.players[this.turn]?.isBot ? null : endOf(this.limit);
  }

  #refused(problem) {
    this.#fail(problem);
    if (!LOST.has(problem.code)) this.#later(() => this.socket.connect());  // the library would not
  }

  #fail(problem) { this.#tell("problem", problem); }

  #tell(kind, data = {}) { if (!this.#isClosed) this.dispatchEvent(Object.assign(new Event("change"), { kind, data })); }
}

const endOf = (seconds) => (seconds ? Date.now() + seconds * 1000 : null);
