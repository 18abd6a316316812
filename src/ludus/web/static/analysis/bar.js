// The evaluation bar: how the position divides between the two players, the first player's part at the bottom.
import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { number, t } from "../strings.js";
import "./texts.js";

export class EvaluationBar {
  constructor(game) {
    this.game = game;
    this.fill = h("div", { class: "eval-fill" });
    this.element = h("div", { class: `eval-bar eval-${GAMES[game].colors.join("-")}`, role: "meter", "aria-valuemin": "0", "aria-valuemax": "100", "aria-label": t("board.bar") }, this.fill);
    this.show(null);
  }

  /** `value` is the first player's, in points; `chance` that of winning at all, where it's known. Null empties the bar. */
  show(found) {
    const share = found ? shareOf(this.game, found) : 0.5;
    this.element.classList.toggle("is-unknown", !found);
    this.element.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    this.element.setAttribute("aria-valuetext", found ? textOf(found) : t("board.bar.unknown"));
    this.element.title = found ? textOf(found) : "";
    this.fill.style.blockSize = `${100 * share}%`;
  }

  flip(isFlipped) { this.element.classList.toggle("is-flipped", isFlipped); }
}

function shareOf(game, { value, chance = null }) {
  return Math.max(0, Math.min(1, chance ?? (value / GAMES[game].graphLimit + 1) / 2));
}

function textOf({ value, chance = null }) {
  const points = number(value, { signDisplay: "exceptZero", minimumFractionDigits: 2, maximumFractionDigits: 2 });
  return chance === null ? points : `${points} (${number(chance, { style: "percent", maximumFractionDigits: 0 })})`;
}

/** What the bar shows for an engine's best line: `equity` and `chances` are those of the player in `seat`. */
export function fromLine({ equity, chances }, seat) {
  const chance = chances?.length ? chances[0] : null;
  return seat === 0 ? { value: equity, chance } : { value: -equity, chance: chance === null ? null : 1 - chance };
}
