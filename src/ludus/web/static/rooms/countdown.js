// Countdowns are always visible, but announced to screen readers only at a few points.

const ANNOUNCED = [30, 10, 5];

/** Whole seconds until a moment. */
export const secondsTo = (end) => Math.max(0, Math.ceil((end - Date.now()) / 1000));

/** Seconds as a clock shows them: 1:05. */
export const clockText = (seconds) => `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;

export class Countdown {
  #stage = null;

  /** Whether to announce now: at the start, and at each of the seconds above. */
  isDue(seconds) {
    const stage = ANNOUNCED.filter((each) => seconds <= each).length;
    const isOther = stage !== this.#stage;
    this.#stage = stage;
    return isOther;
  }

  /** The next call to `isDue` starts over. */
  stop() { this.#stage = null; }
}
