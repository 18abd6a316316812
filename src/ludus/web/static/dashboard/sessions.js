// The newest sessions.
import { table } from "../catalog/lists.js";
import { h } from "../shell.js";
import { ago, date, gameName, gameWord, t, word } from "../strings.js";

/** Columns that a phone leaves out or shows below others. */
const LESSER = ["game", "mode", "result"];
const KINDS = { pending: "warn", active: "good", ended: "" };

export async function sessionsPanel(tenant) {
  const { sessions } = await tenant.sessions();
  if (!sessions.length) return h("p", { class: "muted" }, t("dashboard.no_sessions"));
  const titles = ["created", "game", "mode", "players", "status", "result"].map((name) => [t(`dashboard.col.${name}`), LESSER.includes(name) ? "not-phone" : ""]);
  return table(titles, sessions.map(row));
}

function row(session) {
  const names = session.players.map(({ displayName }) => h("div", { class: "line", title: displayName }, displayName));
  return h("tr", {},
    h("td", { class: "nowrap" }, h("span", { title: date(session.createdAt) }, ago(session.createdAt)), below(gameName(session.game))),
    h("td", { class: "not-phone" }, gameName(session.game)),
    h("td", { class: "not-phone" }, `${session.mode} · ${session.matchType}`, session.roomCode ? h("div", { class: "mono small" }, session.roomCode) : null),
    h("td", { class: "players" }, names),
    h("td", {}, h("span", { class: `badge ${KINDS[session.status]}` }, t(`dashboard.status.${session.status}`)), below(result(session))),
    h("td", { class: "not-phone players" }, h("div", { class: "line" }, result(session))));
}

const below = (content) => h("div", { class: "muted small only-phone" }, content);

function result(session) {
  if (!session.roomId) return "–";
  const text = session.status === "ended" ? `${winner(session)} · ${gameWord(session.game, "reason.", session.reason ?? "")}` : t("watch.now");
  return h("a", { href: session.status === "ended" ? `/matches/${session.roomId}` : `/watch/${session.roomId}` }, text);
}

/** The winner's name; bots have names in the page's language. */
function winner({ players, winner: id }) {
  if (!id) return t("outcome.draw");
  return players.find((player) => player.id === id)?.displayName ?? word("play.bot.", id);
}
