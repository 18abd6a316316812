// A player's clock: it counts down by itself, and changes only its own text. Embedded games use it too, so it has no
// texts of its own.
import { timeLeft } from "./rooms/room.js";

const SECOND = 1000;
const DAY = 86_400_000;
/** Below this, tenths of a second are shown. */
const TENTHS_MS = 10 * SECOND;
/** The clock is low below this, or below a third of a shorter time. */
const LOW_MS = 30 * SECOND;

/** 1:02:03, 4:05, 9.4; `days` is the form of longer times, such as "{days} d {hours} h". */
export function faceText(ms, { language, days }) {
  if (ms < TENTHS_MS) return new Intl.NumberFormat(language, { minimumFractionDigits: 1 }).format(Math.ceil(ms / 100) / 10);
  const all = Math.ceil(ms / SECOND);
  if (ms >= DAY) return days.replace("{days}", Math.floor(all / 86400)).replace("{hours}", Math.floor((all % 86400) / 3600));
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor((all % 3600) / 60), String(all % 60).padStart(2, "0")];
  return hours ? `${hours}:${String(minutes).padStart(2, "0")}:${seconds}` : `${minutes}:${seconds}`;
}

/** Milliseconds until the text changes. */
function untilNext(ms) {
  const unit = ms <= TENTHS_MS ? 100 : SECOND;
  return ms % unit || unit;
}

export class ClockFace {
  #timer = null;
  #clock = null;
  #player = 0;
  #lowMs = LOW_MS;
  #format;

  /** `format` is as `faceText` takes it. */
  constructor(element, format) {
    this.element = element;
    this.#format = format;
  }

  /** `clock` is as `RoomClient` keeps it, `seconds` the players' initial time. Null hides the clock. */
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
    const still = isRunning ? Math.max(0, (clock.delayMs ?? 0) - (now - clock.at)) : 0;
    const text = faceText(left, this.#format);
    if (this.element.textContent !== text) this.element.textContent = text;
    this.#showDelay(still);
    this.element.classList.toggle("running", isRunning);
    this.element.classList.toggle("short", left <= this.#lowMs);
    if (isRunning && left) this.#timer = setTimeout(() => this.#tick(), Math.ceil(still ? still % SECOND || SECOND : untilNext(left)));
  }

  /** A running delay is shown beside the time. */
  #showDelay(ms) {
    const seconds = ms ? String(Math.ceil(ms / SECOND)) : undefined;
    if (this.element.dataset.delay === seconds) return;
    if (seconds) this.element.dataset.delay = seconds;
    else delete this.element.dataset.delay;
  }
}
