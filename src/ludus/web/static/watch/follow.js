// A spectator's line to a room: it is told every message that the players get.
import { io } from "../vendor/socket.io.esm.min.js";
import { t } from "../strings.js";

/** Watches until the game is over; the functions are called with what the server says. */
export function follow(record, { moved, rolled, drawn, said }) {
  const socket = io(`/${record.game}`, { transports: ["websocket", "polling"] });
  const nameOf = (id) => names.get(id) ?? "";
  const names = new Map();
  socket.on("connect", () => socket.emit("game:spectate", { roomId: record.id, username: "web" }));
  socket.on("game:spectate:joined", (state) => {
    for (const player of state.players) names.set(player.id, player.displayName);
    said("");
    moved();
  });
  socket.on("game:move:made", (message) => {
    drawn(message);
    moved();
  });
  socket.on("game:dice", rolled);
  socket.on("game:over", () => {
    moved();
    socket.close();
  });
  socket.on("player:disconnected", ({ playerId, secondsRemaining }) => said(t("watch.away", { name: nameOf(playerId), seconds: secondsRemaining ?? "–" })));
  socket.on("player:reconnected", () => said(""));
  socket.on("disconnect", (why) => {
    if (why !== "io client disconnect") said(t("watch.offline"));
  });
  return socket;
}
