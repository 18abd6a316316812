import type { Socket } from "socket.io-client";
import type { Game, GameClock, Games, Join, PhraseSaid, Refusal, Series, Stored, TimeControl } from "./events.js";

export type ServerEvents<G extends Game = Game> = Games[G]["server"];
export type ClientEvents<G extends Game = Game> = Games[G]["client"];
/** What the server sends with an event, such as `ServerMessage<"checkers", "game:over">`. */
export type ServerMessage<G extends Game, E extends keyof ServerEvents<G>> =
  ServerEvents<G>[E] extends (data: infer D) => void ? D : never;
/** What a client sends with an event. */
export type ClientMessage<G extends Game, E extends keyof ClientEvents<G>> =
  ClientEvents<G>[E] extends (data: infer D, ...ack: never[]) => void ? D : never;

/** One of the things that players can say to each other. */
export type Phrase = PhraseSaid["phrase"];
/** The reply to `game:hint`. */
export type Suggestion<G extends Game = Game> = ServerMessage<G, "game:hint:found">;
/** The reply to `game:tutor`. */
export type Advice<G extends Game = Game> = ServerMessage<G, "game:tutor:found">;
/** Where a piece stands, and where it should go. */
export type Place<G extends Game = Game> =
  ClientMessage<G, "game:get_moves"> extends { position?: infer P } ? NonNullable<P> : never;
export type Target<G extends Game = Game> =
  ClientMessage<G, "game:get_moves"> extends { target?: infer P } ? NonNullable<P> : never;
/** The whole state, as in `game:started` and `game:reconnected`. */
export type State<G extends Game = Game> = Games[G]["state"];
export type MoveMade<G extends Game = Game> = Games[G]["moveMade"];
/** `game:move:made` on a connection with `compact`. */
export type CompactMove<G extends Game = Game> = Games[G]["compactMove"];
export type GameOver<G extends Game = Game> = Games[G]["over"];
export type Player<G extends Game = Game> = Games[G]["player"];
export type HistoryEntry<G extends Game = Game> = Games[G]["historyEntry"];
export type Color<G extends Game = Game> = Games[G]["color"];
export type Move<G extends Game = Game> = Games[G]["move"];
export type MoveRequest<G extends Game = Game> = Games[G]["moveRequest"];
export type LegalMove<G extends Game = Game> = Games[G]["legalMove"];
/** The steps made so far, in games whose moves have steps. */
export type Steps<G extends Game = Game> = Games[G]["steps"];
/** What a board shows: the last state, with all that came since. */
export type Position<G extends Game = Game> = State<G> & Partial<MoveMade<G>>;

/** What a player needs to return to a game. */
export interface Seat<G extends Game = Game> {
  game: G;
  token?: string | null;
  roomId?: string;
  /** The payload of `matchmaking:join`. */
  options?: Join;
}

/** Adds to a compact `game:move:made`, in place, what it leaves out. `position` is the last message that shows the board,
 * with what came since. `RoomClient` does it by itself, before other listeners are called. */
export function completeMove<G extends Game>(
  data: MoveMade<G> | CompactMove<G>, position: Position<G>, history: HistoryEntry<G>[],
): asserts data is MoveMade<G>;

/** The players' clocks, and the moment they were received, by `performance.now()`. */
export type RunningClock = GameClock & { at: number };

/** Milliseconds that a player has left, now or at another moment of `performance.now()`. */
export function timeLeft(clock: RunningClock, player: number, now?: number): number;

/** The server refused; `code` and `message` are its own. */
export class RoomError extends Error {
  constructor(problem: { code: string; message: string; retryAfter?: number });
  code: string;
  /** Seconds after which to try again, if the server says so. */
  retryAfter?: number;
}

/** "connecting", "online" once the server has admitted the player, or "offline". */
export type Link = "connecting" | "online" | "offline";

