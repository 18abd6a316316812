// Leaving a game: what happens to the seat, and the confirmations before it happens. All numbers come from the server.

import { toast } from "../shell.js";
import { longDuration, problemText, t } from "../strings.js";
import { ask } from "./dialog.js";
import { playerName } from "./names.js";

/** Whether a person is waiting on the other side of the board. */
const isAtStake = (room) => Boolean(room.position) && !room.over && !room.opponent?.isBot;

/** What happens to the seat and the clock while the player is away. */
export function heldText(room) {
  const { reconnectSeconds, abandonSeconds, limit, clock } = room;
  if (room.opponent?.isBot && reconnectSeconds === null) {
    return abandonSeconds ? t("play.held.bot", { time: longDuration(abandonSeconds) }) : t("play.held.bot.ever");
  }
  const seat = reconnectSeconds === null ? t("play.held.open") : t("play.held", { time: longDuration(reconnectSeconds) });
  const time = clock ? t("play.held.clock") : limit ? t("play.held.move", { time: longDuration(limit) }) : "";
  return [seat, time].filter(Boolean).join(" ");
}

/** The notice while the connection is down. */
export const offlineText = (room) => `${t("play.offline")} ${heldText(room)}`;

/** Asks whether to leave the board, and does so: to the start page, from where the game can be resumed. */
export async function leaveGame(room, home) {
  if (room.over) return finish(room, home);
  const answer = await ask({
    title: t("play.leave.title"),
    text: stays(room),
    answers: [["leave", t("play.leave.yes"), "primary"], ["resign", t("play.leave.resign"), "danger"], ["", t("play.leave.no"), "plain"]],
  });
  await act(answer, room, home);
}

/** Asks what to do with this game before another one is started. */
export async function startAnother(room, home) {
  if (room.over) return finish(room, home);
  const answer = await ask({
    title: t("play.another.title"),
    text: stays(room),
    answers: [["leave", t("play.another.keep"), "primary"], ["resign", t("play.another.resign"), "danger"], ["", t("play.leave.no"), "plain"]],
  });
  await act(answer, room, home);
}

const stays = (room) => [t("play.leave.text", { name: playerName(room.opponent) }), heldText(room), t("play.leave.resume")].join(" ");

async function act(answer, room, home) {
  if (answer === "leave") return home();
  if (answer !== "resign") return;
  try {
    if (!room.over) await room.resign();
    finish(room, home);
  } catch (error) {
    toast(problemText(error), "bad");
  }
}

function finish(room, home) {
  room.close();
  home();
}

/** While a person is waiting on the other side, links that lead away from the board ask for confirmation. `follow(link)` is
 * called with those that are followed. Returns a function that ends this. */
export function guardLinks(room, follow) {
  const listen = async (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || !leadsAway(event, link) || !isAtStake(room)) return;
    event.preventDefault();
    event.stopPropagation();
    const answer = await ask({
      title: t("play.leave.title"),
      text: stays(room),
      answers: [["leave", t("play.leave.yes"), "primary"], ["", t("play.leave.no"), "plain"]],
    });
    if (answer === "leave") follow(link);
  };
  document.addEventListener("click", listen, true);
  return () => document.removeEventListener("click", listen, true);
}

/** Not for links that open elsewhere, or lead to a part of this page. */
function leadsAway(event, link) {
  if (event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
  const isElsewhere = (link.target && link.target !== "_self") || link.hasAttribute("download");
  return !isElsewhere && link.href.split("#")[0] !== location.href.split("#")[0];
}
