// What the board shows: the current position, an opponent's play step by step, or an earlier position.

import { endPosition } from "../games.js";
import { prefersStill } from "../boards/board.js";
import { play as sound } from "../boards/sounds.js";
import { GAMES } from "../games/index.js";
import { get } from "../preferences.js";

const STEP_MS = 420;
/** How long a roll that can't be played stays on the board, unless a clock is running. */
const PASS_MS = 1500;
/** How long the end of a match's game stays on the board before the next one begins. */
const END_MS = 2500;
const RETRY_MS = 1000;
/** The move of a player who has no legal one, in sessions where the server doesn't make it. */
const PASS = { moves: [] };
/** Events after which anything that was being shown is out of date. */
const RESETS = new Set(["game:started", "game:resumed", "game:takeback:made", "game:over"]);

export class Presentation extends EventTarget {
  /** The number of moves before the earlier position on the board; null while the current position is shown. */
  at = null;
  #state;
  #game;
  #boards = [];
  #boardsOf = "";
  #frames = [];
  #isRunning = false;
  /** The position before the last event. */
  #before = null;
  /** The turn that the player has pressed *Roll* in, and the one whose dice were heard. */
  #rolled = "";
  #heard = "";

  constructor(state) {
    super();
    this.#state = state;
    this.#game = GAMES[state.room.game];
  }

