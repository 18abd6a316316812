// What a TypeScript program may write with the package, and what it may not.
import { io, type Socket } from "socket.io-client";
import { LudusRoom, RoomError, seatStore, type CheckersMove, type ClientEvents, type ServerEvents, type ServerMessage } from "ludus-client";
import type { BackgammonServerEvents } from "ludus-client/events";
import { LudusBoard, LudusGame, useLudusRoom } from "ludus-client/react";

const room = new LudusRoom({ server: "https://ludus.example", game: "checkers", token: "t", store: seatStore(sessionStorage) });
room.socket.on("game:move:made", ({ move, becameKing, currentTurn }) => {
  const squares: number[] = [move.from, move.to, ...move.captures];
  const index: 0 | 1 = currentTurn;
  console.log(squares, becameKing === true, room.players[index]?.isBot);
});
room.socket.on("checkers:afk_warning", ({ secondsRemaining }) => secondsRemaining.toFixed());
// @ts-expect-error: checkers has no dice
room.socket.on("game:dice", () => {});
// @ts-expect-error: there is no such event
room.socket.on("game:started!", () => {});

export async function play(): Promise<void> {
  const [move] = await room.legalMoves();
  if (move) await room.move(move);
  await room.move({ from: 42, to: 33 });
  for await (const moves of room.turns()) await room.move(moves[0]!);
  // @ts-expect-error: a whole play is backgammon's
  await room.move({ moves: [] });
  const { version }: { version: number } = await room.resign();
  const history: CheckersMove[] = room.history.map((entry) => entry.move);
  const result: "won" | "over" = room.over?.reason === "victory" ? "won" : "over";
  // @ts-expect-error: games do not end like that
  console.log(room.over?.reason === "bored");
  if (room.lost instanceof RoomError) console.log(version, history, result, room.lost.code);
  const answer = await room.socket.emitWithAck("afk:check", { roomId: room.roomId ?? "" });
  if (answer.ok) console.log(answer.status?.expiresAt);
  else console.log(answer.error.code);
}

const plain: Socket<ServerEvents<"backgammon">, ClientEvents<"backgammon">> = io("https://ludus.example/backgammon");
plain.on("game:dice", ({ dice }: ServerMessage<"backgammon", "game:dice">) => dice.length);
plain.emit("matchmaking:join", { username: "Ann", wantsBot: true, botDifficulty: "easy" }, (answer) => answer.ok);
// @ts-expect-error: not a truth value
plain.emit("matchmaking:join", { wantsBot: "yes" });
export const over: Parameters<BackgammonServerEvents["game:over"]>[0]["dice"] = { commitment: "", seed: "" };

export function Table({ token }: { token: string }) {
  const { board, isMine, moves, opponent, over, refusal, room } = useLudusRoom({ server: "https://ludus.example", game: "backgammon", token });
  return (
    <main>
      <LudusBoard server="https://ludus.example" className="board" {...board} />
      <LudusGame server="https://ludus.example" game="checkers" level="easy" onOver={({ winner }) => console.log(winner)} />
      <p>{over ? over.reason : isMine ? `${moves.length} moves against ${opponent?.displayName}` : refusal?.message}</p>
      <button onClick={() => room?.resign()}>Resign</button>
    </main>
  );
}

// @ts-expect-error: a board belongs to a game
export const wrong = <LudusBoard server="https://ludus.example" />;
