// The view for people who have no seat in the game at this address.

import { failure, h } from "../shell.js";
import { t } from "../strings.js";
import { handOverForm } from "./hand-over.js";

/** Returns a function that removes the view. */
export function showRefusal(main, id, error) {
  main.replaceChildren([401, 403, 404].includes(error.status) ? card(id, error.body ?? {}) : failure(error));
  return () => {};
}

function card(id, { canWatch, isOver }) {
  const watch = canWatch ? h("a", { class: "button", href: isOver ? `/matches/${id}` : `/watch/${id}` }, t(isOver ? "play.over.replay" : "play.refused.watch")) : null;
  return h("section", { class: "card invited", "data-refused": "" },
    h("h1", {}, t(canWatch ? "play.refused" : "play.refused.private")),
    h("p", { class: "lead" }, t(canWatch ? "play.refused.text" : "play.refused.private.text")),
    h("div", { class: "row" }, watch, h("a", { class: watch ? "button plain" : "button", href: "/" }, t("error.home"))),
    handOverForm());
}
