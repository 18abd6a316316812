// Plays a whole game against a bot with ludus-client, and loses the connection on the way. Prints all that it received.
import { LudusRoom, seatStore } from "ludus-client";

const [server, game, token] = process.argv.slice(2);
const kept = new Map();
const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text), removeItem: (key) => kept.delete(key) };
const options = { server, game, token: token || null, join: { username: "Ann", wantsBot: true, botDifficulty: "easy" }, store: seatStore(storage) };
const received = [];
const links = [];
let made = 0;

function connect() {
  const room = new LudusRoom(options);
  room.socket.onAny((name, data) => received.push({ name, data }));
  room.addEventListener("change", ({ kind }) => { if (kind === "link") links.push(room.link); });
  return room;
}

const online = (room) => new Promise((resolve) => {
  const stop = room.subscribe(() => { if (room.link === "online" && room.position) resolve(stop()); });
});

async function play(room, most) {
  for await (const [move] of room.turns()) {
    if (made === 2) room.socket.io.engine.close();  // the move waits until the connection is back
    const { ok } = await room.move(move);
    if (!ok) throw new Error("the move was lost");
    made += 1;
    if (made === most) return;
  }
}

let room = connect();
await play(room, 4);
room.disconnect();  // as when the page is reloaded
const [before, reloadedAt] = [room.snapshot(), received.length];
room = connect();
await online(room);
const isSame = room.roomId === before.roomId && room.playerId === before.playerId && room.isResumed;
await play(room, Infinity);
const { over } = room;
room.close();
process.stdout.write(JSON.stringify({ received, reloadedAt, links, made, isSame, over, kept: [...kept] }));
