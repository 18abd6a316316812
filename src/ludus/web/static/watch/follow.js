// A spectator's line to a room: it is told every message that the players get.
import { io } from "../vendor/socket.io.esm.min.js";
import { Countdown, secondsTo } from "../countdown.js";
import { t } from "../strings.js";

/** Watches until the game is over; the functions are called with what the server says. */
export function follow(record, { moved, rolled, drawn, said }) {
  const socket = io(`/${record.game}`, { transports: ["websocket", "polling"] });
  const nameOf = (id) => names.get(id) ?? "";
  const names = new Map();
  const absence = new Absence(said);
  socket.on("connect", () => socket.emit("game:spectate", { roomId: record.id, username: "web" }));
  socket.on("game:spectate:joined", (state) => {
    for (const player of state.players) names.set(player.id, player.displayName);
    absence.end();
    moved();
  });
  socket.on("game:move:made", (message) => {
    drawn(message);
    moved();
  });
  socket.on("game:dice", rolled);
  socket.on("game:over", () => {
    absence.end();
    moved();
    socket.close();
  });
  socket.on("player:disconnected", ({ playerId, secondsRemaining }) => absence.begin(nameOf(playerId), secondsRemaining));
  socket.on("player:reconnected", () => absence.end());
  socket.on("disconnect", (why) => {
    if (why !== "io client disconnect") absence.end(t("watch.offline"));
  });
  return socket;
}

/** Somebody who is gone: the seconds that are left are shown one by one, and spoken now and then. */
class Absence {
  #timer = null;

  constructor(said) { this.said = said; }

  begin(name, seconds) {
    this.end();
    const [end, countdown] = [Date.now() + seconds * 1000, new Countdown()];
    let spoken = "";
    const tell = () => {
      const left = secondsTo(end);
      const text = t("watch.away", { name, seconds: left });
      if (countdown.isHeard(left)) spoken = text;
      this.said(text, spoken);
    };
    this.#timer = setInterval(tell, 1000);
    tell();
  }

  end(text = "") {
    clearInterval(this.#timer);
    this.said(text);
  }
}
