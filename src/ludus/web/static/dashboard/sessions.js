// The newest sessions.
import { table } from "../catalog/lists.js";
import { h, toast } from "../shell.js";
import { ago, date, gameName, gameWord, t, word } from "../strings.js";
import { confirmAction } from "./confirm.js";
import { loadSection } from "./section.js";

/** Columns that a phone leaves out or shows below others. */
const LESSER = ["game", "mode", "result"];
const KINDS = { pending: "warn", active: "good", ended: "" };

export async function sessionsPanel(tenant) {
  const box = h("div", {});
  const show = async () => box.replaceChildren(...await loadSection(async () => list(tenant, (await tenant.sessions()).sessions, show)));
  await show();
  return box;
}

function list(tenant, sessions, refresh) {
  if (!sessions.length) return h("p", { class: "muted" }, t("dashboard.no_sessions"));
  const titles = ["created", "game", "mode", "players", "status", "result"].map((name) => [t(`dashboard.col.${name}`), LESSER.includes(name) ? "not-phone" : ""]);
  return table(titles, sessions.map((session) => row(session, cancelButton(tenant, session, refresh))));
}

/** For a session that hasn't ended. */
function cancelButton(tenant, session, refresh) {
  if (session.status === "ended") return null;
  const ask = { title: t("dashboard.cancel_session"), text: t("dashboard.cancel_session.text"), action: t("dashboard.cancel_session") };
  return h("div", { class: "button-row" }, h("button", { class: "plain", type: "button", onclick: () => confirmAction(ask, async () => {
    await tenant.cancel(session.id);
    toast(t("dashboard.cancelled"), "good");
    await refresh();
  }) }, t("dashboard.cancel_session")));
}

function row(session, cancel) {
  const names = session.players.map(({ displayName }) => h("div", { class: "line", title: displayName }, displayName));
  return h("tr", {},
    h("td", { class: "nowrap" }, h("span", { title: date(session.createdAt) }, ago(session.createdAt)), below(gameName(session.game))),
    h("td", { class: "not-phone" }, gameName(session.game)),
    h("td", { class: "not-phone" }, `${session.mode} · ${session.matchType}`, session.roomCode ? h("div", { class: "mono small" }, session.roomCode) : null),
    h("td", { class: "players" }, names),
    h("td", {}, h("span", { class: `badge ${KINDS[session.status]}` }, t(`dashboard.status.${session.status}`)), below(result(session)), cancel),
    h("td", { class: "not-phone players" }, h("div", { class: "line" }, result(session))));
}

const below = (content) => h("div", { class: "muted small only-phone" }, content);

function result(session) {
  if (!session.roomId) return "–";
  const text = session.reason === "cancelled" ? gameWord(session.game, "reason.", "cancelled") : session.status === "ended" ? `${winner(session)} · ${gameWord(session.game, "reason.", session.reason ?? "")}` : t("watch.now");
  return h("a", { href: session.status === "ended" ? `/matches/${session.roomId}` : `/watch/${session.roomId}` }, text);
}

/** The winner's name; bots have names in the page's language. */
function winner({ players, winner: id }) {
  if (!id) return t("outcome.draw");
  if (id.startsWith("deleted:")) return t("people.deleted");
  return players.find((player) => player.id === id)?.displayName ?? word("play.bot.", id);
}
