// A form for typing a move.

import { GAMES } from "../games/index.js";
import { h } from "../shell.js";
import { has, t } from "../strings.js";

export function notationBox(state) {
  const { room } = state;
  const problem = h("p", { class: "problem small", role: "alert" });
  const input = h("input", { name: "notation", autocomplete: "off", autocapitalize: "off", spellcheck: "false", enterkeyhint: "go" });
  const submit = async (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text) return;
    if (state.presentation.isLooking) return void (problem.textContent = t("play.why.looking"));
    const found = readMove(room.game, text, { moves: state.moves, color: room.color, position: room.position });
    problem.textContent = found.problem ? t(`play.notation.${room.isMine ? found.problem : "not_now"}`, { example: example(state) }) : "";
    if (found.problem === "none" && room.isMine) {
      const why = await state.explainer.explainText(text);
      if (why && input.value.trim() === text) problem.textContent = `${why} ${t("play.notation.try", { example: example(state) })}`;
    }
    if (!found.move) return;
    input.value = "";
    state.send(found.move);
  };
  const form = h("form", { class: "notation", onsubmit: submit },
    h("label", {}, t("play.notation"), input),
    h("button", { class: "plain", type: "submit" }, t("play.notation.go")), problem);
  if (has(`${room.game}.placeholder`)) input.placeholder = t(`${room.game}.placeholder`);
  const update = (kind) => {
    form.hidden = Boolean(room.over);
    if (kind === "game:move:made") problem.textContent = "";
  };
  return { element: form, update };
}

/** The one move that a text means, or why there is none: `{move}` or `{problem: "unreadable" | "none" | "many"}`. */
export function readMove(game, text, state) {
  const found = GAMES[game].readMoves(text, state);
  if (!found) return { problem: "unreadable" };
  if (found.length === 1) return { move: found[0] };
  return { problem: found.length ? "many" : "none" };
}

/** A legal move in notation. */
const example = ({ moves, room }) => (moves.length ? GAMES[room.game].notationOf(moves[0], room.color) : "");
