// Live games as small boards.
import { unpack, viewBoard } from "../games.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { playerTag } from "../people.js";
import { api, h, mount } from "../shell.js";
import { ago, gameName, t, tn } from "../strings.js";

const REFRESH_MS = 3000;
const FILTERS = ["", ...Object.keys(GAMES)];

const main = mount({ active: "watch", title: t("shell.watch") });
const cards = new Map();
const list = h("div", { class: "grid", id: "tables" });
const empty = h("div", { class: "card empty", hidden: true }, icon("watch"), h("h2", {}, t("watch.none")), h("p", {}, t("watch.none.text")),
  h("div", { class: "row" }, h("a", { class: "button", href: "/" }, t("watch.play")), h("a", { class: "button plain", href: "/games" }, t("watch.finished"))));
const trouble = h("p", { class: "note bad", role: "status", hidden: true });
const count = h("span", { class: "badge bad" });
let chosen = FILTERS.includes(new URLSearchParams(location.search).get("game")) ? new URLSearchParams(location.search).get("game") : "";

const chips = h("div", { class: "chips", role: "group", "aria-label": t("watch.filter") }, FILTERS.map((game) =>
  h("button", { class: "chip", type: "button", "data-game": game, onclick: () => choose(game) }, game ? gameName(game) : t("watch.all"))));
main.append(
  h("div", {}, h("div", { class: "title-row" }, h("h1", {}, t("watch.title")), count), h("p", { class: "lead" }, t("watch.lead"))),
  chips, trouble, list, empty,
);

function choose(game) {
  chosen = game;
  for (const chip of chips.children) chip.setAttribute("aria-pressed", String(chip.dataset.game === game));
  const address = new URL(location.href);
  if (game) address.searchParams.set("game", game);
  else address.searchParams.delete("game");
  history.replaceState(null, "", address);
  refresh();
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
    h("div", { class: "foot" }, h("span", { class: "when" }), h("span", { class: "eyes" })));
  card.board = board;
  return card;
}

function update(card, table) {
  card.board.position = unpack(table.game, table.board, { color: table.players[table.turn]?.color });
  card.board.last = table.last;
  card.querySelector(".when").textContent = `${gameName(table.game)} · ${tn("watch.moves", table.moveCount)} · ${ago(table.startedAt)}`;
  card.querySelector(".eyes").replaceChildren(icon("watch"), ` ${table.spectators}`, h("span", { class: "visually-hidden" }, tn("watch.spectators", table.spectators)));
}

choose(chosen);
setInterval(() => {
  if (document.visibilityState === "visible") refresh();
}, REFRESH_MS);
