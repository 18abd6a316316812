// A spectator's connection to a room.
import { at } from "../address.js";
import { io } from "../vendor/socket.io.esm.min.js";
import { Countdown, secondsTo } from "./countdown.js";
import { UNAVAILABLE, backoff } from "./outbox.js";
import { completeMove } from "./room.js";
import { t } from "../strings.js";

/** Watches until the game is over. `onUpdate` is called when the record has changed, `onRoll` and `onMove` with their
 * messages, `onTakeback` with the number of moves that are left, `onClock` with the players' clocks as `RoomClient` keeps
 * them, `onNotice` with a text to show and one to announce. */
export function spectate(record, { onUpdate, onRoll, onMove, onTakeback, onClock, onNotice }) {
  const socket = io(`/${record.game}`, { path: at("/socket.io"), auth: { compact: true }, transports: ["websocket", "polling"] });
  const names = new Map();
  let position;
  const absence = new Absence(onNotice);
  let failures = 0;
  const tryAgain = (act) => {
    absence.end(t("problem.unavailable"));
    setTimeout(act, backoff(++failures));
  };
  const join = () => socket.emit("game:spectate", { roomId: record.id, username: "web" }, ({ error }) => {
    if (error?.code === UNAVAILABLE) tryAgain(() => socket.connected && join());
    else failures = 0;
  });
  socket.onAny((_, message) => message?.clock && onClock({ ...message.clock, at: performance.now() }));
  socket.on("connect", join);
  socket.on("connect_error", ({ data }) => data?.code === UNAVAILABLE && tryAgain(() => socket.connect()));  // the library doesn't reconnect after a refusal
  socket.on("game:spectate:joined", (state) => {
    for (const player of state.players) names.set(player.id, player.displayName);
    position = state;
    absence.end();
    onUpdate();
  });
  socket.on("game:move:made", (message) => {
    completeMove(message, position, position.moveHistory);
    position = message;
    onMove(message);
    onUpdate();
  });
  socket.on("game:takeback:made", (message) => {
    position = message;
    onTakeback(message.moveHistory.length);
    onUpdate();
  });
  socket.on("game:dice", (message) => {
    position = { ...position, dice: message.dice };
    onRoll(message);
  });
  socket.on("game:over", () => {
    absence.end();
    onUpdate();
    socket.close();
  });
  socket.on("player:disconnected", ({ playerId, secondsRemaining }) => absence.begin(names.get(playerId) ?? "", secondsRemaining));
  socket.on("player:reconnected", () => absence.end());
  socket.on("disconnect", (reason) => {
    if (reason !== "io client disconnect") absence.end(t("watch.offline"));
  });
}

/** The countdown of a player who disconnected: every second is shown, a few are announced. */
class Absence {
  #timer = null;

  constructor(onNotice) { this.onNotice = onNotice; }

  begin(name, seconds) {
    this.end();
    if (seconds === null) return this.onNotice(t("play.away.open", { name }));
    const [end, countdown] = [Date.now() + seconds * 1000, new Countdown()];
    let announced = "";
    const tick = () => {
      const left = secondsTo(end);
      const text = t("watch.away", { name, seconds: left });
      if (countdown.isDue(left)) announced = text;
      this.onNotice(text, announced);
    };
    this.#timer = setInterval(tick, 1000);
    tick();
  }

  end(text = "") {
    clearInterval(this.#timer);
    this.onNotice(text);
  }
}
