// The evaluation graph: the game's value to the first player after each move.
import { number, t } from "../strings.js";

const SVG = "http://www.w3.org/2000/svg";
const [WIDTH, HEIGHT] = [600, 150];

function shape(name, attributes) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

export class Graph {
  constructor(count, choose) {
    this.count = Math.max(1, count);
    this.moves = [];
    this.element = shape("svg", { class: "graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": t("analysis.graph") });
    const pick = (event) => {
      if (event.type === "pointermove" && !event.buttons) return;
      const box = this.element.getBoundingClientRect();
      choose(Math.round(((event.clientX - box.left) / box.width) * this.count));
    };
    for (const kind of ["pointerdown", "pointermove"]) this.element.addEventListener(kind, pick);
  }

  /** `moves` are sorted by number; `most` is the value at the edge. */
  draw(moves, most, at) {
    this.moves = moves;
    const points = [[0, moves[0] ? y(moves[0].best.value, most) : HEIGHT / 2], ...moves.map((move) => [this.#x(move.number), y(move.value, most)])];
    const line = points.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" L");
    const area = `M${points[0][0]},${HEIGHT / 2} L${line} L${points.at(-1)[0].toFixed(1)},${HEIGHT / 2} Z`;
    const clips = shape("defs", {});
    clips.append(clip("upper", 0), clip("lower", HEIGHT / 2));
    const dots = moves.filter((move) => move.mark).map((move) => {
      const dot = shape("circle", { class: `dot ${move.mark}`, cx: this.#x(move.number), cy: y(move.value, most), r: move.mark === "doubtful" ? 4 : 5.500 });
      const title = shape("title", {});
      title.textContent = `${move.number}. ${t(`mark.${move.mark}`)} (−${number(move.loss, { maximumFractionDigits: 2 })})`;
      dot.append(title);
      return dot;
    });
    this.cursor = shape("line", { class: "now", y1: 0, y2: HEIGHT });
    this.element.replaceChildren(clips,
      shape("path", { class: "first", d: area, "clip-path": "url(#upper)" }), shape("path", { class: "second", d: area, "clip-path": "url(#lower)" }),
      shape("line", { class: "zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }), shape("path", { class: "curve", d: `M${line}` }), ...dots, this.cursor);
    this.point(at);
  }

  point(at) {
    for (const name of ["x1", "x2"]) this.cursor?.setAttribute(name, this.#x(at));
  }

  #x(number) { return (number / this.count) * WIDTH; }
}

function clip(id, top) {
  const path = shape("clipPath", { id });
  path.append(shape("rect", { x: 0, y: top, width: WIDTH, height: HEIGHT / 2 }));
  return path;
}

function y(value, most) {
  const share = Math.max(-1, Math.min(1, value / most));
  return HEIGHT / 2 - share * (HEIGHT / 2 - 8);
}
