// The tenant's live games.
import { icon } from "../icons.js";
import { h } from "../shell.js";
import { ago, gameName, t } from "../strings.js";

export async function roomsPanel(tenant) {
  const { sessions } = await tenant.sessions();
  const rooms = new Map(sessions.filter((session) => session.status === "active" && session.roomId).map((session) => [session.roomId, session]));
  if (!rooms.size) return h("p", { class: "muted" }, t("dashboard.no_rooms"));
  return [...rooms.values()].map((session) => h("div", { class: "key-line" },
    h("div", {}, h("strong", {}, session.players.map((player) => player.displayName).join(" – ")), h("div", { class: "muted small" }, `${gameName(session.game)} · ${session.matchType} · ${ago(session.createdAt)}`)),
    h("a", { class: "button plain", href: `/watch/${session.roomId}` }, icon("watch"), t("shell.watch"))));
}
