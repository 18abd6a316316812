// A person's page: ratings, results, head-to-head and finished games.
import { avatar } from "../avatar.js";
import { table } from "../catalog/lists.js";
import { isolated } from "../isolation.js";
import { standing } from "../puzzles/standing.js";
import { api, fill, h, lastOf, mount, toast } from "../shell.js";
import { date, gameName, number, t, tn } from "../strings.js";
import { refresh } from "./banner.js";
import { challengeDialog } from "./challenge.js";
import { block, removeFriend, unblock } from "./confirm.js";
import { gameList } from "./games.js";
import { ratingGraph } from "./graph.js";

const id = lastOf(location.pathname);
const path = `/web/people/${encodeURIComponent(id)}`;
const main = mount({ active: "", title: t("profile.title") });
main.classList.add("page");

await fill(main, show);

async function show() {
  const [profile, games] = await Promise.all([api(path), gameList(`${path}/games`)]);
  const { person, isOwn, withMe } = profile;
  document.title = `${person.name} · Ludus`;
  main.replaceChildren(
    h("div", { class: "profile" }, avatar(person, "large"), h("div", {}, h("h1", {}, isolated(person.name)), h("p", { class: "muted" }, facts(profile))), isOwn ? own() : withMe ? actions(profile) : null),
    isOwn || withMe ? "" : h("p", { class: "note" }, t("profile.stranger")),
    ratings(profile.ratings),
    puzzles(profile.puzzles),
    withMe?.scores.length ? h("section", { class: "card" }, h("h2", {}, t("profile.head_to_head", { name: isolated(person.name) })), scoreTable(withMe.scores)) : "",
    profile.scores.length ? h("section", { class: "card" }, h("h2", {}, t("profile.results")), scoreTable(profile.scores)) : "",
    h("section", { class: "card" }, h("h2", {}, t("profile.games")), games),
  );
}

function facts({ person, withMe }) {
  const since = t("profile.since", { date: date(person.createdAt, { dateStyle: "medium" }) });
  const parts = [since, withMe?.isFriend ? t("profile.friend") : null].filter(Boolean).join(" · ");
  return withMe?.isOnline ? [parts, " · ", h("span", { class: "online" }, t("profile.online"))] : parts;
}

function own() {
  return h("div", { class: "row" }, h("a", { class: "button plain", href: "/me/games" }, t("history.title")), h("a", { class: "button plain", href: "/me/friends" }, t("friends.title")));
}

function actions({ person, withMe }) {
  const button = (label, act, look = "plain") => h("button", { class: look, type: "button", onclick: () => act().catch((error) => toast(error.message, "bad")) }, label);
  const then = (change) => async () => ((await change(person)) === false ? null : show());
  if (withMe.isBlocked) return h("div", { class: "row" }, button(t("block.end"), then(unblock)));
  return h("div", { class: "row" },
    button(t("challenge.do"), async () => (await challengeDialog(person)) && refresh(), "primary"),
    withMe.isFriend ? button(t("friends.remove"), then(removeFriend)) : null,
    button(t("block.do"), then(block)));
}

function ratings(list) {
  if (!list.length) return h("p", { class: "note" }, t("profile.unrated"));
  return h("div", { class: "grid" }, list.map((each) => h("section", { class: "card stack" },
    h("h2", {}, gameName(each.game)),
    h("div", {}, h("span", { class: "rating-big" }, number(each.rating, { useGrouping: false })), each.provisional ? [" ", h("span", { class: "badge" }, t("profile.provisional"))] : null),
    ratingGraph(each.history),
    h("p", { class: "small muted" }, t("agent.tally", { wins: number(each.wins), draws: number(each.draws), losses: number(each.losses) }), " · ", tn("agent.games", each.games)))));
}

function puzzles(list) {
  const tried = list.filter(({ tried }) => tried);
  return tried.length ? h("div", { class: "grid" }, tried.map((each) => h("section", { class: "card stack", "data-puzzles": each.game }, h("h2", {}, t("puzzles.profile", { game: gameName(each.game) })), standing(each)))) : "";
}

function scoreTable(scores) {
  const withOpponents = scores.some(({ opponents }) => opponents);
  const titles = [[t("games.game"), ""], withOpponents ? [t("profile.opponents"), ""] : null, [t("profile.wins"), "number"], [t("profile.draws"), "number"], [t("profile.losses"), "number"]].filter(Boolean);
  return table(titles, scores.map((each) => h("tr", {}, h("td", {}, gameName(each.game)), withOpponents ? h("td", {}, t(`profile.opponents.${each.opponents}`)) : null,
    ...[each.wins, each.draws, each.losses].map((count) => h("td", { class: "number" }, number(count))))));
}
