// Plays checkers with npm's rapid-draughts, which has to be installed in the folder this is started in.
// Reads a line for each request: "new", "play ORIGIN LANDING [CAPTURED...]" (squares 1 to 32) or "go SECONDS".
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const { EnglishDraughts, EnglishDraughtsComputerFactory } = createRequire(`${process.cwd()}/`)("rapid-draughts/english");
let game = EnglishDraughts.setup();

// Deeper and deeper until the next depth would not fit: each takes about four times as long as the one before.
async function choose(seconds) {
  const begin = performance.now();
  let move, depth = 1;
  for (; depth < 40; depth++) {
    const before = performance.now();
    move = await EnglishDraughtsComputerFactory.alphaBeta({ maxDepth: depth, quiescence: true })(game);
    const now = performance.now();
    if (now - begin + 4 * (now - before) > 1000 * seconds) break;
  }
  return [move.origin + 1, move.destination + 1, ...move.captures.map((square) => square + 1)].join(" ");
}

function play(origin, destination, captures) {
  const fits = (move) =>
    move.origin === origin && move.destination === destination &&
    move.captures.length === captures.length && captures.every((square) => move.captures.includes(square));
  const move = game.moves.find(fits);
  if (!move) throw new Error(`not legal: ${origin + 1} ${destination + 1}`);
  game.move(move);
}

for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split(" ");
  if (word === "new") game = EnglishDraughts.setup();
  if (word === "play") {
    const [origin, destination, ...captures] = rest.map((square) => Number(square) - 1);
    play(origin, destination, captures);
  }
  console.log(word === "go" ? await choose(Number(rest[0])) : "ok");
}
