// The live region of a table: announces moves, dice, countdowns and the end to screen readers.

import { GAMES } from "../games/index.js";
import { Countdown } from "../rooms/countdown.js";
import { h } from "../shell.js";
import { moveText } from "../move-text.js";
import { has, t, tn, word } from "../strings.js";
import { ClockWarnings } from "./clock-warnings.js";
import { runningCountdowns } from "./countdowns.js";
import { partLine } from "./moves.js";
import { playerName } from "./names.js";

export function announcer(room) {
  const element = h("div", { class: "visually-hidden", role: "log", "aria-live": "polite", "data-announcer": "" });
  const announce = (text) => {
    element.append(h("p", {}, text));
    while (element.children.length > 4) element.firstChild.remove();
  };
  let isSummaryDue = false;
  const update = (kind, data) => {
    isSummaryDue = (isSummaryDue || kind === "game:resumed") && kind !== "game:over";
    if (isSummaryDue && room.link === "online") {  // by now the server has sent everything, the end too
      isSummaryDue = false;
      return announce(summary(room));
    }
    const text = isSummaryDue && kind === "game:dice" ? "" : sentence(room, kind, data);
    if (text) announce(text);
  };
  const warnings = new ClockWarnings();
  const counts = { away: new Countdown(), afk: new Countdown() };
  const tick = () => {
    const warning = warnings.due(room);
    if (warning) announce(warning);
    const now = runningCountdowns(room);
    for (const [name, count] of Object.entries(counts)) {
      const found = now.find((each) => each.name === name);
      if (!found) count.stop();
      else if (count.isDue(found.seconds)) announce(found.text);
    }
  };
  return { element, update, tick, announce };
}

function sentence(room, kind, data) {
  if (kind === "game:started") return t("play.say.start", { color: word("color.", room.color) });
  if (kind === "game:move:made") return moveSentence(room, data);
  if (kind === "game:dice") return diceSentence(room, data.playerId, data.dice);
  if (kind === "game:takeback:made") return t("play.say.takeback");
  if (kind === "game:over") return endSentence(room, data);
  return "";
}

/** Where the game stands, for players who return to it. */
function summary(room) {
  if (room.over) return endSentence(room, room.over);
  const { dice } = room.position;
  const turn = t(room.isMine ? "play.say.turn.mine" : "play.say.turn.theirs", { name: playerName(room.mover) });
  const roll = dice?.length ? ` ${diceSentence(room, room.mover.id, dice)}` : "";
  return `${t("play.say.back", { color: word("color.", room.color) })} ${turn}${roll}`;
}

function diceSentence(room, id, dice) {
  return t(id === room.playerId ? "play.say.dice.mine" : "play.say.dice.theirs", { name: nameOf(room, id), dice: dice.slice(0, 2).join(", ") });
}

function endSentence(room, { winner }) {
  return t(winner === null ? "play.over.draw" : winner === room.playerId ? "play.over.won" : "play.over.lost");
}

function moveSentence(room, { move, playerId, passed, becameKing, ended }) {
  if (GAMES[room.game].isQuiet(move)) return "";
  const player = room.players.find((each) => each.id === playerId);
  const isMine = playerId === room.playerId;
  const word = GAMES[room.game].wordOf(move);
  const part = ended ? ` ${partLine(room, ended, room.history.filter((entry) => entry.ended).length)}` : "";
  if (word) return t(`${room.game}.say.${word}.${isMine ? "mine" : "theirs"}`, { name: nameOf(room, playerId), value: GAMES[room.game].stakeOf(room.position) }) + part;
  const text = passed ? t("play.passed") : moveText(room.game, move, { color: player.color });
  const king = becameKing && has(`${room.game}.king`) ? ` ${t(`${room.game}.king`)}` : "";
  const hits = GAMES[room.game].hitsOf(room.history.at(-1));
  const hit = hits ? ` ${tn(`${room.game}.hit`, hits)}` : "";
  return t(isMine ? "play.say.move.mine" : "play.say.move.theirs", { name: nameOf(room, playerId), move: text }) + king + hit + part;
}

const nameOf = (room, id) => playerName(room.players.find((each) => each.id === id));
