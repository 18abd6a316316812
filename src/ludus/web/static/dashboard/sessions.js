// The newest sessions.
import { gameName } from "../board.js";
import { table } from "../games/lists.js";
import { h } from "../shell.js";
import { ago, date, t, word } from "../strings.js";

const KINDS = { pending: "warn", active: "good", ended: "" };

export async function sessionsPanel(tenant) {
  const { sessions } = await tenant.sessions();
  if (!sessions.length) return h("p", { class: "muted" }, t("dashboard.no_sessions"));
  const titles = ["created", "game", "mode", "players", "status", "result"].map((name) => [t(`dashboard.col.${name}`), ""]);
  return table(titles, sessions.map(row));
}

function row(session) {
  const names = session.players.map((player) => player.displayName).join(", ");
  return h("tr", {},
    h("td", { class: "nowrap" }, h("span", { title: date(session.createdAt) }, ago(session.createdAt))),
    h("td", {}, gameName(session.game)),
    h("td", {}, `${session.mode} · ${session.matchType}`, session.roomCode ? h("div", { class: "mono small" }, session.roomCode) : null),
    h("td", {}, names),
    h("td", {}, h("span", { class: `badge ${KINDS[session.status]}` }, t(`dashboard.status.${session.status}`))),
    h("td", {}, result(session)));
}

function result(session) {
  if (!session.roomId) return "–";
  const who = session.players.find((player) => player.id === session.winner)?.displayName ?? session.winner;
  const text = session.status === "ended" ? `${who ?? t("outcome.draw")} · ${word("reason.", session.reason ?? "")}` : t("watch.now");
  return h("a", { href: session.status === "ended" ? `/matches/${session.roomId}` : `/watch/${session.roomId}` }, text);
}
