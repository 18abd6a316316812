// When to tell a player who can't see the clock that time is running out.
import { timeLeft } from "../rooms/room.js";
import { t } from "../strings.js";
import { secondsOf } from "../time-controls.js";

const ANNOUNCED = [30, 10];

export class ClockWarnings {
  /** How many of these thresholds the player's time has passed. */
  #stage = 0;

  /** What to announce now: once when the player's own time passes each threshold, otherwise nothing. */
  due({ clock, timeControl, turn, isMine }) {
    if (!clock || !isMine) return "";
    const seconds = timeLeft(clock, turn) / 1000;
    const passed = ANNOUNCED.filter((each) => seconds <= each && each < secondsOf(timeControl));
    const isNews = passed.length > this.#stage;
    this.#stage = passed.length;
    return isNews ? t("clock.low", { seconds: passed.at(-1) }) : "";
  }
}
