// A line of play with one side line: what was loaded or played first, and moves that differ from it.

export class Line {
  /** The moves of a side line, and how many moves of the main line precede it. */
  #side = null;

  /** `start` is a position as the server writes it, each of `moves` has the one `after` it. A line that is loaded doesn't
   * grow: a move after its end begins a side line, too. */
  constructor(start, moves = [], { isLoaded = moves.length > 0 } = {}) {
    Object.assign(this, { start, main: moves, isLoaded, at: 0 });
  }

  get path() { return this.#side ? [...this.main.slice(0, this.#side.from), ...this.#side.moves] : this.main; }
  get length() { return this.path.length; }
  get node() { return this.nodeAt(this.at); }
  /** The number of moves before the side line; null if there's none. */
  get branch() { return this.#side?.from ?? null; }
  get isAside() { return this.#side !== null && this.at > this.#side.from; }
  /** The move that follows in the line on display. */
  get next() { return this.path[this.at] ?? null; }

  nodeAt(at) { return at ? this.path[at - 1].after : this.start; }

  /** Adds a move after the position on display, or steps on if it's the one that follows anyway. */
  play(move) {
    if (this.next?.notation !== move.notation) {
      if (this.#side && this.at >= this.#side.from) this.#side.moves.splice(this.at - this.#side.from, Infinity, move);
      else if (this.at === this.main.length && !this.isLoaded && !this.#side) this.main.push(move);
      else if (this.main[this.at]?.notation === move.notation) this.#side = null;
      else this.#side = { from: this.at, moves: [move] };
    }
    this.at += 1;
  }

  /** Adds a side line, from a link. */
  branchOff(from, moves) {
    if (moves.length && from <= this.main.length) this.#side = { from, moves };
  }

  /** Back to where the side line began, without it. */
  leave() {
    if (!this.#side) return;
    this.at = Math.min(this.at, this.#side.from);
    this.#side = null;
  }

  /** The moves in groups, as people read them: a roll belongs to the move it's played with. Each has its `first` move, the
   * `end` after its last, and the place to `go` to, where a roll has fallen or else the move has been made. */
  groups(isQuiet) {
    const found = [];
    let first = 0;
    let rolled = null;
    this.path.forEach((move, at) => {
      if (move.move === null) rolled = at;
      else if (!isQuiet(move.move)) {
        found.push({ first, end: at + 1, go: rolled === null ? at + 1 : rolled + 1, roll: rolled === null ? null : this.path[rolled].notation, move });
        [first, rolled] = [at + 1, null];
      }
    });
    if (rolled !== null) found.push({ first, end: this.length, go: rolled + 1, roll: this.path[rolled].notation, move: null });
    return found;
  }
}
