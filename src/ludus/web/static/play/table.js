// The table: board, players, clocks, and all that can be done during a game and after it.

import { h, toast } from "../shell.js";
import { t } from "../strings.js";
import { write } from "../boards/board.js";
import { play as sound } from "../boards/sounds.js";
import { actions } from "./actions.js";
import { moveList } from "./moves.js";
import { boardLabels, playerName } from "./names.js";
import { notationBox } from "./notation-box.js";
import { notices } from "./notices.js";
import { speaker } from "./speaker.js";
import { strip } from "./strips.js";

const TICK_MS = 250;
const RETRY_MS = 1000;
/** What changes the board. */
const BOARD_EVENTS = new Set(["game:started", "game:resumed", "game:reconnected", "game:move:made", "game:dice", "game:over"]);

/** After which a board may have another side or look. */
const SEATING_EVENTS = new Set(["game:started", "game:resumed", "game:reconnected"]);

/** Returns what takes the view away again. The board's element must be there. */
export function showTable(main, room, { home }) {
  const board = makeBoard(room);
  const state = { moves: [], board, room, home, send: (move) => send(state, move) };
  const parts = [strip(room, "top"), strip(room, "bottom"), notices(state), moveList(room), notationBox(state), actions(state), speaker(room)];
  const [top, bottom, notice, list, box, buttons, voice] = parts;
  const turn = h("p", { class: "turn", "data-turn": "" });
  main.replaceChildren(h("div", { class: `table ${room.game}` },
    h("h1", { class: "visually-hidden" }, t(`play.${room.game}`)),
    h("div", { class: "board-side" }, top.element, h("div", { class: "board-frame" }, board), bottom.element),
    h("aside", { class: "panel" }, notice.element, turn, list.element, box.element, buttons.element, voice.element)));

  const update = (kind, data) => {
    if (SEATING_EVENTS.has(kind)) seat(board, room);
    if (BOARD_EVENTS.has(kind)) draw(state);
    write(turn, turnText(room));
    turn.hidden = Boolean(room.over);
    turn.classList.toggle("is-mine", room.isMine);
    name(room.isMine ? t("play.title.turn") : t("play.title"));
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
    room.removeEventListener("change", listen);
  };
}

/** The window's name; telling the browser the same again is not free. */
function name(title) {
  if (document.title !== title) document.title = title;
}

function makeBoard(room) {
  const board = document.createElement(`ludus-${room.game}`);
  board.labels = boardLabels(board, room.game);
  board.steps = (soFar) => room.nextSteps(soFar);
  return board;
}

function seat(board, room) {
  board.side = room.color;
  board.theme = room.theme;
}

/** Shows the position, and asks what may be played in it. */
async function draw(state) {
  const { board, room } = state;
  state.moves = [];
  Object.assign(board, { position: room.position, last: room.last, moves: [] });
  if (!room.isMine || (room.game === "backgammon" && !room.position.dice?.length)) return;
  const asked = (state.asked = {});
  try {
    const moves = await room.legalMoves();
    if (state.asked !== asked || !room.isMine) return;
    state.moves = moves;
    board.moves = moves;
    if (document.activeElement === document.body) board.focusFirst();
  } catch {
    setTimeout(() => state.asked === asked && room.link === "online" && draw(state), RETRY_MS);  // a slow line: once more
  }
}

async function send(state, move) {
  const { board, room } = state;
  sound(move.captures?.length ? "capture" : "move");
  try {
    await room.move(move);
  } catch (error) {
    toast(error.message, "bad");
    Object.assign(board, { position: room.position, moves: state.moves });
  }
}

function turnText(room) {
  if (room.over) return "";
  if (room.isMine) return room.game === "backgammon" && !room.position.dice?.length ? t("play.turn.rolling") : t("play.turn.mine");
  return t(room.opponent?.isBot ? "play.turn.bot" : "play.turn.theirs", { name: playerName(room.opponent) });
}

function sounds(room, kind, data) {
  if (kind === "game:move:made" && data.playerId !== room.playerId) sound(data.move.captures?.length ? "capture" : "move");
  if (kind === "game:move:made" && data.becameKing) sound("king");
  if (kind === "game:dice") sound("dice");
  if (kind === "game:draw:offered" || kind === "afk_warning") sound("notice");
  if (kind === "game:over") sound(data.winner === room.playerId ? "won" : "lost");
}
