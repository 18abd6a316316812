// The moves so far, in notation.

import { h } from "../shell.js";
import { t } from "../strings.js";
import { written } from "./notation.js";

export function moveList(room) {
  const list = h("ol", { class: "moves", "aria-label": t("play.moves"), tabindex: "0" });
  const tip = h("p", { class: "tip" }, t(`play.tip.${room.game}`));
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
    requestAnimationFrame(() => { list.scrollTop = list.scrollHeight; });  // at once it would cost a layout of its own
    list.hidden = !count;
  };
  return { element: [tip, list], update };
}

function entry(room, index) {
  const { move, playerId, notation } = room.history[index];
  const player = room.players.find((each) => each.id === playerId);
  const dice = room.rollAt(index);
  const text = move.moves?.length === 0 ? t("play.passed") : notation ?? written(room.game, move, player?.color);
  return h("li", { class: `ply ${player?.color}` }, h("span", { class: "number" }, String(index + 1)),
    h("span", { class: `disc ${room.game} ${player?.color}`, "aria-hidden": "true" }),
    dice ? h("span", { class: "roll" }, dice.slice(0, 2).join("–")) : null, h("span", { class: "text" }, ...breakable(text)));
}

/** A long chain of jumps goes on in the next line after a jump, not within a number. */
const breakable = (text) => text.split(/(?<=x)/).flatMap((part, at) => (at ? [h("wbr"), part] : [part]));
