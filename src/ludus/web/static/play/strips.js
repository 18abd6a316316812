// A player's strip above or below the board: who, what is taken or left, and the time.

import { h } from "../shell.js";
import { icon } from "../icons.js";
import { write } from "../boards/board.js";
import { t } from "../strings.js";
import { playerName } from "./names.js";

/** Only this little time is worth a warning colour. */
const SHORT_SECONDS = 20;
const MEN = 12;

export function strip(room, place) {
  const name = h("span", { class: "name" });
  const detail = h("span", { class: "detail" });
  const clock = h("span", { class: "clock", role: "timer", "aria-label": t("play.clock") });
  const disc = h("span", { class: "disc", "aria-hidden": "true" });
  const element = h("div", { class: `strip strip-${place}` }, disc, h("span", { class: "who" }, name, detail), clock);
  const player = () => (place === "top" ? room.opponent : room.me);

  const tick = () => {
    const isShown = Boolean(room.deadline) && room.mover === player() && !room.over;
    clock.hidden = !isShown;
    if (!isShown) return;
    const seconds = Math.max(0, Math.ceil((room.deadline - Date.now()) / 1000));
    const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("short", seconds <= SHORT_SECONDS);
  };
  const update = () => {
    const who = player();
    if (!who) return;
    const text = nameOf(who, room);
    if (name.textContent !== text) name.replaceChildren(...(who.isBot ? [icon("robot")] : []), h("span", { title: text }, text));
    disc.className = `disc ${room.game} ${who.color}`;
    write(detail, detailOf(room, who.color));
    element.classList.toggle("to-move", room.mover === who && !room.over);
    element.classList.toggle("gone", place === "top" && (room.away !== null || room.gone));
    element.classList.toggle("winner", Boolean(room.over) && room.over.winner === who.id);
    tick();
  };
  return { element, update, tick };
}

/** Two people may have the same name. */
function nameOf(player, room) {
  const name = playerName(player);
  return player.id === room.playerId ? t("play.you", { name }) : name;
}

function detailOf({ game, position }, color) {
  if (game === "backgammon") return t("play.pips", { count: position.pipCounts?.[color] ?? "" });
  const taken = MEN - position.board.filter((piece) => piece && piece.player !== color).length;
  return taken ? t("play.taken", { count: taken }) : "";
}