  get isLooking() { return this.at !== null; }
  get isRunning() { return this.#isRunning; }
  get #room() { return this.#state.room; }
  get #turn() { return `${this.#room.roomId}/${this.#room.history.length}`; }

  /** Follows an event of the room. */
  update(kind, data) {
    const room = this.#room;
    if (RESETS.has(kind)) {
      this.at = null;
      this.#frames = [];
    }
    if (kind === "game:takeback:made") this.#rolled = this.#turn;  // the player has seen these dice
    const isTheirs = kind === "game:move:made" && data.playerId !== room.playerId;
    const frames = kind === "game:move:made" && !this.isLooking && !prefersStill() && this.#before ? this.#framesOf(data, isTheirs) : [];
    if (isTheirs && !frames.length && !this.#game.isQuiet(data.move)) sound(this.#game.wordOf(data.move) ? "notice" : data.move.captures?.length ? "capture" : "move");
    this.#frames.push(...frames);
    if (data.ended && !this.isLooking && !prefersStill() && !room.clock) this.#frames.push(null);
    this.#before = room.position;
    if (this.isLooking) this.#changed();
    else if (!this.#isRunning) this.#run();
  }

  /** A move of the opponent step by step, or the roll of either player who has no legal move. */
  #framesOf({ playerId, move }, isTheirs) {
    const { players, history, opponent, clock } = this.#room;
    const color = players.find((player) => player.id === playerId)?.color;
    const previousDice = this.#previousDice(isTheirs ? this.#room.playerId : opponent?.id);
    if (this.#game.isPass(move)) {
      const position = { ...this.#before, dice: history.at(-1).dice ?? [], currentColor: color, previousDice };
      return [{ position, last: move, ms: clock ? STEP_MS : PASS_MS, sound: "dice" }];
    }
    if (!isTheirs) return [];
    return this.#game.framesOf(this.#before, move, color).map(({ position, last }) => ({ position: { ...position, previousDice }, last, ms: STEP_MS, sound: "move" }));
  }

  async #run() {
    this.#isRunning = true;
    while (this.#frames.length) {
      const frame = this.#frames.shift();
      if (!frame) {
        await new Promise((resolve) => setTimeout(resolve, END_MS));
        continue;
      }
      const { position, last, ms } = frame;
      Object.assign(this.#state.board, { position, last, moves: [] });
      sound(frame.sound);
      await new Promise((resolve) => setTimeout(resolve, ms));
    }
    this.#isRunning = false;
    if (!this.isLooking) this.show();
  }

  /** Shows the current position and fetches the legal moves. */
  async show() {
    const { board, room } = this.#state;
    this.#state.moves = [];
    const isRolled = Boolean(room.position.dice?.length);
    const mustRoll = room.isMine && isRolled && !get("autoRoll") && this.#rolled !== this.#turn && !this.#hasAskedToRoll;
    const previousDice = this.#previousDice(room.isMine ? room.opponent?.id : room.playerId);
    const position = { ...room.position, previousDice, ...(mustRoll ? { dice: [] } : {}) };
    Object.assign(board, { position, last: room.last, moves: [], mustRoll, advice: this.advice() });
    if (isRolled && !mustRoll && this.#heard !== this.#turn && !room.over) sound("dice");
    if (isRolled && !mustRoll) this.#heard = this.#turn;
    this.#changed();
    if (room.isMine && !mustRoll && !this.#game.isRolling(room.position)) await this.#fetchMoves();
  }

  async #fetchMoves() {
    const { board, room } = this.#state;
    const request = (this.#state.request = {});
    try {
      const moves = await room.legalMoves();
      if (this.#state.request !== request || !room.isMine || this.isLooking) return;
      this.#state.moves = moves;
      board.moves = moves;
      if (!moves.length) return void room.move(PASS).catch(() => {});  // refused if the turn is over, which the next event says
      this.dispatchEvent(new Event("ready"));
      if ([document.body, board].includes(document.activeElement)) board.focusFirst();
    } catch {
      setTimeout(() => this.#state.request === request && room.link === "online" && !this.isLooking && this.show(), RETRY_MS);  // a slow connection: try again
    }
  }

  /** The move to show with arrows. */
  advice() { return get("arrows") ? this.#room.suggestion?.move ?? null : null; }

  /** The last roll of a player, which stays on the board until they roll again. */
  #previousDice(id) {
    const { history, players } = this.#room;
    const now = history.slice(history.findLastIndex(({ ended }) => ended) + 1);
    const entry = now.findLast((each) => each.playerId === id && each.dice?.length);
    return entry ? { dice: entry.dice, color: players.find((player) => player.id === id)?.color } : null;
  }

  /** Whether the player has chosen to roll rather than to double, in this turn. */
  get #hasAskedToRoll() {
    const { history, playerId } = this.#room;
    const last = history.at(-1);
    return Boolean(last) && last.playerId === playerId && this.#game.isQuiet(last.move);
  }

  /** The player has pressed *Roll*. */
  roll() {
    this.#rolled = this.#turn;
    this.show();
  }

  /** Shows the board after this many moves; after all of them it's the current position. */
  async look(at) {
    const { board, room } = this.#state;
    const wanted = Math.max(0, at);
    if (wanted >= room.history.length) return this.back();
    this.at = wanted;  // at once: people press keys faster than boards arrive
    if (this.#boards.length <= wanted || this.#boardsOf !== room.roomId) {
      const boards = await room.boards().catch(() => []);
      if (boards.length <= wanted) return this.back();
      [this.#boards, this.#boardsOf] = [boards, room.roomId];
    }
    if (this.at !== wanted) return;
    this.#frames = [];
    const entry = wanted ? room.history[wanted - 1] : null;
    const color = room.players.find((player) => player.id === entry?.playerId)?.color ?? null;
    const position = entry?.ended
      ? endPosition(room.game, this.#boards[wanted - 1], { ...entry, color })
      : this.#game.unpack(this.#boards[wanted], { dice: entry?.dice ?? [], color });
    Object.assign(board, { position, last: entry?.move ?? null, moves: [], advice: null, mustRoll: false });
    this.#changed();
  }

  back() {
    if (!this.isLooking) return;
    this.at = null;
    this.show();
  }

  /** Forgets the boards of moves that were taken back. */
  forget() { this.#boards = []; }

  #changed() { this.dispatchEvent(new Event("change")); }
}
