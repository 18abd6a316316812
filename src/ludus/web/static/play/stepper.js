// Steps back through the moves of a live game, and returns to it.

import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { icon } from "../icons.js";
import { t, tn } from "../strings.js";

export function stepper(state) {
  const { room, presentation, prompt, board } = state;
  const button = (name, act) => h("button", { class: "plain square", type: "button", title: t(`play.step.${name}`), "aria-label": t(`play.step.${name}`), "data-step": name, onclick: act }, icon(name));
  const at = () => presentation.at ?? room.history.length;
  const go = (place) => presentation.look(place);
  const isQuiet = (place) => place > 0 && place < room.history.length && GAMES[room.game].isQuiet(room.history[place - 1].move);
  /** A step over moves that aren't listed. */
  const step = (by) => {
    let place = at() + by;
    while (isQuiet(place)) place += by;
    go(place);
  };
  const buttons = {
    first: button("first", () => go(0)), back: button("back", () => step(-1)),
    next: button("next", () => step(1)), last: button("last", () => presentation.back()),
  };
  const element = h("div", { class: "stepper", role: "toolbar", "aria-label": t("play.step") }, Object.values(buttons));
  let since = 0;
  const show = () => {
    const isFirst = at() === 0;
    buttons.first.disabled = buttons.back.disabled = isFirst || !room.history.length;
    buttons.next.disabled = buttons.last.disabled = !presentation.isLooking;
    element.hidden = !room.history.length;
    if (!presentation.isLooking) {
      since = room.history.length;
      return prompt.clear("looking");
    }
    const more = room.history.length - since;
    const text = more > 0 ? tn("play.step.news", more) : t("play.step.looking");
    const key = `${text}${room.isMine}`;
    if (prompt.shown === "looking" && show.key === key) return;
    show.key = key;
    prompt.show("looking", text, { buttons: [[t("play.step.return"), () => presentation.back(), "primary"]] });
  };
  presentation.addEventListener("change", show);
  const key = (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || document.activeElement === board) return;
    if (/INPUT|TEXTAREA|SELECT/.test(event.target.tagName) || document.querySelector("dialog[open]")) return;
    const acts = { ArrowLeft: () => step(-1), ArrowRight: () => step(1), Home: () => go(0), End: () => presentation.back() };
    if (!Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  };
  addEventListener("keydown", key);
  return { element, update: show, stop: () => removeEventListener("keydown", key) };
}
