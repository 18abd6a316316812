// A player's connection to a room of a Ludus server.
import { io } from "socket.io-client";
import { UNAVAILABLE, backoff } from "./outbox.js";
import { RoomClient, RoomError, timeLeft } from "./room.js";

export { RoomClient, RoomError, timeLeft };

export class LudusRoom extends RoomClient {
  #snapshot = null;

  /** Connects at once. What `store` has of the same game and token goes on; all other options are socket.io-client's. */
  constructor({ server, game, token = null, join = {}, store, ...options }) {
    const saved = store?.load();
    const isSame = saved?.seat.game === game && saved.joinedWith === token;
    const seats = store && { keep: (seat) => store.save({ seat, joinedWith: token }), forget: () => store.clear() };
    super(isSame ? saved.seat : { game, token, options: join }, { io, server, ...(seats ? { seats } : {}), ...options });
    this.addEventListener("change", () => { this.#snapshot = null; });
  }

  /** Calls the listener after every change, until the function that it returns is called. */
  subscribe = (listener) => {
    this.addEventListener("change", listener);
    return () => this.removeEventListener("change", listener);
  };

  /** Makes a move as it was listed, or as `game:move` takes it. */
  move(move) { return super.move(Array.isArray(move) ? { moves: move } : move); }

  /** The legal moves of each of the player's turns, until the game is over. */
  async *turns() {
    let answered = null;
    for (;;) {
      await this.#until(() => this.over || this.lost || (this.isMine && this.link === "online" && this.position !== answered));
      if (this.over || this.lost) return;
      const { position } = this;
      const moves = await this.legalMoves().catch((error) => {
        if (!(error instanceof RoomError)) return null;  // no answer: the connection has broken
        if (error.code !== UNAVAILABLE) throw error;
        return new Promise((resolve) => setTimeout(() => resolve(null), backoff(1)));
      });
      if (moves === null || position !== this.position) continue;
      answered = position;
      if (moves.length) yield moves;
    }
  }

  #until(isDone) {
    return new Promise((resolve) => {
      const check = () => {
        if (!isDone()) return;
        stop();
        resolve();
      };
      const stop = this.subscribe(check);
      check();
    });
  }

  /** The state as one frozen object, the same until something changes. */
  snapshot = () => (this.#snapshot ??= Object.freeze({
    link: this.link,
    waiting: this.waiting,
    roomId: this.roomId,
    playerId: this.playerId ?? null,
    color: this.color ?? null,
    theme: this.theme ?? null,
    players: this.players,
    me: this.me ?? null,
    opponent: this.opponent ?? null,
    position: this.position,
    history: this.history,
    last: this.last,
    isMine: this.isMine,
    over: this.over,
    away: this.away,
    gone: this.gone,
    offer: this.offer,
    warned: this.warned,
    rematch: [...this.rematch],
    deadline: this.deadline,
    timeControl: this.timeControl,
    clock: this.clock,
    problem: this.problem,
    lost: this.lost,
  }));
}

/** Keeps a seat in `localStorage` or `sessionStorage`, so that a player returns to the game after the page was reloaded. */
export function seatStore(storage, key = "ludus-seat") {
  return {
    load: () => JSON.parse(storage.getItem(key) ?? "null"),
    save: (saved) => storage.setItem(key, JSON.stringify(saved)),
    clear: () => storage.removeItem(key),
  };
}
