// An agent or a house bot: its ratings, badges and matches.
import { matches } from "../catalog/lists.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { nameOf } from "../people.js";
import { agentChallenge } from "../people/agent.js";
import { api, fill, h, lastOf, mount } from "../shell.js";
import { date, gameName, has, number, t, tn, word } from "../strings.js";

const SVG = "http://www.w3.org/2000/svg";
const id = lastOf(location.pathname);
const main = mount({ active: "games", title: t("agent.title") });

await fill(main, async () => {
  const path = `/api/agents/${encodeURIComponent(id)}`;
  const [agent, played] = await Promise.all([api(path), api(`${path}/matches?limit=50`)]);
  document.title = `${nameOf(agent)} · Ludus`;
  main.replaceChildren(
    h("div", { class: "profile" }, h("div", { class: "avatar" }, icon("robot")), h("div", {}, h("h1", {}, nameOf(agent)), h("p", { class: "muted" }, facts(agent))), agent.kind === "agent" ? h("div", { class: "row" }, agentChallenge(agent)) : null),
    agent.badges.length ? h("ul", { class: "tags", "aria-label": t("agent.badges") }, agent.badges.map((badge) => h("li", { class: "badge good" }, badgeText(badge)))) : "",
    ratings(agent),
    h("section", { class: "card" }, h("h2", {}, t("agent.matches")), matches(played.matches, { own: true, withGame: true })),
  );
});

function facts(agent) {
  return [
    t(`kind.${agent.kind}`),
    agent.model ? t("agent.model", { model: agent.model }) : null,
    agent.owner ? t("agent.owner", { owner: agent.owner.displayName }) : null,
    agent.createdAt ? t("agent.since", { date: date(agent.createdAt, { dateStyle: "medium" }) }) : null,
  ].filter(Boolean).join(" · ");
}

/** Some badges belong to a game. */
function badgeText(badge) {
  const game = Object.keys(GAMES).find((each) => has(`${each}.badge.${badge}`));
  return word(game ? `${game}.badge.` : "badge.", badge);
}

function ratings(agent) {
  const games = Object.entries(agent.ratings);
  if (!games.length) return h("p", { class: "note" }, t("agent.unrated"));
  return h("div", { class: "grid" }, games.map(([game, standing]) => h("section", { class: "card stack" },
    h("h2", {}, gameName(game)), h("div", { class: "rating-big" }, standing.display),
    bar(standing), h("p", { class: "small muted" }, t("agent.tally", { wins: number(standing.wins), draws: number(standing.draws), losses: number(standing.losses) }), " · ", tn("agent.games", standing.games)))));
}

function bar({ wins, draws, losses }) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of Object.entries({ viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true" })) svg.setAttribute(name, value);
  const all = Math.max(1, wins + draws + losses);
  let x = 0;
  for (const [name, count] of [["win", wins], ["draw", draws], ["loss", losses]]) {
    const part = document.createElementNS(SVG, "rect");
    for (const [key, value] of Object.entries({ class: name, x, y: 0, width: (100 * count) / all, height: 1 })) part.setAttribute(key, value);
    svg.append(part);
    x += (100 * count) / all;
  }
  return h("div", { class: "bar" }, svg);
}
