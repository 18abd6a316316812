// The table: board, players, clocks, and everything that can be done during a game and after it.

import { makeBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { h, toast } from "../shell.js";
import { factsText, moveText } from "../move-text.js";
import { gameName, gameNames, problemText, t } from "../strings.js";
import { setAnimation, write } from "../boards/board.js";
import { play as sound, setSound } from "../boards/sounds.js";
import { get, listen as listenToPreferences } from "../preferences.js";
import { actions } from "./actions.js";
import { announcer } from "./announcer.js";
import { confirmation } from "./confirmation.js";
import { explainer } from "./explainer.js";
import { moveList } from "./moves.js";
import { playerName } from "./names.js";
import { notationBox } from "./notation-box.js";
import { notices } from "./notices.js";
import { phrases } from "./phrases.js";
import { premove } from "./premove.js";
import { Presentation } from "./presentation.js";
import { prompt } from "./prompt.js";
import { stepper } from "./stepper.js";
import { strip } from "./strips.js";
import { tutor } from "./tutor.js";

const TICK_MS = 250;
/** Events that change the position. */
const BOARD_EVENTS = new Set(["game:started", "game:resumed", "game:reconnected", "game:move:made", "game:takeback:made", "game:dice", "game:over"]);

/** Events that may change the player's side or the theme. */
const SEATING_EVENTS = new Set(["game:started", "game:resumed", "game:reconnected"]);

/** Returns a function that removes the view. The board's module must be loaded. `search` finds another opponent on the same
 * terms; it is null where there are no such terms. `tournament` is the address of the one that the game belongs to, or null. */
export function showTable(main, room, { home, search, tournament = null }) {
  const board = makeBoard(room.game);
  board.steps = (soFar) => room.nextSteps(soFar);
  /** `view.position` is the board with the steps of an unfinished play. */
  const state = { moves: [], board, room, home, search, tournament, view: { position: null }, prompt: prompt(), sendNow: (move) => send(state, move) };
  const tutoring = tutor(state);
  state.send = tutoring.offer;
  state.presentation = new Presentation(state);
  const liveRegion = announcer(room);
  state.phrases = phrases(state, liveRegion.announce);
  state.explainer = explainer(state);
  const confirming = confirmation(state);
  const [top, bottom] = [strip(room, "top", state.view), strip(room, "bottom", state.view)];
  const [notice, list, box, buttons, steps] = [notices(state), moveList(state), notationBox(state), actions(state), stepper(state)];
  const parts = [top, bottom, notice, list, box, buttons, steps, premove(state), confirming, tutoring, state.phrases, liveRegion];
  const turn = h("p", { class: "turn", "data-turn": "" });
  const standing = h("p", { class: "standing", "data-standing": "" });
  const privacy = h("p", { class: "muted small", "data-private": "", hidden: !room.isPrivate }, t("play.private"));
  main.replaceChildren(h("div", { class: "table" },
    h("h1", { class: "visually-hidden" }, gameName(room.game)),
    h("div", { class: "board-side" }, withBubble(top, state.phrases.bubbles.top), h("div", { class: "board-frame" }, board), withBubble(bottom, state.phrases.bubbles.bottom)),
    h("aside", { class: "table-panel" }, standing, notice.element, turn, state.prompt.element, list.element, steps.element, box.element, buttons.element, privacy, liveRegion.element)));
  setShape(main.firstElementChild, room.game);

  const update = (kind, data) => {
    if (SEATING_EVENTS.has(kind)) seat(board, room);
    if (BOARD_EVENTS.has(kind)) showEvent(state, kind, data);
    if (kind === "game:hint:found") showHint(state, data);
    write(turn, turnText(room, board));
    turn.hidden = Boolean(room.over);
    write(standing, factsText(room.game, GAMES[room.game].standingOf(room.position, room.color)));
    standing.hidden = !standing.textContent;
    turn.classList.toggle("is-mine", room.isMine);
    setTitle(room.isMine ? t("play.title.turn") : t("play.title", { games: gameNames() }));
    if (kind === "game:draw:declined" && data.playerId !== room.playerId) toast(t("play.draw.declined"));
    if (kind === "game:resign:declined" && data.playerId !== room.playerId) toast(t("play.resign.declined"));
    for (const part of parts) part.update(kind, data);
    sounds(room, kind, data);
  };
  const listen = ({ kind, data }) => update(kind, data);
  board.addEventListener("ludus-move", ({ detail }) => confirming.offer(detail));
  board.addEventListener("ludus-refused", ({ detail }) => state.explainer.explain(detail));
  board.addEventListener("ludus-roll", () => { state.presentation.roll(); write(turn, turnText(room, board)); });
  board.addEventListener("ludus-step", ({ detail }) => {
    state.view.position = detail.position;
    [top, bottom].forEach((part) => part.showDetail());
  });
  room.addEventListener("change", listen);
  const stopListening = listenToPreferences(() => { applyPreferences(board); update("preferences", {}); });
  applyPreferences(board);
  if (tournament) {
    import("../tournaments/no-show.js").then(({ noShow }) => {
      parts.push(noShow(room, liveRegion.announce));
      turn.before(parts.at(-1).element);
    }).catch(() => {});  // offline: the clocks are there
  }
  const timer = setInterval(() => parts.forEach((part) => part.tick?.()), TICK_MS);
  update(room.isResumed ? "game:resumed" : "game:started", {});
  return () => {
    clearInterval(timer);
    stopListening();
    for (const part of parts) part.stop?.();
    room.removeEventListener("change", listen);
  };
}

function withBubble(part, bubble) {
  part.element.append(bubble);
  return part.element;
}

function applyPreferences(board) {
  setSound(get("sound"));
  setAnimation(get("animation"));
  board.autoConfirm = get("autoConfirm");
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

function showEvent(state, kind, data) {
  state.view.position = null;
  state.prompt.clear("why");
  state.prompt.clear("hint");
  if (kind === "game:takeback:made" || kind === "game:started") state.presentation.forget();
  if (kind === "game:started") state.board.point?.([]);
  state.presentation.update(kind, data);
}

/** Arrows on the board, and the move in words. */
function showHint({ board, room, prompt, presentation }, { move }) {
  if (!move) return toast(t("play.hint.none"), "bad");
  if (presentation.isLooking) return;
  board.advice = presentation.advice();
  prompt.show("hint", t("play.hint", { move: moveText(room.game, move, { color: room.color }) }));
}

async function send(state, move) {
  const { board, room } = state;
  if (!GAMES[room.game].isQuiet(move)) sound(move.captures?.length ? "capture" : "move");
  try {
    await room.move(move);
  } catch (error) {
    toast(problemText(error), "bad");
    Object.assign(board, { position: room.position, moves: state.moves });
  }
}

function turnText(room, board) {
  if (room.over) return "";
  const own = GAMES[room.game].turnOf(room.position);
  if (own) return t(`${room.game}.${own[0]}.${room.isMine ? "mine" : "theirs"}`, { name: playerName(room.opponent), ...own[1] });
  if (room.isMine && board.mustRoll) return t("play.turn.roll");
  if (room.isMine) return GAMES[room.game].isRolling(room.position) ? t("play.turn.rolling") : t("play.turn.mine");
  return t(room.opponent?.isBot ? "play.turn.bot" : "play.turn.theirs", { name: playerName(room.opponent) });
}

function sounds(room, kind, data) {
  if (kind === "game:move:made" && data.becameKing) sound("king");
  if (kind === "game:draw:offered" || kind === "game:resign:offered" || kind === "afk_warning") sound("notice");
  if (kind === "game:over") sound(data.winner === null ? "draw" : data.winner === room.playerId ? "won" : "lost");
}
