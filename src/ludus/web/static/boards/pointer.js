// Pointer input on a board: taps and drags.

const DRAG_PIXELS = 6;

export class BoardPointer {
  /** While the pointer is down: where it went down, and the piece it drags. */
  #press = null;

  constructor(board) {
    this.board = board;
    const layer = board.cellLayer;
    layer.addEventListener("pointerdown", (event) => this.#down(event));
    layer.addEventListener("pointermove", (event) => this.#drag(event));
    layer.addEventListener("pointerup", (event) => this.#up(event));
    layer.addEventListener("pointercancel", () => this.#release());
  }

  /** The pointer's position in board units. */
  #point(event) {
    const { board } = this;
    const box = board.stage.getBoundingClientRect();
    const scale = board.size.width / box.width;
    return { x: (event.clientX - box.left) * scale, y: (event.clientY - box.top) * scale };
  }

  #down(event) {
    const { board } = this;
    if (this.#press || event.button !== 0 || event.target.closest("button")) return;
    const point = this.#point(event);
    const goals = board.goals();
    const place = board.placeAt(point, goals);
    const isSource = board.canPick(place);
    this.#press = { id: event.pointerId, place, client: [event.clientX, event.clientY], isSource, was: board.selected, piece: null };
    if (isSource && !goals.includes(place) && place !== board.selected) board.select(place);
    board.cellLayer.setPointerCapture(event.pointerId);
    if (place !== null) board.focusPlace(place, false);
  }

  #drag(event) {
    const { board } = this;
    const press = this.#press;
    if (!press || press.id !== event.pointerId || !press.isSource || !board.canPick(press.place)) return;
    if (!press.piece) {
      if (Math.hypot(event.clientX - press.client[0], event.clientY - press.client[1]) < DRAG_PIXELS) return;
      if (board.selected !== press.place) board.select(press.place);
      press.piece = board.pieceOn(press.place);
      if (!press.piece) return;
      board.pieces.append(press.piece);
      press.piece.classList.add("lifted");
      board.cellLayer.classList.add("dragging");
    }
    const point = this.#point(event);
    press.piece.getAnimations().forEach((animation) => animation.cancel());
    press.piece.style.transform = `translate(${point.x}px, ${point.y}px)`;
    press.piece.at = point;
    const goals = board.goals();
    const place = board.placeAt(point, goals);
    board.paintHover(goals.includes(place) ? place : null);
  }

  #up(event) {
    const { board } = this;
    const press = this.#press;
    if (!press || press.id !== event.pointerId) return;
    if (!press.piece) {
      this.#release();
      board.tap(press.place, press.was);
      return;
    }
    const goals = board.goals();
    const place = board.placeAt(this.#point(event), goals);
    const isGoal = goals.includes(place);
    this.#release();
    if (isGoal) board.drop(press.place, place);
    else if (place !== null && place !== press.place) board.refuse(press.place, place);
    board.refresh();
  }

  #release() {
    const { board } = this;
    this.#press?.piece?.classList.remove("lifted");
    this.#press = null;
    board.cellLayer.classList.remove("dragging");
    board.paintHover(null);
    board.refresh();
  }
}
