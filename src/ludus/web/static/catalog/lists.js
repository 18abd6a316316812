// Tables that several pages share: figures, leaderboard, matches.
import { kindIcon, nameOf, playerName } from "../people.js";
import { h } from "../shell.js";
import { ago, date, duration, gameName, gameWord, number, t, tn } from "../strings.js";

export function figures(pairs) {
  return h("dl", { class: "figures" }, pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));
}

export function gameFigures(stats, waiting) {
  const percent = stats.decisivePercent === null ? "–" : number(stats.decisivePercent / 100, { style: "percent", maximumFractionDigits: 0 });
  return figures([
    [t("games.matches"), number(stats.matches)],
    [t("games.duration"), stats.avgDurationSeconds === null ? "–" : duration(stats.avgDurationSeconds)],
    [t("games.decisive"), percent],
    [t("games.waiting"), number(waiting)],
  ]);
}

export function leaderboard(leaders) {
  if (!leaders.length) return h("p", { class: "muted" }, t("games.no_leaders"));
  const row = (leader) => h("tr", {}, h("td", { class: "number" }, number(leader.rank)),
    h("td", { class: "players" }, h("div", { class: "line" }, h("a", { href: `/agents/${encodeURIComponent(leader.agent.id)}`, title: nameOf(leader.agent) }, nameOf(leader.agent))), leader.model ? h("div", { class: "line muted small", title: leader.model }, leader.model) : null),
    h("td", { class: "number" }, h("strong", {}, leader.display)), h("td", { class: "number" }, number(leader.games)));
  return table([["#", "number"], [t("games.agent"), ""], [t("games.rating"), "number"], [t("games.played"), "number"]], leaders.map(row));
}

/** Matches with both players, or, with `own`, from one agent's side. A phone has room for three columns; the others go below. */
export function matches(list, { own = false, withGame = false } = {}) {
  if (!list.length) return h("p", { class: "muted" }, t("games.no_matches"));
  const below = (text) => h("div", { class: "muted small only-phone" }, text);
  const row = (match) => h("tr", {},
    h("td", { class: "nowrap" }, when(match), withGame ? below(gameName(match.gameId)) : null),
    withGame ? h("td", { class: "not-phone" }, gameName(match.gameId)) : null,
    h("td", { class: "players" }, own ? named(match.opponent) : match.players.map((player, index) => [index ? h("span", { class: "not-phone" }, " – ") : "", named(player, index === match.winner)])),
    own ? h("td", {}, outcome(match), below(ending(match))) : null,
    h("td", { class: own ? "muted not-phone" : "muted" }, !own && match.status === "active" ? [live(), " "] : null, ending(match)));
  const titles = [[t("games.when"), ""], withGame ? [t("games.game"), "not-phone"] : null, [own ? t("games.opponent") : t("games.players"), ""], own ? [t("games.outcome"), ""] : null, [t("games.ending"), own ? "not-phone" : ""]];
  return table(titles.filter(Boolean), list.map(row));
}

function when(match) {
  const href = match.status === "active" ? `/watch/${match.id}` : `/matches/${match.id}`;
  return h("a", { href, title: date(match.startedAt) }, ago(match.finishedAt ?? match.startedAt));
}

/** How a match ended, and who won where the row doesn't say it otherwise. */
function ending(match) {
  if (!match.reason) return tn("watch.moves", match.moveCount);
  const reason = gameWord(match.gameId, "reason.", match.detail ?? match.reason);
  if (match.winner === undefined) return reason;
  return match.winner === null ? t("result.draw", { reason }) : t("result.won", { name: nameOf(match.players[match.winner]), reason });
}

const live = () => h("span", { class: "badge bad" }, h("span", { class: "live-dot" }), t("watch.live"));

function named(player, isWinner = false) {
  return h("span", { class: isWinner ? "player winner" : "player", title: nameOf(player) }, playerName(player), player.kind === "person" ? null : kindIcon(player.kind));
}

function outcome(match) {
  if (match.status === "active") return live();
  const kind = { win: "good", loss: "bad", draw: "" }[match.outcome];
  return h("span", { class: `badge ${kind}` }, t(`outcome.${match.outcome}`));
}

export function table(titles, rows) {
  return h("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": titles.map(([title]) => title).join(", ") }, h("table", {},
    h("thead", {}, h("tr", {}, titles.map(([title, kind]) => h("th", { scope: "col", class: kind || null }, title)))), h("tbody", {}, rows)));
}
