// The list of moves in notation, two to a line, numbered as in the literature. A click shows the board after that move.

import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { moveText, partText } from "../move-text.js";
import { has, t } from "../strings.js";
import { playerName } from "./names.js";

export function moveList({ room, presentation }) {
  const list = h("ol", { class: "moves", "aria-label": t("play.moves"), tabindex: "0" });
  const tip = h("p", { class: "tip" }, has(`${room.game}.tip`) ? t(`${room.game}.tip`) : "");
  let entries = [];
  let shownRoom = null;
  let current = null;
  let lines = 0;
  const update = () => {
    tip.hidden = room.history.length > 1 || Boolean(room.over);
    const isOther = shownRoom !== room.roomId || room.history.length < entries.length;
    if (isOther) list.replaceChildren(), (entries = []);
    shownRoom = room.roomId;
    const isLonger = room.history.length > entries.length;
    while (entries.length < room.history.length) add(entries.length);
    mark();
    if (isLonger && !presentation.isLooking) requestAnimationFrame(() => { list.scrollTop = list.scrollHeight; });  // not now: that would force a layout
    list.hidden = !entries.length;
  };
  const add = (index) => {
    const { playerId, move, ended } = room.history[index];
    const seat = room.players.findIndex((each) => each.id === playerId);
    if (GAMES[room.game].isQuiet(move)) return entries.push(null);
    if (!list.lastElementChild || list.lastElementChild.matches(".part")) lines = 0;
    if (seat === 0 || !lines || list.lastElementChild.children.length > 2) list.append(h("li", { class: "line" }, h("span", { class: "number" }, lineNumber(room.game, ++lines))));
    const line = list.lastElementChild;
    if (seat === 1 && line.children.length === 1) line.append(h("span", { class: "no-move", "aria-hidden": "true" }, "…"));
    entries.push(entry(room, index, seat, () => presentation.look(index + 1)));
    line.append(entries.at(-1));
    if (ended) list.append(h("li", { class: "part" }, partLine(room, ended, list.querySelectorAll(".part").length + 1)));
  };
  const mark = () => {
    const wanted = entries.slice(0, presentation.at ?? entries.length).findLast(Boolean) ?? null;
    if (wanted === current) return;
    current?.removeAttribute("data-last");
    current?.removeAttribute("aria-current");
    current = wanted;
    current?.toggleAttribute("data-last", true);
    current?.setAttribute("aria-current", "true");
    if (presentation.isLooking) current?.scrollIntoView({ block: "nearest" });
  };
  presentation.addEventListener("change", mark);
  return { element: [tip, list], update };
}

/** The number of a line: 1. in most games, 1) in backgammon. */
export const lineNumber = (game, line) => `${line}${GAMES[game].numberMark}`;

function entry(room, index, seat, onclick) {
  const { move, notation, dice } = room.history[index];
  const color = room.players[seat]?.color;
  const text = moveText(room.game, move, { notation, color });
  return h("button", { class: "ply", type: "button", tabindex: "-1", onclick },
    h("span", { class: `disc seat-${seat} ${color}`, "aria-hidden": "true" }),
    dice?.length ? h("span", { class: "roll" }, dice.slice(0, 2).join("–")) : null, h("span", { class: "text" }, ...breakable(text)));
}

/** How a game of a match ended, below its last move. */
export function partLine(room, ended, number) {
  const winner = room.players.find(({ color }) => color === ended.winner);
  return partText(room.game, ended, { number, name: winner.id === room.playerId ? "" : playerName(winner) });
}

/** Lets a long chain of jumps wrap between jumps, not within a number. */
const breakable = (text) => text.split(/(?<=x)/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
