// A player's clock on the page: it counts down by itself, and touches nothing but its text.
import { write } from "./boards/board.js";
import { timeLeft } from "./rooms/room.js";
import { number, t } from "./strings.js";

const SECOND = 1000;
const DAY = 86_400_000;
/** Below this, tenths of a second are shown. */
const TENTHS_MS = 10 * SECOND;
/** The clock is low below this, or below a third of a shorter time. */
const LOW_MS = 30 * SECOND;
const TENTHS = { minimumFractionDigits: 1 };

/** 1:02:03, 4:05, 9.4; days and hours of a correspondence game. */
export function faceText(ms) {
  if (ms < TENTHS_MS) return number(Math.ceil(ms / 100) / 10, TENTHS);
  const all = Math.ceil(ms / SECOND);
  if (ms >= DAY) return t("clock.days", { days: Math.floor(all / 86400), hours: Math.floor((all % 86400) / 3600) });
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60), String(all % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}

/** Milliseconds until the face shows something else. */
function untilNext(ms) {
  const unit = ms <= TENTHS_MS ? 100 : SECOND;
  return ms % unit || unit;
}

export class ClockFace {
  #timer = null;
  #clock = null;
  #player = 0;
  #lowMs = LOW_MS;

  constructor(element) { this.element = element; }

  /** `clock` is as `RoomClient` keeps it, `seconds` what the players began with. Null hides the face. */
  show(clock, player, seconds) {
    this.#clock = clock;
    this.#player = player;
    this.#lowMs = Math.min(LOW_MS, (seconds * SECOND) / 3);
    this.element.hidden = !clock;
    this.#tick();
  }

  stop() { clearTimeout(this.#timer); }

  #tick() {
    this.stop();
    const [clock, player] = [this.#clock, this.#player];
    if (!clock) return;
    const now = performance.now();
    const left = timeLeft(clock, player, now);
    const isRunning = clock.running === player;
    write(this.element, faceText(left));
    this.element.classList.toggle("running", isRunning);
    this.element.classList.toggle("short", left <= this.#lowMs);
    if (!isRunning || !left) return;
    const still = Math.max(0, (clock.delayMs ?? 0) - (now - clock.at));
    this.#timer = setTimeout(() => this.#tick(), Math.ceil(still + untilNext(left)));
  }
}
