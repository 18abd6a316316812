// A player's strip above or below the board: name, a detail of the game, clock.

import { GAMES } from "../games/index.js";
import { clockText, secondsTo } from "../rooms/countdown.js";
import { h } from "../shell.js";
import { icon } from "../icons.js";
import { set, write } from "../boards/board.js";
import { t } from "../strings.js";
import { clockFace, secondsOf } from "../time-controls.js";
import { playerName } from "./names.js";

/** The clock turns red at this time. */
const SHORT_SECONDS = 20;

/** `view.position`, if there is one, is the board with the steps of an unfinished play. */
export function strip(room, place, view = {}) {
  const name = h("span", { class: "name" });
  const detail = h("span", { class: "detail" });
  const score = h("span", { class: "score", hidden: true });
  const clock = h("span", { class: "clock", role: "timer", "aria-label": t("play.clock") });
  const disc = h("span", { class: "disc", "aria-hidden": "true" });
  const element = h("div", { class: `strip strip-${place}` }, disc, h("span", { class: "who" }, name, detail), score, clock);
  const player = () => (place === "top" ? room.opponent : room.me);
  const face = clockFace(clock);

  const tick = () => {
    if (room.clock) return;  // the face counts down by itself
    const isShown = Boolean(room.deadline) && room.mover === player() && !room.over;
    clock.hidden = !isShown;
    if (!isShown) return;
    const seconds = secondsTo(room.deadline);
    write(clock, clockText(seconds));
    clock.classList.toggle("short", seconds <= SHORT_SECONDS);
  };
  const showDetail = () => write(detail, detailOf(room.game, view.position ?? room.position, player().color));
  const update = () => {
    const who = player();
    if (!who) return;
    const text = nameOf(who, room);
    if (name.textContent !== text) name.replaceChildren(...(who.isBot ? [icon("robot")] : []), h("span", { title: text }, text));
    disc.className = `disc seat-${room.players.indexOf(who)} ${who.color}`;
    showDetail();
    showScore(score, GAMES[room.game].scoreOf(room.position, who.color));
    element.classList.toggle("to-move", room.mover === who && !room.over);
    element.classList.toggle("gone", place === "top" && (room.away !== null || room.gone));
    element.classList.toggle("winner", Boolean(room.over) && room.over.winner === who.id);
    set(clock, "aria-label", room.clock ? t("clock.left", { name: text }) : t("play.clock"));
    if (room.clock) face.show(room.clock, room.players.indexOf(who), secondsOf(room.timeControl));
    else face.stop();
    tick();
  };
  return { element, update, tick, showDetail, stop: () => face.stop() };
}

/** The points of a match, where one is played. */
function showScore(element, points) {
  element.hidden = points === null;
  if (element.points !== points) element.replaceChildren(h("span", { class: "visually-hidden" }, t("play.score")), ` ${points ?? ""}`);
  element.points = points;
}

/** Both players may have the same name. */
function nameOf(player, room) {
  const name = playerName(player);
  return player.id === room.playerId ? t("play.you", { name }) : name;
}

function detailOf(game, position, color) {
  const [key, values] = GAMES[game].detailOf(position, color) ?? [];
  return key ? t(`${game}.${key}`, values) : "";
}
