// Where things are on the board, in its units. A narrow board has the trays above and below it, not beside it.

const COLUMN = 60;
export const RADIUS = 27;
export const DIE = 58;
const FRAME = 14;
/** The frame above and below the points, with their numbers. */
const EDGE = 30;
const POINT = 296;
/** The least size of a touch target, in pixels. */
const THUMB = 45;
const SLAB = 17;
/** The largest cube, and the space between it and what is around it. */
const CUBE = 66;
const CUBE_GAP = 8;

export class Layout {
  /** `isTurned` puts black at the bottom; points keep white's numbers. Small boards also depend on their width in `pixels`.
   * With a cube in the middle of the bar, checkers there lie further apart. */
  constructor({ isNarrow, isTurned, pixels, hasCube = false }) {
    this.isNarrow = isNarrow;
    this.isTurned = isTurned;
    this.hasCube = hasCube;
    const { bar, gap, tray, middle, strip } = (this.form = isNarrow ? narrowForm(pixels) : wideForm(pixels));
    this.left = FRAME;
    this.top = EDGE + (strip ? strip + FRAME : 0);
    this.right = this.left + 6 * COLUMN + bar;
    this.play = { x: this.left, y: this.top, width: 12 * COLUMN + bar, height: 2 * POINT + middle };
    this.size = { width: this.left + this.play.width + (tray ? gap + tray : 0) + FRAME, height: this.play.height + 2 * this.top };
    this.slab = isNarrow ? { width: SLAB, height: strip - 22 } : { width: tray - 16, height: SLAB };
  }

  get middle() { return this.top + this.play.height / 2; }

  /** A point's number from the side at the bottom. */
  #near(point) { return this.isTurned ? 25 - point : point; }

  isBottom(color) { return (color === "black") === this.isTurned; }

  x(point) {
    const near = this.#near(point);
    const column = near > 12 ? near - 13 : 12 - near;
    return this.left + column * COLUMN + (column > 5 ? this.form.bar : 0);
  }

  isLow(point) { return this.#near(point) <= 12; }

  /** The area of a place: a point, the bar or a tray. */
  cell(place) {
    const half = this.play.height / 2;
    const [kind, color] = place.split("-");
    if (kind === "bar") return { x: this.left + 6 * COLUMN, y: this.isBottom(color) ? this.top : this.top + half, width: this.form.bar, height: half };
    if (kind === "off") return this.#trayCell(this.isBottom(color));
    const point = Number(place);
    return { x: this.x(point), y: this.isLow(point) ? this.top + half : this.top, width: COLUMN, height: half };
  }

  #trayCell(isBottom) {
    const { gap, tray, strip } = this.form;
    const half = this.play.height / 2;
    if (strip) return { x: this.left, y: isBottom ? this.size.height - FRAME - strip : FRAME, width: this.play.width, height: strip };
    return { x: this.left + this.play.width + gap, y: isBottom ? this.top + half + 4 : this.top, width: tray, height: half - 4 };
  }

  /** The center of the checker at a height in a stack of `count`. */
  spot(place, at, count) {
    const [kind, color] = place.split("-");
    if (kind === "off") return this.#slabSpot(this.cell(place), this.isBottom(color), at);
    const step = Math.min(2 * RADIUS, (POINT - 2 * RADIUS - 16) / Math.max(count - 1, 1));
    const { x, width } = this.cell(place);
    if (kind === "bar") {
      const inner = this.hasCube ? this.#cubeSize / 2 + CUBE_GAP : 8;
      const room = POINT - inner - 2 * RADIUS - (this.hasCube ? this.#cubeSize : 0);
      const away = inner + RADIUS + at * Math.min(46, room / Math.max(count - 1, 1));
      return { x: x + width / 2, y: this.isBottom(color) ? this.middle - away : this.middle + away };
    }
    const away = RADIUS + 4 + at * step;
    return { x: x + width / 2, y: this.isLow(Number(place)) ? this.top + this.play.height - away : this.top + away };
  }

  #slabSpot({ x, y, width, height }, isBottom, at) {
    if (this.isNarrow) return { x: x + width - 24 - at * (SLAB + 6), y: y + height / 2 };
    const away = 6 + SLAB / 2 + at * (SLAB + 2);
    return { x: x + width / 2, y: isBottom ? y + height - away : y + away };
  }

  /** The corners of a point's triangle. */
  triangle(point) {
    const x = this.x(point);
    const isLow = this.isLow(point);
    const base = isLow ? this.top + this.play.height : this.top;
    const tip = isLow ? base - POINT + 18 : base + POINT - 18;
    return `${x + 2},${base} ${x + COLUMN - 2},${base} ${x + COLUMN / 2},${tip}`;
  }

  /** Where a point's number is written, on the frame. */
  number(point) {
    return { x: this.x(point) + COLUMN / 2, y: this.isLow(point) ? this.top + this.play.height + EDGE / 2 : this.top - EDGE / 2 };
  }

  isDark(point) { return this.#near(point) % 2 === 0; }

  /** The center of a die; the side at the bottom has its dice on the right. */
  die(at, count, isBottom) {
    const half = { x: isBottom ? this.right : this.left, width: 6 * COLUMN };
    const step = DIE + 14;
    return { x: half.x + half.width / 2 + (at - (count - 1) / 2) * step, y: this.middle };
  }

  get #cubeSize() { return Math.min(this.form.bar - 10, CUBE); }

  /** The center and size of the cube: on the bar, in the middle or at the owner's end. One that's offered lies where the
   * dice of the player who has to answer would be; a narrow board has buttons there, so it goes to that player's end. */
  cube(color, isOffered) {
    const size = this.#cubeSize;
    const sign = this.isBottom(color) ? 1 : -1;
    const { x, width } = this.cell("bar-white");
    const bar = x + width / 2;
    if (!color) return { x: bar, y: this.middle, size };
    if (!isOffered || this.isNarrow) return { x: bar, y: this.middle + sign * (this.play.height / 2 - size / 2 - CUBE_GAP), size };
    return { ...this.die(0, 1, this.isBottom(color)), size: size * 1.2 };
  }

  /** The band across the middle of a half, or of the whole board, for buttons. */
  band(isRight, isWhole = false) {
    if (isWhole) return { x: this.left, y: this.middle - this.form.middle / 2, width: this.play.width, height: this.form.middle };
    return { x: isRight ? this.right : this.left, y: this.middle - this.form.middle / 2, width: 6 * COLUMN, height: this.form.middle };
  }
}

/** The bar and trays never get narrower than a touch target. */
function wideForm(pixels) {
  const gap = 12;
  const least = (THUMB * (2 * FRAME + 12 * COLUMN + gap)) / Math.max(pixels - 2 * THUMB, 4 * THUMB);
  const bar = pixels ? Math.max(76, Math.ceil(least)) : 76;
  return { bar, gap, tray: bar, middle: 104, strip: 0 };
}

function narrowForm(pixels) {
  const fixed = 2 * FRAME + 12 * COLUMN;
  const bar = Math.ceil((THUMB * fixed) / Math.max(pixels - THUMB, 3 * THUMB));
  const strip = Math.ceil((THUMB * (fixed + bar)) / Math.max(pixels, 4 * THUMB));
  return { bar, gap: 0, tray: 0, middle: 126, strip };
}
