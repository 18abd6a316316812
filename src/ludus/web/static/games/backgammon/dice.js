// The dice on the board: drawn, rolled with a wobble, swapped by a tap.

import { fill, prefersStill, svg } from "../../boards/board.js";
import { DIE } from "./layout.js";

const SPOTS = {
  1: [[0, 0]], 2: [[-1, -1], [1, 1]], 3: [[-1, -1], [0, 0], [1, 1]], 4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]], 6: [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
};

export class Dice {
  #now = svg("g");
  #before = svg("g");
  layer = svg("g", { class: "dice" }, this.#before, this.#now);
  #isSwapped = false;
  #roll = "";
  #order = "";
  #layout = null;

  /** Resets the order after a turn. */
  forget() { this.#isSwapped = false; }

  swap() { this.#isSwapped = !this.#isSwapped; }

  order(dice) { return this.#isSwapped ? [...dice].reverse() : [...dice]; }

  /** `previous` is the other side's last roll, `{dice, color}`, which stays on the board. */
  show({ dice, left, color, layout, canSwap, previous = null }) {
    this.#showPrevious(previous?.color === color && dice.length ? null : previous, layout);
    const roll = `${dice}/${color}`;
    const isNew = roll !== this.#roll && dice.length > 0;
    const order = this.order(dice);
    this.#roll = roll;
    if (isNew || order.join() !== this.#order || layout !== this.#layout) this.#place(order, color, layout, isNew);
    const rest = [...left];
    [...this.#now.children].forEach((die, at) => {
      const isLeft = rest.includes(order[at]);
      if (isLeft) rest.splice(rest.indexOf(order[at]), 1);
      die.classList.toggle("used", !isLeft);
      die.classList.toggle("active", canSwap && at === 0 && dice.length === 2);
    });
  }

  #place(order, color, layout, isNew) {
    this.#order = order.join();
    this.#layout = layout;
    const rank = color === "white" ? "first" : "second";
    const dice = order.map((value, at) => draw(value, rank, layout.die(at, order.length, layout.isBottom(color))));
    this.#now.replaceChildren(...dice);
    if (isNew) dice.forEach(tumble);
  }

  #showPrevious(previous, layout) {
    fill(this.#before, `${previous?.dice}/${previous?.color}/${layout.size.width}/${layout.isTurned}`, () => {
      const dice = previous?.dice ?? [];
      return dice.map((value, at) => {
        const die = draw(value, previous.color === "white" ? "first" : "second", layout.die(at, dice.length, layout.isBottom(previous.color)));
        die.classList.add("used");
        return die;
      });
    });
  }

  /** The area to tap. */
  area(layout, color) {
    const { x, y } = layout.die(0, 2, layout.isBottom(color));
    const high = Math.max(DIE + 24, layout.form.middle - 10);
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

function tumble(die, at) {
  if (prefersStill()) return;
  const turn = at % 2 ? -1 : 1;
  die.querySelector(".tumble").animate(
    [{ transform: `translate(${40 * turn}px, -34px) rotate(${-200 * turn}deg)`, opacity: 0 }, { transform: "translate(0, 6px) rotate(12deg)", opacity: 1, offset: 0.7 }, { transform: "none" }],
    { duration: 380 + 60 * at, easing: "ease-out" });
}
