// A finished game, move by move, with analysis on request.
import { at } from "../address.js";
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { optionsText } from "../move-text.js";
import { nameOf } from "../people.js";
import { api, copy, fill, h, mount, toast } from "../shell.js";
import { date, duration, gameName, t } from "../strings.js";
import { timeControlName } from "../time-controls.js";
import "../analysis/texts.js";
import { Analysis } from "./analysis.js";
import { endingOf } from "./ending.js";
import { Viewer, gamePage } from "./viewer.js";

const id = location.pathname.split("/").at(-1);
const main = mount({ active: "games", title: t("replay.title") });

await fill(main, async () => {
  const record = await api(`/web/tables/${encodeURIComponent(id)}`);
  const names = record.players.map(nameOf).join(" – ");
  document.title = `${names} · Ludus`;
  const viewer = new Viewer(record);
  const asked = Number.parseInt(new URLSearchParams(location.search).get("move") ?? "", 10);
  viewer.go(Number.isInteger(asked) ? asked : record.status === "over" ? 0 : viewer.length);
  viewer.addEventListener("step", () => history.replaceState(null, "", address(viewer)));
  const side = h("div", { class: "side" }, movesCard(viewer), record.status !== "over" ? liveCard(record) : GAMES[record.game].hasAnalysis ? new Analysis(viewer).element : null);
  const lower = h("div", { class: "lower" }, filesCard(viewer));
  main.replaceChildren(gamePage({ head: heading(record, names), viewer, side, lower }));
});

function heading(record, names) {
  const facts = [gameName(record.game), ...[optionsText(record.game, record.options)].filter(Boolean), date(record.startedAt), record.rated ? t("replay.rated") : t("replay.unrated")];
  if (record.timeControl) facts.push(timeControlName(record.timeControl));
  if (record.finishedAt) facts.push(duration((new Date(record.finishedAt) - new Date(record.startedAt)) / 1000));
  return h("div", { class: "head" }, h("h1", {}, names), h("p", { class: "lead" }, endingOf(record)), h("p", { class: "muted small" }, facts.join(" · ")));
}

function movesCard(viewer) {
  return h("section", { class: "card moves-card", "aria-label": t("replay.moves") }, h("h2", {}, t("replay.moves")), viewer.list);
}

function liveCard(record) {
  return h("section", { class: "card stack" }, h("p", {}, t("replay.live")), h("a", { class: "button", href: `/watch/${record.id}` }, icon("watch"), t("watch.now")));
}

function address(viewer) {
  const link = new URL(location.href);
  if (viewer.at) link.searchParams.set("move", viewer.at);
  else link.searchParams.delete("move");
  return link;
}

function filesCard(viewer) {
  const { record } = viewer;
  const base = `/web/tables/${record.id}`;
  const pictures = ["png", "svg"].map((kind) => {
    const picture = h("a", { class: "button plain", href: `${base}/card.${kind}`, download: `ludus-${record.id.slice(-8)}.${kind}` }, icon("download"), kind.toUpperCase());
    picture.addEventListener("click", () => {
      picture.href = at(`${base}/card.${kind}?move=${viewer.at}${viewer.board.hasAttribute("flip") ? "&flip=true" : ""}`);
      picture.download = `ludus-${record.id.slice(-8)}-${viewer.at}.${kind}`;
    });
    return picture;
  });
  const analyze = h("a", { class: "button plain", href: `/analysis?table=${record.id}` }, icon("light"), t("board.from_here"));
  analyze.addEventListener("click", () => { analyze.href = at(`/analysis?table=${record.id}&move=${viewer.at}`); });
  const file = h("a", { class: "button plain", href: `${base}/file`, download: "" }, icon("download"), record.format.toUpperCase());
  return h("section", { class: "card stack", "aria-label": t("replay.share") },
    h("div", { class: "row files" }, h("button", { class: "plain", type: "button", onclick: () => share(viewer) }, icon("share"), t("replay.share")), file, pictures, record.status === "over" ? analyze : null),
    record.dice ? h("details", {}, h("summary", {}, t("replay.dice")), h("p", { class: "small muted" }, t("replay.dice.text")),
      h("p", { class: "mono small" }, record.dice.commitment), record.dice.seed ? h("p", { class: "mono small" }, record.dice.seed) : null) : null);
}

async function share(viewer) {
  const url = String(address(viewer));
  if (!navigator.share) return copy(url);
  try {
    await navigator.share({ title: document.title, url });
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, "bad");
  }
}
