// How long a player of a tournament's game has for the first move: both see it until both have moved.
import { Countdown, clockText, secondsTo } from "../rooms/countdown.js";
import { playerName } from "../play/names.js";
import { h } from "../shell.js";
import { t } from "../strings.js";
import "./texts.js";

const ANSWER_MS = 8000;
/** Events after which somebody else may have to move, or the same player with more time. */
const TURNS = new Set(["game:reconnected", "game:move:made", "game:dice"]);

/** A part of the table, like the others there. `announce` speaks to screen readers. */
export function noShow(room, announce) {
  const note = h("div", { class: "note", "data-no-show": "" });
  const element = h("div", { class: "counts", hidden: true }, note);
  const spoken = new Countdown();
  let until = null;
  const learn = (status) => {
    until = status?.isFirstMove && !room.over ? Date.now() + status.secondsRemaining * 1000 : null;
    element.hidden = until === null;
    if (element.hidden) spoken.stop();
    tick();
  };
  /** The answer comes as `afk:status` too. */
  const ask = () => room.socket.timeout(ANSWER_MS).emitWithAck("afk:check", { roomId: room.roomId }).catch(() => {});  // offline: asks again once it's back
  const tick = () => {
    if (until === null) return;
    const seconds = secondsTo(until);
    const text = t(room.isMine ? "tournaments.first.mine" : "tournaments.first.theirs", { name: playerName(room.opponent), time: clockText(seconds) });
    if (note.textContent !== text) note.textContent = text;
    note.classList.toggle("warn", room.isMine);
    if (spoken.isDue(seconds)) announce(text);
  };
  const update = (kind, data) => {
    if (kind === "afk:status") learn(data);
    else if (room.over) learn(null);
    else if (TURNS.has(kind)) ask();
  };
  ask();
  return { element, update, tick };
}
