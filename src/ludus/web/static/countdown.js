// Seconds that run out are always to be seen; they are spoken only when it matters.

const SPOKEN = [30, 10, 5];

/** Whole seconds until a moment. */
export const secondsTo = (end) => Math.max(0, Math.ceil((end - Date.now()) / 1000));

export class Countdown {
  #stage = null;

  /** Whether to speak now: when it begins, and at each of the seconds above. */
  isHeard(seconds) {
    const stage = SPOKEN.filter((each) => seconds <= each).length;
    const isOther = stage !== this.#stage;
    this.#stage = stage;
    return isOther;
  }

  /** The next one begins anew. */
  stop() { this.#stage = null; }
}
