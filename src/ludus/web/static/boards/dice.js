// The dice on a backgammon board: drawn, rolled with a little wobble, swapped by a tap.

import { isStill, svg } from "./board.js";
import { DIE } from "./tray.js";

const SPOTS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

export class Dice {
  layer = svg("g", { class: "dice" });
  #isSwapped = false;
  #shown = "";

  /** After a turn the dice lie as they fell. */
  forget() { this.#isSwapped = false; }

  swap() { this.#isSwapped = !this.#isSwapped; }

  order(dice) { return this.#isSwapped ? [...dice].reverse() : [...dice]; }

  show({ dice, left, color, tray, canSwap }) {
    const key = `${dice}/${color}`;
    const isNew = key !== this.#shown && dice.length > 0;
    this.#shown = key;
    const rest = [...left];
    const isBottom = tray.isBottom(color);
    this.layer.replaceChildren(...this.order(dice).map((value, at) => {
      const isLeft = rest.includes(value);
      if (isLeft) rest.splice(rest.indexOf(value), 1);
      const die = draw(value, color === "white" ? "first" : "second", tray.die(at, dice.length, isBottom));
      die.classList.toggle("used", !isLeft);
      die.classList.toggle("active", canSwap && at === 0 && dice.length === 2);
      if (isNew) roll(die, at);
      return die;
    }));
  }

  /** Where to tap. */
  area(tray, color) {
    const { x, y } = tray.die(0, 2, tray.isBottom(color));
    const high = Math.max(DIE + 24, tray.form.middle - 10);
    return { x: x - DIE / 2 - 14, y: y - high / 2, width: 2 * DIE + 42, height: high };
  }
}

function draw(value, rank, { x, y }) {
  const spots = SPOTS[value].map(([right, down]) => svg("circle", { cx: right * DIE * 0.26, cy: down * DIE * 0.26, r: DIE * 0.095 }));
  const lead = svg("rect", { class: "lead", x: -DIE / 2 - 5, y: -DIE / 2 - 5, width: DIE + 10, height: DIE + 10, rx: 15 });
  const shade = svg("rect", { class: "shade", x: -DIE / 2 + 1, y: -DIE / 2 + 4, width: DIE, height: DIE, rx: 12 });
  const body = svg("rect", { class: "face", x: -DIE / 2, y: -DIE / 2, width: DIE, height: DIE, rx: 11 });
  return svg("g", { class: `die ${rank}`, transform: `translate(${x} ${y})` }, svg("g", { class: "tumble" }, shade, body, ...spots), lead);
}

function roll(die, at) {
  if (isStill() || document.hidden) return;
  const turn = at % 2 ? -1 : 1;
  die.querySelector(".tumble").animate(
    [{ transform: `translate(${40 * turn}px, -34px) rotate(${-200 * turn}deg)`, opacity: 0 }, { transform: "translate(0, 6px) rotate(12deg)", opacity: 1, offset: 0.7 }, { transform: "none" }],
    { duration: 380 + 60 * at, easing: "ease-out" });
}
