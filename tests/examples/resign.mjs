// Starts the game of each session's token, and resigns.
import { LudusRoom } from "ludus-client";

const [server, ...tokens] = process.argv.slice(2);
await Promise.all(tokens.map(async (token) => {
  const room = new LudusRoom({ server, game: "checkers", token });
  await new Promise((resolve) => room.socket.on("game:started", resolve));
  await room.resign();
  room.close();
}));