export class RoomClient<G extends Game = Game> extends EventTarget {
  readonly game: G;
  readonly seat: Seat<G>;
  readonly link: Link;
  /** The player's place in the queue. */
  readonly waiting: number | null;
  readonly roomId: string | null;
  readonly playerId?: string;
  readonly color?: Color<G>;
  readonly theme?: Record<string, unknown> | null;
  readonly players: Player<G>[];
  readonly position: Position<G> | null;
  readonly history: HistoryEntry<G>[];
  readonly last: Move<G> | null;
  readonly over: GameOver<G> | null;
  /** When the absent opponent forfeits, in milliseconds since 1970; Infinity if there is no limit. */
  readonly away: number | null;
  /** Whether the opponent left after the end, or was away when it came. */
  readonly gone: boolean;
  /** Who offers a draw. */
  readonly offer: string | null;
  /** Who offers to resign the current game, as 1 (single), 2 (gammon) or 3 (backgammon). */
  readonly resignOffer: { playerId: string; points: number } | null;
  /** Who was warned of being idle. */
  readonly warned: string | null;
  /** Who wants a rematch. */
  readonly rematch: ReadonlySet<string>;
  /** When the player to move loses, in milliseconds since 1970. */
  readonly deadline: number | null;
  /** How long the players may think, if that was chosen. */
  readonly timeControl: TimeControl | null;
  /** The players' clocks, if they have any; `timeLeft` reads them. */
  readonly clock: RunningClock | null;
  /** How the game differs from a plain one, such as the length of a match. */
  readonly options: Record<string, unknown>;
  /** Whose turn it is, as an index into `players`. */
  readonly turn: number;
  /** Whether moves can be taken back and hints asked for. */
  readonly practice: boolean;
  /** In rematches, the results so far. */
  readonly series: Series | null;
  /** The engine's suggestion for the position on the board. */
  readonly suggestion: Suggestion<G> | null;
  /** What the tutor says about a move that was asked about. */
  readonly advice: Advice<G> | null;
  /** Whether this client joined a game that had started already. */
  readonly isResumed: boolean;
  /** The last temporary refusal; the client tries again. */
  readonly problem: RoomError | null;
  /** The final refusal; the client has given up. */
  readonly lost: RoomError | null;
  readonly me: Player<G> | undefined;
  readonly opponent: Player<G> | undefined;
  readonly mover: Player<G> | undefined;
  /** Whether it is this player's turn. */
  readonly isMine: boolean;
  /** The Socket.IO connection. Its listeners are called when the state is up to date. */
  readonly socket: Socket<ServerEvents<G>, ClientEvents<G>>;

  /** All legal moves of the turn; empty when it is not the player's. */
  legalMoves(): Promise<LegalMove<G>[]>;
  /** The steps that can follow others, in games whose moves have steps. */
  nextSteps(soFar: Steps<G>): Promise<LegalMove<G>[]>;
  /** Why a piece can't move, or not to `target`; null if it can. */
  why(asked: { position: Place<G>; target?: Target<G>; soFar?: Steps<G> }): Promise<Refusal | null>;
  /** The board at the start and after each move of the history, as the server packs them. */
  boards(): Promise<unknown[]>;
  /** Asks for a suggestion, which comes as `game:hint:found`. */
  hint(): Promise<void>;
  /** Asks whether a move would be a mistake; the answer comes as `game:tutor:found`. */
  tutor(move: MoveRequest<G>): Promise<void>;
  /** Says one of the set phrases to the opponent. */
  say(phrase: Phrase): Promise<void>;
  /** Makes a move. Like every command it is sent again after a break of the connection, which is harmless. */
  move(move: MoveRequest<G>): Promise<Stored>;
  /** Takes back the player's last move and the reply, in practice games. */
  takeBack(): Promise<Stored>;
  /** Ends everything at this table: a match too. */
  resign(): Promise<Stored>;
  /** Offers to lose the current game, in games with a cube and in matches. */
  offerResignation(points: 1 | 2 | 3): Promise<Stored>;
  acceptResignation(): Promise<Stored>;
  declineResignation(): Promise<Stored>;
  offerDraw(): Promise<Stored>;
  acceptDraw(): Promise<Stored>;
  declineDraw(): Promise<Stored>;
  offerRematch(): Promise<Stored>;
  /** Leaves the queue; false if a game has started meanwhile. */
  leaveQueue(): Promise<boolean>;
  /** Disconnects; the seat is kept. */
  disconnect(): void;
  /** Disconnects and gives the seat up. */
  close(): void;
}
