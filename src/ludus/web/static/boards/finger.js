// A finger or a mouse on a board: what it taps, and the man that it drags along.

const DRAG_PIXELS = 6;

export class Finger {
  /** While it is down: where it came down, and the man that it has lifted. */
  #press = null;

  constructor(board) {
    this.board = board;
    const layer = board.cellLayer;
    layer.addEventListener("pointerdown", (event) => this.#down(event));
    layer.addEventListener("pointermove", (event) => this.#drag(event));
    layer.addEventListener("pointerup", (event) => this.#up(event));
    layer.addEventListener("pointercancel", () => this.#letGo());
  }

  /** Where on the board a pointer is, in the board's units. */
  #point(event) {
    const { board } = this;
    const box = board.stage.getBoundingClientRect();
    const scale = board.size.width / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  }

  /** Where the man that is picked can go. */
  #goals() { return this.board.selected === null ? [] : this.board.targets(this.board.selected); }

  #down(event) {
    const { board } = this;
    if (this.#press || event.button !== 0 || event.target.closest("button")) return;
    const point = this.#point(event);
    const goals = this.#goals();
    const place = board.placeAt(point, goals);
    const isSource = board.isInteractive && board.sources().includes(place);
    this.#press = { id: event.pointerId, place, client: [event.clientX, event.clientY], isSource, was: board.selected, man: null };
    if (isSource && !goals.includes(place) && place !== board.selected) board.select(place);
    board.cellLayer.setPointerCapture(event.pointerId);
    if (place !== null) board.focusPlace(place, false);
  }

  #drag(event) {
    const { board } = this;
    const press = this.#press;
    if (!press || press.id !== event.pointerId || !press.isSource || !board.isInteractive) return;
    if (!press.man) {
      if (Math.hypot(event.clientX - press.client[0], event.clientY - press.client[1]) < DRAG_PIXELS) return;
      if (board.selected !== press.place) board.select(press.place);
      press.man = board.manOn(press.place);
      if (!press.man) return;
      board.men.append(press.man);
      press.man.classList.add("lifted");
      board.cellLayer.classList.add("dragging");
    }
    const point = this.#point(event);
    press.man.getAnimations().forEach((animation) => animation.cancel());
    press.man.style.transform = `translate(${point.x}px, ${point.y}px)`;
    press.man.at = point;
    const goals = this.#goals();
    const place = board.placeAt(point, goals);
    board.paintHover(goals.includes(place) ? place : null);
  }

  #up(event) {
    const { board } = this;
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    if (!press.man) {
      this.#letGo();
      board.tap(press.place, press.was);
      return;
    }
    const goals = this.#goals();
    const place = board.placeAt(this.#point(event), goals);
    const isGoal = goals.includes(place);
    this.#letGo();
    if (isGoal) board.go(board.selected, place);
    board.refresh();
  }

  #letGo() {
    const { board } = this;
    this.#press?.man?.classList.remove("lifted");
    this.#press = null;
    board.cellLayer.classList.remove("dragging");
    board.paintHover(null);
    board.refresh();
  }
}
