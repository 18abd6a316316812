// The list of moves in notation.

import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { has, t } from "../strings.js";

export function moveList(room) {
  const list = h("ol", { class: "moves", "aria-label": t("play.moves"), tabindex: "0" });
  const tip = h("p", { class: "tip" }, has(`${room.game}.tip`) ? t(`${room.game}.tip`) : "");
  let count = 0;
  let shownRoom = null;
  const update = () => {
    tip.hidden = room.history.length > 1 || Boolean(room.over);
    const isOther = shownRoom !== room.roomId || room.history.length < count;
    if (!isOther && room.history.length === count) return;
    if (isOther) list.replaceChildren();
    if (isOther) count = 0;
    shownRoom = room.roomId;
    list.lastElementChild?.removeAttribute("data-last");
    while (count < room.history.length) list.append(entry(room, count++));
    list.lastElementChild?.toggleAttribute("data-last", true);
    requestAnimationFrame(() => { list.scrollTop = list.scrollHeight; });  // not now: that would force a layout
    list.hidden = !count;
  };
  return { element: [tip, list], update };
}

function entry(room, index) {
  const { move, playerId, notation, dice } = room.history[index];
  const seat = room.players.findIndex((each) => each.id === playerId);
  const { isPass, notationOf } = GAMES[room.game];
  const color = room.players[seat]?.color;
  const text = isPass(move) ? t("play.passed") : notation ?? notationOf(move, color);
  return h("li", { class: "ply" }, h("span", { class: "number" }, String(index + 1)),
    h("span", { class: `disc seat-${seat} ${color}`, "aria-hidden": "true" }),
    dice ? h("span", { class: "roll" }, dice.slice(0, 2).join("–")) : null, h("span", { class: "text" }, ...breakable(text)));
}

/** Lets a long chain of jumps wrap between jumps, not within a number. */
const breakable = (text) => text.split(/(?<=x)/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
