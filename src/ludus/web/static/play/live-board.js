// Exhibitions on the boards of the start page: while house bots play a game, its card shows that instead of a recording.

import { unpack } from "../games.js";
import { api, h } from "../shell.js";
import { t } from "../strings.js";

const REFRESH_MS = 3000;

/** After this many polls without an exhibition a card returns to its recording; usually the next one starts soon. */
const MOST_MISSES = 5;

/** Shows the live exhibition of each game on its board. `boards` maps games to boards, and `onchange` is called with a game
 * and its table when one starts, and with null when there has been none for a while. Returns a function that ends it. */
export function showExhibitions(boards, onchange = () => {}) {
  const shown = new Map();
  let isOver = false;
  const refresh = async () => {
    if (document.visibilityState !== "visible") return;
    const found = await api("/web/exhibitions").catch(() => null);
    if (!found || isOver) return;
    const live = new Map(found.tables.map((table) => [table.game, table]));
    for (const [game, board] of boards) update(game, board, live.get(game));
  };
  const update = (game, board, table) => {
    const before = shown.get(game);
    if (table) {
      board.position = unpack(game, table.board, { color: table.players[table.turn]?.color });
      board.last = table.last;
      shown.set(game, { id: table.id, misses: 0 });
      if (before?.id !== table.id) onchange(game, table);
    } else if (before && ++before.misses > MOST_MISSES) {
      shown.delete(game);
      onchange(game, null);
    }
  };
  const timer = setInterval(refresh, REFRESH_MS);
  refresh();
  return () => {
    isOver = true;
    clearInterval(timer);
  };
}

/** The label of a live exhibition, which leads to it. */
export function exhibitionLink(table) {
  return h("a", { class: "badge bad exhibition", href: `/watch/${table.id}`, title: t("watch.exhibition.text") }, h("span", { class: "live-dot" }), t("watch.exhibition"));
}
