// The table: board, players, clocks, and everything that can be done during a game and after it.

import { makeBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { h, toast } from "../shell.js";
import { gameName, gameNames, problemText, t } from "../strings.js";
import { write } from "../boards/board.js";
import { play as sound } from "../boards/sounds.js";
import { actions } from "./actions.js";
import { announcer } from "./announcer.js";
import { moveList } from "./moves.js";
import { playerName } from "./names.js";
import { notationBox } from "./notation-box.js";
import { notices } from "./notices.js";
import { strip } from "./strips.js";

const TICK_MS = 250;
const RETRY_MS = 1000;
/** The move of a player who has no legal one, in sessions where the server doesn't make it. */
const PASS = { moves: [] };
/** Events that change the position. */
const BOARD_EVENTS = new Set(["game:started", "game:resumed", "game:reconnected", "game:move:made", "game:dice", "game:over"]);

/** Events that may change the player's side or the theme. */
const SEATING_EVENTS = new Set(["game:started", "game:resumed", "game:reconnected"]);

/** Returns a function that removes the view. The board's module must be loaded. */
export function showTable(main, room, { home }) {
  const board = makeBoard(room.game);
  board.steps = (soFar) => room.nextSteps(soFar);
  const state = { moves: [], board, room, home, send: (move) => send(state, move) };
  const parts = [strip(room, "top"), strip(room, "bottom"), notices(state), moveList(room), notationBox(state), actions(state), announcer(room)];
  const [top, bottom, notice, list, box, buttons, liveRegion] = parts;
  const turn = h("p", { class: "turn", "data-turn": "" });
  main.replaceChildren(h("div", { class: "table" },
    h("h1", { class: "visually-hidden" }, gameName(room.game)),
    h("div", { class: "board-side" }, top.element, h("div", { class: "board-frame" }, board), bottom.element),
    h("aside", { class: "panel" }, notice.element, turn, list.element, box.element, buttons.element, liveRegion.element)));
  setShape(main.firstElementChild, room.game);

  const update = (kind, data) => {
    if (SEATING_EVENTS.has(kind)) seat(board, room);
    if (BOARD_EVENTS.has(kind)) draw(state);
    write(turn, turnText(room));
    turn.hidden = Boolean(room.over);
    turn.classList.toggle("is-mine", room.isMine);
    setTitle(room.isMine ? t("play.title.turn") : t("play.title", { games: gameNames() }));
    if (kind === "game:draw:declined" && data.playerId !== room.playerId) toast(t("play.draw.declined"));
    for (const part of parts) part.update(kind, data);
    sounds(room, kind, data);
  };
  const listen = ({ kind, data }) => update(kind, data);
  board.addEventListener("ludus-move", ({ detail }) => send(state, detail));
  room.addEventListener("change", listen);
  const timer = setInterval(() => parts.forEach((part) => part.tick?.()), TICK_MS);
  update(room.isResumed ? "game:resumed" : "game:started", {});
  return () => {
    clearInterval(timer);
    for (const part of parts) part.stop?.();
    room.removeEventListener("change", listen);
  };
}

/** Setting the same title again isn't free. */
function setTitle(title) {
  if (document.title !== title) document.title = title;
}

/** What the layout needs to know of the game. */
function setShape(table, game) {
  table.style.setProperty("--shape", GAMES[game].shape);
  table.style.setProperty("--move-columns", GAMES[game].moveColumns);
}

function seat(board, room) {
  board.side = room.color;
  board.theme = room.theme;
}

/** Shows the position and fetches the legal moves. */
async function draw(state) {
  const { board, room } = state;
  state.moves = [];
  Object.assign(board, { position: room.position, last: room.last, moves: [] });
  if (!room.isMine || GAMES[room.game].isRolling(room.position)) return;
  const request = (state.request = {});
  try {
    const moves = await room.legalMoves();
    if (state.request !== request || !room.isMine) return;
    state.moves = moves;
    board.moves = moves;
    if (!moves.length) return void room.move(PASS).catch(() => {});  // refused if the turn is over, which the next event says
    if (document.activeElement === document.body) board.focusFirst();
  } catch {
    setTimeout(() => state.request === request && room.link === "online" && draw(state), RETRY_MS);  // a slow connection: try again
  }
}

async function send(state, move) {
  const { board, room } = state;
  sound(move.captures?.length ? "capture" : "move");
  try {
    await room.move(move);
  } catch (error) {
    toast(problemText(error), "bad");
    Object.assign(board, { position: room.position, moves: state.moves });
  }
}

function turnText(room) {
  if (room.over) return "";
  if (room.isMine) return GAMES[room.game].isRolling(room.position) ? t("play.turn.rolling") : t("play.turn.mine");
  return t(room.opponent?.isBot ? "play.turn.bot" : "play.turn.theirs", { name: playerName(room.opponent) });
}

function sounds(room, kind, data) {
  if (kind === "game:move:made" && data.playerId !== room.playerId) sound(data.move.captures?.length ? "capture" : "move");
  if (kind === "game:move:made" && data.becameKing) sound("king");
  if (kind === "game:dice") sound("dice");
  if (kind === "game:draw:offered" || kind === "afk_warning") sound("notice");
  if (kind === "game:over") sound(data.winner === room.playerId ? "won" : "lost");
}
