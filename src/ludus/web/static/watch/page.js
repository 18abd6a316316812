// A live game: the viewer of finished games, updated by the room's messages.
import { GAMES } from "../games/index.js";
import { icon } from "../icons.js";
import { optionsText } from "../move-text.js";
import { nameOf } from "../people.js";
import { endingOf } from "../replay/ending.js";
import { Viewer, gamePage } from "../replay/viewer.js";
import { api, copy, fill, h, mount } from "../shell.js";
import { spectate } from "../rooms/spectator.js";
import { ago, gameName, t, tn } from "../strings.js";
import { timeControlName } from "../time-controls.js";

const COUNT_MS = 10_000;
const id = location.pathname.split("/").at(-1);
const main = mount({ active: "watch", title: t("shell.watch") });

await fill(main, async () => {
  const path = `/web/tables/${encodeURIComponent(id)}`;
  const record = await api(path);
  const viewer = new Viewer(record);
  const status = h("p", { class: "lead", role: "status" });
  const badge = h("span", { class: "badge bad" });
  const eyes = h("span", { class: "badge" });
  const started = h("p", { class: "muted small", "data-started": "" });
  const away = h("div", { class: "notice", "aria-hidden": "true" });
  const liveRegion = h("p", { class: "visually-hidden", role: "status" });
  const after = h("div", { class: "row" });
  const title = record.players.map(nameOf).join(" – ");
  document.title = `${title} · Ludus`;

  const show = () => {
    const { record: now } = viewer;
    const isLive = now.status === "live";
    status.textContent = isLive ? [lastPart(viewer), turnText(now)].filter(Boolean).join(" ") : endingOf(now);
    badge.hidden = !isLive;
    badge.replaceChildren(h("span", { class: "live-dot" }), t("watch.live"));
    eyes.hidden = !isLive;
    started.textContent = [gameName(now.game), ...[optionsText(now.game, now.options)].filter(Boolean), ...(now.timeControl ? [timeControlName(now.timeControl)] : []), ago(now.startedAt)].join(" · ");
    eyes.replaceChildren(icon("watch"), tn("watch.spectators", now.spectators));
    seatMarks(viewer, now);
    if (!isLive && !after.childElementCount) {
      after.append(h("a", { class: "button", href: `/matches/${now.id}` }, icon("light"), t("watch.replay")), h("a", { class: "button plain", href: "/watch" }, t("watch.others")));
    }
  };
  const refresh = async () => {
    const found = await api(`${path}?after=${viewer.length}`);
    if (found.count < viewer.length) return; // a late answer to an earlier request
    viewer.extend(found);
    show();
  };
  viewer.addEventListener("flip", show);
  show();
  const head = h("div", { class: "head" }, h("div", { class: "row" }, badge, eyes, record.isExhibition ? h("span", { class: "badge" }, t("watch.exhibition")) : null), h("h1", {}, title), status, started,
    record.isExhibition ? h("p", { class: "muted small" }, t("watch.exhibition.text")) : null);
  const moves = h("section", { class: "card", "aria-label": t("replay.moves") }, h("h2", {}, t("replay.moves")), viewer.list);
  const share = h("button", { class: "plain", type: "button", onclick: () => copy(location.href) }, icon("share"), t("watch.share"));
  main.replaceChildren(gamePage({ head, viewer, side: h("div", { class: "side" }, away, liveRegion, after, moves, share) }));
  if (record.status !== "live") return;
  spectate(record, {
    onUpdate: refresh,
    onRoll: (message) => {
      Object.assign(viewer.record, { now: { ...viewer.record.now, dice: message.dice }, turn: message.currentTurn });
      viewer.show();
    },
    onMove: (message) => {
      viewer.record.now = message;
      if (viewer.isLast) {
        viewer.board.last = message.move;
        viewer.board.position = message;
      }
    },
    onTakeback: (count) => viewer.cut(count),
    onClock: (clock) => {
      viewer.clock = clock;
      viewer.showClocks();
    },
    onNotice: (text, announced = text) => {
      away.replaceChildren(...(text ? [h("p", { class: "note warn" }, text)] : []));
      if (liveRegion.textContent !== announced) liveRegion.textContent = announced;
    },
  });
  setInterval(() => {
    if (document.visibilityState === "visible" && viewer.record.status === "live") refresh().catch(() => {});
  }, COUNT_MS);
});

function turnText({ game, now, players, turn }) {
  if (turn === null) return "";
  const [name, other] = [nameOf(players[turn]), nameOf(players[1 - turn])];
  const own = GAMES[game].turnOf(now);
  return own ? t(`${game}.${own[0]}.watch`, { name, other, ...own[1] }) : t("watch.turn", { name });
}

/** How the last game of a match ended, if the next one has just begun. */
function lastPart(viewer) {
  const ended = viewer.record.moves.filter((move) => move.ended);
  return viewer.record.moves.at(-1)?.ended ? viewer.partOf(ended.at(-1).ended, ended.length) : "";
}

function seatMarks(viewer, record) {
  const isFlipped = viewer.board.hasAttribute("flip");
  viewer.bottom.classList.toggle("to-move", record.turn === (isFlipped ? 1 : 0));
  viewer.top.classList.toggle("to-move", record.turn === (isFlipped ? 0 : 1));
}
