// The terms of a friend's game, before it starts.

import { optionsText } from "../move-text.js";
import { h } from "../shell.js";
import { date, gameName, t } from "../strings.js";
import { timeControlText } from "../time-controls.js";

/** `found` is an invitation as the server describes it. */
export function terms({ game, options, timeControl, moveSeconds, isRated, isPublic, expiresAt }) {
  const clock = timeControl ?? (moveSeconds ? { type: "move", seconds: moveSeconds } : { type: "none" });
  const rows = [
    ["game", gameName(game)],
    ...(optionsText(game, options) ? [["options", optionsText(game, options)]] : []),
    ["clock", timeControlText(clock)],
    ["rated", t(isRated ? "play.terms.rated.yes" : "play.terms.rated.no")],
    ["watch", t(isPublic ? "play.terms.watch.anyone" : "play.terms.watch.players")],
    ["expires", t("play.terms.until", { time: date(expiresAt, { weekday: "short", hour: "numeric", minute: "2-digit" }) })],
  ];
  return h("dl", { class: "terms" }, rows.map(([name, text]) => h("div", { "data-term": name }, h("dt", {}, t(`play.terms.${name}`)), h("dd", {}, text))));
}
