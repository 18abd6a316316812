// Live games as small boards.
import { unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { matches } from "../catalog/lists.js";
import { playerTag } from "../people.js";
import { api, h, mount } from "../shell.js";
import { ago, gameName, t, tn } from "../strings.js";

const REFRESH_MS = 3000;
const COUNT_MS = 10_000;
const RECENT = 10;
const FILTERS = ["", ...Object.keys(GAMES)];

const main = mount({ active: "watch", title: t("shell.watch") });
const cards = new Map();
const list = h("div", { class: "grid", id: "tables" });
const empty = h("div", { class: "card empty", hidden: true }, icon("watch"), h("h2", {}, t("watch.none")), h("p", {}, t("watch.none.text")),
  h("div", { class: "row" }, h("a", { class: "button", href: "/" }, t("watch.play")), h("a", { class: "button plain", href: "/games" }, t("watch.finished"))));
const trouble = h("p", { class: "note bad", role: "status", hidden: true });
const count = h("span", { class: "badge bad" });
const presence = h("p", { class: "muted small", id: "presence", hidden: true });
const recent = h("div", { id: "recent" });
let chosen = FILTERS.includes(new URLSearchParams(location.search).get("game")) ? new URLSearchParams(location.search).get("game") : "";

const chips = h("div", { class: "chips", role: "group", "aria-label": t("watch.filter") }, FILTERS.map((game) =>
  h("button", { class: "chip", type: "button", "data-game": game, onclick: () => choose(game) }, game ? gameName(game) : t("watch.all"))));
main.append(
  h("div", {}, h("div", { class: "title-row" }, h("h1", {}, t("watch.title")), count), h("p", { class: "lead" }, t("watch.lead")), presence),
  chips, trouble, list, empty,
  h("section", { class: "card" }, h("h2", {}, t("watch.recent")), recent),
);

function choose(game) {
  chosen = game;
  for (const chip of chips.children) chip.setAttribute("aria-pressed", String(chip.dataset.game === game));
  const address = new URL(location.href);
  if (game) address.searchParams.set("game", game);
  else address.searchParams.delete("game");
  history.replaceState(null, "", address);
  refresh();
  showRecent();
}

/** Finished games, and how many people are here: both change slowly. */
async function showRecent() {
  const wanted = chosen;
  const found = await api(`/web/finished?limit=${RECENT}${wanted ? `&game=${wanted}` : ""}`).catch(() => null);
  if (found && wanted === chosen) recent.replaceChildren(matches(found.matches, { withGame: !wanted }));
}

async function showPresence() {
  const found = await api("/web/presence").catch(() => null);
  if (!found) return;
  const waiting = Object.values(found.waiting).reduce((sum, number) => sum + number, 0);
  presence.textContent = [found.playing ? tn("watch.playing", found.playing) : "", waiting ? tn("watch.waiting", waiting) : ""].filter(Boolean).join(" · ");
  presence.hidden = !presence.textContent;
}

async function refresh() {
  const wanted = chosen;
  try {
    const { tables } = await api(`/web/live${wanted ? `?game=${wanted}` : ""}`);
    if (wanted === chosen) show(tables);
    trouble.hidden = true;
  } catch (error) {
    trouble.textContent = error.message;
    trouble.hidden = false;
  }
}

function show(tables) {
  const ids = new Set(tables.map((table) => table.id));
  for (const [id, card] of cards) {
    if (!ids.has(id)) {
      card.remove();
      cards.delete(id);
    }
  }
  tables.forEach((table, place) => {
    if (!cards.has(table.id)) cards.set(table.id, newCard(table));
    const card = cards.get(table.id);
    update(card, table);
    if (list.children[place] !== card) list.insertBefore(card, list.children[place] ?? null);
  });
  empty.hidden = tables.length > 0;
  count.replaceChildren(h("span", { class: "live-dot" }), tn("watch.count", tables.length));
  count.hidden = !tables.length;
}

function newCard(table) {
  const board = viewBoard(table.game, { compact: true });
  const [first, second] = table.players;
  const card = h("a", { class: "card thumb", href: `/watch/${table.id}` },
    h("div", { class: "stage", "aria-hidden": "true" }, board),
    h("div", { class: "names" }, playerTag(second, { link: false }), playerTag(first, { link: false })),
    table.isExhibition ? h("div", {}, h("span", { class: "badge", title: t("watch.exhibition.text") }, t("watch.exhibition"))) : null,
    h("div", { class: "facts" }, h("span", { class: "when" }), h("span", { class: "eyes" })));
  card.board = board;
  return card;
}

function update(card, table) {
  card.board.position = unpack(table.game, table.board, { color: table.players[table.turn]?.color });
  card.board.last = table.last;
  card.querySelector(".when").textContent = `${gameName(table.game)} · ${tn("watch.moves", table.moveCount)} · ${ago(table.startedAt)}`;
  card.querySelector(".eyes").replaceChildren(icon("watch"), ` ${table.spectators}`, h("span", { class: "visually-hidden" }, tn("watch.spectators", table.spectators)));
}

const whileVisible = (work) => () => document.visibilityState === "visible" && work();

choose(chosen);
showPresence();
setInterval(whileVisible(refresh), REFRESH_MS);
setInterval(whileVisible(() => [showRecent(), showPresence()]), COUNT_MS);
