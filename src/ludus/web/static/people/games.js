// A person's finished games, from their side, page by page.
import { table } from "../catalog/lists.js";
import { kindIcon, nameOf, playerName } from "../people.js";
import { api, h, toast } from "../shell.js";
import { ago, date, gameName, gameWord, number, t } from "../strings.js";

/** The list from `path`, with a button for older ones. `actions(game)` adds something to each row. */
export async function gameList(path, { actions = null, none = t("history.none") } = {}) {
  const list = h("div", { class: "stack" });
  const shown = [];
  const more = h("button", { class: "plain", type: "button" }, t("history.more"));
  const load = async (before) => {
    const page = await api(before ? `${path}${path.includes("?") ? "&" : "?"}before=${encodeURIComponent(before)}` : path);
    shown.push(...page.games);
    more.hidden = page.before === null;
    more.onclick = () => load(page.before).catch((error) => toast(error.message, "bad"));
    list.replaceChildren(shown.length ? gameTable(shown, actions) : h("p", { class: "muted" }, none), more);
  };
  await load(null);
  return list;
}

function gameTable(games, actions) {
  const titles = [[t("games.when"), ""], [t("games.game"), "not-phone"], [t("games.opponent"), ""], [t("games.outcome"), ""], [t("games.ending"), "not-phone"], [t("games.rating"), "number not-phone"]];
  if (actions) titles.push([t("history.actions"), ""]);
  return table(titles, games.map((game) => row(game, actions)));
}

/** A phone has no room for all columns; some go below the row. */
function row(game, actions) {
  const below = (...content) => h("div", { class: "muted small only-phone" }, ...content);
  const { opponent } = game;
  return h("tr", {},
    h("td", { class: "nowrap" }, h("a", { href: `/matches/${game.id}`, title: date(game.finishedAt) }, ago(game.finishedAt)), below(gameName(game.game))),
    h("td", { class: "not-phone" }, gameName(game.game)),
    h("td", { class: "players" }, h("span", { class: "player", title: nameOf(opponent) }, playerName(opponent), opponent.kind === "person" ? null : kindIcon(opponent.kind)),
      game.isPrivate ? h("div", { class: "muted small" }, t("history.private")) : null),
    h("td", {}, outcome(game), below(ending(game), game.rating ? [" · ", change(game.rating)] : null)),
    h("td", { class: "muted not-phone" }, ending(game)),
    h("td", { class: "number not-phone" }, game.rating ? change(game.rating) : "–"),
    actions ? h("td", {}, actions(game)) : null);
}

const ending = (game) => gameWord(game.game, "reason.", game.detail ?? game.reason);

export function outcome({ outcome: name }) {
  return h("span", { class: `badge ${{ win: "good", loss: "bad", draw: "" }[name]}` }, t(`outcome.${name}`));
}

function change({ before, after }) {
  return number(Math.round(after) - Math.round(before), { signDisplay: "always" });
}
