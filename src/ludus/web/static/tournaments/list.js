// All tournaments: running, upcoming and finished ones, and the form that creates one.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { api, fill, h, mount, toast } from "../shell.js";
import { gameName, t } from "../strings.js";
import { row } from "./row.js";

const REFRESH_MS = 5000;
const FILTERS = ["", ...Object.keys(GAMES)];
const wanted = new URLSearchParams(location.search).get("game") ?? "";

const main = mount({ active: "tournaments", title: t("tournaments.title") });
main.classList.add("page");
const open = h("div", { class: "stack", id: "open" });
const over = h("ul", { class: "tournaments" });
const more = h("button", { class: "plain", type: "button", hidden: true }, t("tournaments.more"));
const later = h("button", { class: "plain", type: "button", hidden: true, onclick: showLater }, t("tournaments.later"));
const trouble = h("p", { class: "note bad", role: "status", hidden: true });
const place = h("div", { hidden: true });
const create = h("button", { class: "primary", type: "button", "aria-expanded": "false", onclick: showForm }, icon("tournaments"), t("tournaments.create"));
const chips = h("div", { class: "chips", role: "group", "aria-label": t("watch.filter") }, FILTERS.map((game) =>
  h("button", { class: "chip", type: "button", "data-game": game, onclick: () => choose(game) }, game ? gameName(game) : t("watch.all"))));
let chosen = FILTERS.includes(wanted) ? wanted : "";
let found = null;
/** Pages of upcoming ones that are shown. */
let pages = 1;
/** All finished ones that were listed so far, by id. */
const finished = new Map();
let shown = "";

function choose(game) {
  chosen = game;
  for (const chip of chips.children) chip.setAttribute("aria-pressed", String(chip.dataset.game === game));
  const address = new URL(location.href);
  if (game) address.searchParams.set("game", game);
  else address.searchParams.delete("game");
  history.replaceState(null, "", address);
  show();
}

async function showForm() {
  const { createForm } = await import("./form.js");
  const isOpen = place.hidden;
  create.setAttribute("aria-expanded", String(isOpen));
  place.hidden = !isOpen;
  if (!isOpen) return;
  place.replaceChildren(createForm({ game: chosen || FILTERS[1], close: showForm }));
  place.querySelector("input").focus();
}

async function refresh() {
  const first = await api("/web/tournaments");
  let { after } = first;
  for (let page = 1; page < pages && after; page += 1) {
    const next = await api(`/web/tournaments?after=${encodeURIComponent(after)}`);
    first.upcoming.push(...next.upcoming);
    ({ after } = next);
  }
  found = first;
  later.hidden = !after;
  learn(found.finished);
  show();
}

async function showLater() {
  pages += 1;
  try {
    await refresh();
  } catch (error) {
    pages -= 1;
    toast(error.message, "bad");
  }
}

const learn = (list) => list.forEach((tournament) => finished.set(tournament.id, tournament));

/** Only if something has changed, so that the focus stays where it is. */
function show() {
  if (!found) return;
  const isWanted = ({ game }) => !chosen || game === chosen;
  const [running, upcoming] = [found.running.filter(isWanted), found.upcoming.filter(isWanted)];
  const ended = [...finished.values()].filter(isWanted).sort((one, two) => (one.createdAt < two.createdAt ? 1 : -1));
  const now = JSON.stringify([chosen, running, upcoming, ended.map(({ id }) => id)]);
  if (now === shown) return;
  shown = now;
  const section = (name, list) => h("section", { class: "card", "data-part": name }, h("h2", {}, t(`tournaments.${name}`)), h("ul", { class: "tournaments" }, list.map(row)));
  open.replaceChildren(...(running.length ? [section("running", running)] : []), ...(upcoming.length ? [section("upcoming", upcoming)] : []),
    ...(running.length + upcoming.length ? [] : [none()]));
  over.replaceChildren(...(ended.length ? ended.map(row) : [h("li", { class: "muted" }, t("tournaments.none.finished"))]));
}

function none() {
  return h("div", { class: "card empty" }, icon("tournaments"), h("h2", {}, t("tournaments.none")), h("p", {}, t("tournaments.none.text")));
}

function offerOlder(before) {
  more.hidden = !before;
  more.onclick = async () => {
    try {
      const page = await api(`/web/tournaments?before=${encodeURIComponent(before)}`);
      learn(page.finished);
      offerOlder(page.before);
      show();
    } catch (error) {
      toast(error.message, "bad");
    }
  };
}

await fill(main, async () => {
  await refresh();
  offerOlder(found.before);
  main.replaceChildren(
    h("div", {}, h("div", { class: "title-row" }, h("h1", {}, t("tournaments.title")), h("div", { class: "row" }, create)), h("p", { class: "lead" }, t("tournaments.lead"))),
    place, chips, trouble, open, later,
    h("section", { class: "card stack", "data-part": "finished" }, h("h2", {}, t("tournaments.finished")), over, more));
  choose(chosen);
  setInterval(async () => {
    if (document.visibilityState !== "visible") return;
    try {
      await refresh();
      trouble.hidden = true;
    } catch (error) {
      trouble.textContent = error.message;
      trouble.hidden = false;
    }
  }, REFRESH_MS);
});
