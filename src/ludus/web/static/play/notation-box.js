// A box for those who would rather write a move than make it.

import { h } from "../shell.js";
import { t } from "../strings.js";
import { understood, written } from "./notation.js";

export function notationBox(state) {
  const { room } = state;
  const problem = h("p", { class: "problem small", role: "alert" });
  const input = h("input", { name: "notation", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go" });
  const submit = (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    const found = understood(room.game, text, state.moves, room.color, room.position.board);
    problem.textContent = found.problem ? t(`play.notation.${room.isMine ? found.problem : "not_now"}`, { example: example(state) }) : "";
    if (!found.move) return;
    input.value = "";
    state.send(found.move);
  };
  const form = h("form", { class: "notation", onsubmit: submit },
    h("label", {}, t("play.notation"), input),
    h("button", { class: "plain", type: "submit" }, t("play.notation.go")), problem);
  const hint = t(`play.notation.${room.game}`);
  input.placeholder = hint;
  const update = (kind) => {
    form.hidden = Boolean(room.over);
    if (kind === "game:move:made") problem.textContent = "";
  };
  return { element: form, update };
}

/** One that would do, for whoever does not know how to write it. */
function example({ moves, room }) {
  if (!moves.length) return "";
  return written(room.game, room.game === "backgammon" ? { moves: moves[0] } : moves[0], room.color);
}
