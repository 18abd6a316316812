// Says what happens to those who listen: moves, dice, little time, the end.

import { h } from "../shell.js";
import { Countdown } from "../countdown.js";
import { t } from "../strings.js";
import { running } from "./countdowns.js";
import { playerName } from "./names.js";
import { written } from "./notation.js";

export function speaker(room) {
  const element = h("div", { class: "visually-hidden", role: "log", "aria-live": "polite", "data-speaker": "" });
  const say = (text) => {
    element.append(h("p", {}, text));
    while (element.children.length > 4) element.firstChild.remove();
  };
  const update = (kind, data) => {
    const text = sentence(room, kind, data);
    if (text) say(text);
  };
  const counts = { away: new Countdown(), afk: new Countdown() };
  const tick = () => {
    const now = running(room);
    for (const [name, count] of Object.entries(counts)) {
      const found = now.find((each) => each.name === name);
      if (!found) count.stop();
      else if (count.isHeard(found.seconds)) say(found.text);
    }
  };
  return { element, update, tick };
}

function sentence(room, kind, data) {
  if (kind === "game:started") return t("play.say.start", { color: t(`play.color.${room.color}`) });
  if (kind === "game:move:made") return moveSentence(room, data);
  if (kind === "game:dice") return t(data.playerId === room.playerId ? "play.say.dice.mine" : "play.say.dice.theirs", { name: nameOf(room, data.playerId), dice: data.dice.slice(0, 2).join(", ") });
  if (kind === "game:over") return t(data.winner === null ? "play.over.draw" : data.winner === room.playerId ? "play.over.won" : "play.over.lost");
  return "";
}

function moveSentence(room, { move, playerId, passed, becameKing }) {
  const player = room.players.find((each) => each.id === playerId);
  const isMine = playerId === room.playerId;
  const text = passed ? t("play.passed") : written(room.game, move, player.color);
  const king = becameKing ? ` ${t("play.say.king")}` : "";
  return t(isMine ? "play.say.move.mine" : "play.say.move.theirs", { name: nameOf(room, playerId), move: text }) + king;
}

const nameOf = (room, id) => playerName(room.players.find((each) => each.id === id));
