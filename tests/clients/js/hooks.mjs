// Plays a game with the React hook, without a browser: first as a server renders it, then mounted.
import { createElement, useEffect } from "react";
import { renderToString } from "react-dom/server";
import { act, create } from "react-test-renderer";
import { LudusBoard, LudusGame, useLudusRoom } from "ludus-client/react";

globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const [server] = process.argv.slice(2);
const join = { username: "Rea", wantsBot: true, botDifficulty: "easy" };
const texts = [];
const refusals = [];
let hasErred = false;
let finish;
const finished = new Promise((resolve) => { finish = resolve; });

function Game() {
  const { board, isMine, link, moves, over, refusal, room } = useLudusRoom({ server, game: "checkers", join });
  useEffect(() => { if (refusal) refusals.push(refusal.code); }, [refusal]);
  useEffect(() => {
    if (over) return finish(over);
    if (!moves.length) return undefined;
    if (hasErred) return board.onMove(moves[0]);
    hasErred = true;
    return board.onMove({ from: 0, to: 0 });  // refused: the moves come again
  }, [moves, over]);
  const text = over ? `over: ${over.reason}` : `${link} ${isMine ? "mine" : "theirs"} ${room ? "connected" : "not yet"}`;
  texts.push(text);
  return createElement("p", null, text);
}

const html = renderToString(createElement(Game));
const board = renderToString(createElement(LudusBoard, { server, game: "checkers", className: "wide", compact: true }));
const game = renderToString(createElement(LudusGame, { server, game: "checkers", level: "easy" }));
let root;
await act(async () => { root = create(createElement(Game)); });
globalThis.IS_REACT_ACT_ENVIRONMENT = false;  // from now on the server causes the updates
const over = await finished;
const last = root.toJSON().children.join("");
root.unmount();
process.stdout.write(JSON.stringify({ html, board, game, texts, refusals, over, last }));
