import type { HTMLAttributes, ReactElement } from "react";
import type { Game, Games, Problem, Stored } from "./events.js";
import type { LudusRoom, RoomOptions, Snapshot } from "./index.js";
import type { Color, GameOver, LegalMove, Move, MoveMade, MoveRequest, Position, RoomError, State, Steps } from "./room.js";

/** The properties of a board that a game is played on. */
export interface RoomBoard<G extends Game = Game> {
  game: G;
  position: Position<G> | null;
  moves: readonly LegalMove<G>[];
  last: Move<G> | null;
  side: Color<G> | null;
  theme: Record<string, unknown> | null;
  steps: (soFar: Steps<G>) => Promise<LegalMove<G>[]>;
  onMove: (move: MoveRequest<G>) => void;
}

export interface RoomState<G extends Game = Game> extends Snapshot<G> {
  /** For the other commands, such as `room.resign()`; null until the component is mounted. */
  readonly room: LudusRoom<G> | null;
  /** The legal moves of the turn; empty when it is not the player's. */
  readonly moves: readonly LegalMove<G>[];
  /** Why the last move was refused. */
  readonly refusal: RoomError | null;
  /** The properties of a `LudusBoard`. */
  readonly board: RoomBoard<G>;
  /** Makes a move; a refusal is thrown as `RoomError`. */
  readonly move: (move: MoveRequest<G>) => Promise<Stored>;
}

/** Connects while the component is mounted: the state of the room, the legal moves and the commands. Another `server`,
 * `game` or `token` is another room; the other options are read when it connects. */
export function useLudusRoom<G extends Game>(options: RoomOptions<G>): RoomState<G>;

type Attributes = Omit<HTMLAttributes<HTMLElement>, "onMove">;

export interface LudusBoardProps<G extends Game = Game> extends Attributes {
  /** Where the board's module comes from. */
  server: string;
  game: G;
  position?: Partial<Position<G>> | Games[G]["board"] | null;
  moves?: readonly LegalMove<G>[];
  last?: Move<G> | null;
  advice?: Move<G> | null;
  side?: Color<G> | null;
  theme?: Record<string, unknown> | null;
  labels?: Record<string, string>;
  steps?: (soFar: Steps<G>) => Promise<LegalMove<G>[]>;
  onMove?: (move: MoveRequest<G>) => unknown;
  flip?: boolean;
  compact?: boolean;
}

/** A board, `<ludus-checkers>` and the like. `useLudusRoom(…).board` has the properties for a game that is played. */
export function LudusBoard<G extends Game>(props: LudusBoardProps<G>): ReactElement;

export interface LudusGameProps extends Attributes {
  server: string;
  game: Game;
  /** A session's token; without one, a guest plays against a bot. */
  token?: string;
  level?: string;
  name?: string;
  onStarted?: (state: State) => void;
  onMoved?: (move: MoveMade) => void;
  onOver?: (result: GameOver) => void;
  onProblem?: (problem: Problem) => void;
}

/** A whole game, `<ludus-game>`, with its own connection, clock and buttons. */
export function LudusGame(props: LudusGameProps): ReactElement;
