import type { ManagerOptions, SocketOptions } from "socket.io-client";
import type { Game, Join, Stored, TimeControl } from "./events.js";
import type { Color, GameOver, HistoryEntry, LegalMove, Link, Move, MoveRequest, Player, Position, RoomError, RunningClock, Seat } from "./room.js";
import { RoomClient } from "./room.js";

export * from "./events.js";
export * from "./room.js";

export interface RoomOptions<G extends Game = Game> extends Partial<ManagerOptions & SocketOptions> {
  /** The server's address, such as "https://ludus.example". */
  server: string;
  game: G;
  /** A session's token; without one, a guest plays. */
  token?: string | null;
  /** What to ask for: the payload of `matchmaking:join`. */
  join?: Join;
  /** Where to keep what a player needs to return, for instance `seatStore(sessionStorage)`. */
  store?: SeatStore;
}

export interface SavedSeat {
  seat: Seat;
  joinedWith: string | null;
}

export interface SeatStore {
  load(): SavedSeat | null;
  save(saved: SavedSeat): void;
  clear(): void;
}

/** The state of a room at one moment; see the fields of `RoomClient`. */
export interface Snapshot<G extends Game = Game> {
  readonly link: Link;
  readonly waiting: number | null;
  readonly roomId: string | null;
  readonly playerId: string | null;
  readonly color: Color<G> | null;
  readonly theme: Record<string, unknown> | null;
  readonly players: Player<G>[];
  readonly me: Player<G> | null;
  readonly opponent: Player<G> | null;
  readonly position: Position<G> | null;
  readonly history: HistoryEntry<G>[];
  readonly last: Move<G> | null;
  readonly isMine: boolean;
  readonly over: GameOver<G> | null;
  readonly away: number | null;
  readonly gone: boolean;
  readonly offer: string | null;
  readonly warned: string | null;
  readonly rematch: string[];
  readonly deadline: number | null;
  readonly timeControl: TimeControl | null;
  readonly clock: RunningClock | null;
  readonly problem: RoomError | null;
  readonly lost: RoomError | null;
}

/** A player's connection to a room. It reconnects by itself, and then receives what it missed. */
export class LudusRoom<G extends Game = Game> extends RoomClient<G> {
  /** Connects at once. What `store` has of the same game and token goes on. */
  constructor(options: RoomOptions<G>);
  /** Makes a move as it was listed, or as `game:move` takes it. */
  move(move: MoveRequest<G> | LegalMove<G>): Promise<Stored>;
  /** The legal moves of each of the player's turns, until the game is over. */
  turns(): AsyncGenerator<LegalMove<G>[], void, void>;
  /** Calls the listener after every change, until the function that it returns is called. */
  subscribe: (listener: () => void) => () => void;
  /** The state as one frozen object, the same until something changes. */
  snapshot: () => Snapshot<G>;
}

/** Keeps a seat in `localStorage` or `sessionStorage`, so that a player returns to the game after the page was reloaded. */
export function seatStore(storage: Pick<Storage, "getItem" | "setItem" | "removeItem">, key?: string): SeatStore;
