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
  let isOwed = false;
  const update = (kind, data) => {
    isOwed = (isOwed || kind === "game:resumed") && kind !== "game:over";
    if (isOwed && room.link === "online") {  // by now the server has told all that there is, an end too
      isOwed = false;
      return say(whereItStands(room));
    }
    const text = isOwed && kind === "game:dice" ? "" : sentence(room, kind, data);
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
  if (kind === "game:dice") return diceSentence(room, data.playerId, data.dice);
  if (kind === "game:over") return endSentence(room, data);
  return "";
}

/** For those who come back: nothing of this has just happened. */
function whereItStands(room) {
  if (room.over) return endSentence(room, room.over);
  const { dice } = room.position;
  const turn = t(room.isMine ? "play.say.turn.mine" : "play.say.turn.theirs", { name: playerName(room.mover) });
  const rolled = dice?.length ? ` ${diceSentence(room, room.mover.id, dice)}` : "";
  return `${t("play.say.back", { color: t(`play.color.${room.color}`) })} ${turn}${rolled}`;
}

function diceSentence(room, id, dice) {
  return t(id === room.playerId ? "play.say.dice.mine" : "play.say.dice.theirs", { name: nameOf(room, id), dice: dice.slice(0, 2).join(", ") });
}

function endSentence(room, { winner }) {
  return t(winner === null ? "play.over.draw" : winner === room.playerId ? "play.over.won" : "play.over.lost");
}

function moveSentence(room, { move, playerId, passed, becameKing }) {
  const player = room.players.find((each) => each.id === playerId);
  const isMine = playerId === room.playerId;
  const text = passed ? t("play.passed") : written(room.game, move, player.color);
  const king = becameKing ? ` ${t("play.say.king")}` : "";
  return t(isMine ? "play.say.move.mine" : "play.say.move.theirs", { name: nameOf(room, playerId), move: text }) + king;
}

const nameOf = (room, id) => playerName(room.players.find((each) => each.id === id));
