// A visitor's rating and streaks in the puzzles of one game.
import { h } from "../shell.js";
import { number, t } from "../strings.js";
import "./texts.js";

/** `me` is null for somebody who has never tried one. */
export function standing(me) {
  if (!me) return h("p", { class: "muted small" }, t("puzzles.nobody"));
  const best = (count) => t("puzzles.best", { count: number(count) });
  return h("dl", { class: "puzzle-figures" },
    figure("rating", `${number(me.rating, { useGrouping: false })}`, me.provisional ? t("puzzles.provisional") : null),
    figure("streak", number(me.streak), best(me.bestStreak)),
    figure("days", number(me.days), best(me.bestDays)),
    figure("total", number(me.solved), t("puzzles.total.of", { count: number(me.tried) })));
}

const figure = (name, value, more) => h("div", { "data-standing": name }, h("dt", {}, t(`puzzles.${name}`)), h("dd", {}, value, more ? h("span", { class: "muted" }, " ", more) : null));
