// The moves of the line on the board, with a side line below the move it replaces.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { moveText } from "../move-text.js";
import { h } from "../shell.js";
import { t } from "../strings.js";

export class MoveList {
  /** `go` is called with the place of a move that's chosen, `leave` to leave the side line. */
  constructor(game, go, leave) {
    Object.assign(this, { game, go });
    this.button = h("button", { class: "plain", type: "button", hidden: true, "data-act": "leave", onclick: leave }, icon("back"), t("board.leave"));
    this.element = h("ol", { class: "moves", "aria-label": t("replay.moves"), tabindex: "0" });
  }

  /** `groups` are those of the line on display. Of the loaded line, the part that a side line replaces stays readable. */
  show(line, groups) {
    const branch = line.branch;
    const rows = rowsOf(groups.filter(({ end }) => branch === null || end <= branch));
    const aside = branch === null ? [] : rowsOf(groups.filter(({ end }) => end > branch));
    const rest = branch === null ? [] : line.main.slice(branch).filter(({ move }) => move && !GAMES[this.game].isQuiet(move));
    const current = groups.findLast(({ first }) => first < line.at);
    const item = (row) => h("li", {}, row.map((group) => this.#item(group, group !== null && group === current)));
    this.element.replaceChildren(...rows.map(item),
      ...(aside.length ? [h("li", { class: "aside" }, h("ol", { class: "side-line", "aria-label": t("board.side_line") }, aside.map(item)))] : []),
      ...(rest.length ? [h("li", { class: "part" }, rest.slice(0, 8).map(({ notation, move }) => moveText(this.game, move, { notation })).join(" · ") + (rest.length > 8 ? " …" : ""))] : []));
    if (!groups.length) this.element.replaceChildren(h("li", { class: "part" }, t("board.no_moves")));
    this.button.hidden = branch === null;
    this.#reveal();
  }

  #item(group, isCurrent) {
    if (group === null) return h("span", { class: "no-move", "aria-hidden": "true" }, "…");
    const { roll, move, go } = group;
    return h("button", { class: "move", type: "button", "aria-current": isCurrent ? "true" : null, onclick: () => this.go(go) },
      roll ? h("span", { class: "rolled" }, `${roll}:`) : null, move ? moveText(this.game, move.move, move) : "");
  }

  #reveal() {
    const item = this.element.querySelector("[aria-current]");
    if (!item) this.element.scrollTop = 0;
    else if (item.offsetTop < this.element.scrollTop || item.offsetTop + item.offsetHeight > this.element.scrollTop + this.element.clientHeight) {
      this.element.scrollTop = item.offsetTop - this.element.clientHeight / 2;
    }
  }
}

/** Groups of moves in rows of two, the first player's on the left. */
function rowsOf(groups) {
  const rows = [];
  for (const group of groups) {
    const seat = group.move?.seat ?? (rows.at(-1)?.[0] && !rows.at(-1)[1] ? 1 : 0);
    if (seat === 0 || !rows.length || rows.at(-1)[1]) rows.push([null, null]);
    rows.at(-1)[seat] = group;
  }
  return rows;
}
