// The dialog in which a challenge's game, its options, time control and rating are chosen.
import { GAMES } from "../games/index.js";
import { isolated } from "../isolation.js";
import { optionsChoice } from "../play/options.js";
import { timeControlChoice } from "../play/time-control.js";
import { api, h, toast } from "../shell.js";
import { gameName, t } from "../strings.js";
import { KINDS } from "../time-controls.js";

/** Resolves to the challenge that was sent, or to null. */
export function challengeDialog(person) {
  const games = h("select", { name: "game", autocomplete: "off" }, Object.keys(GAMES).map((game) => h("option", { value: game }, gameName(game))));
  const control = timeControlChoice({ game: games.value });
  const rated = h("input", { type: "checkbox", name: "rated" });
  const chosen = {};
  const options = h("div", {});
  const offer = () => {
    control.allow(rated.checked ? KINDS.filter((kind) => kind !== "none") : KINDS, games.value);
    options.replaceChildren(...[optionsChoice(games.value, chosen)].filter(Boolean));
  };
  for (const field of [games, rated]) field.addEventListener("change", offer);
  offer();
  const form = h("form", { method: "dialog", class: "stack" },
    h("h2", { id: "challenge-title" }, t("challenge.title", { name: isolated(person.name) })),
    h("label", {}, t("games.game"), games), options, control.element,
    h("label", { class: "check" }, rated, t("challenge.rated")),
    h("p", { class: "small muted" }, t("challenge.text")),
    h("div", { class: "row" }, h("button", { class: "primary", value: "send" }, t("challenge.send")), h("button", { class: "plain", value: "", formnovalidate: true }, t("challenge.close"))));
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": "challenge-title" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", async () => {
      dialog.remove();
      resolve(dialog.returnValue === "send" ? await send({ person: person.id, game: games.value, timeControl: control.value, rated: rated.checked, ...GAMES[games.value].optionsOf(chosen[games.value] ?? {}) }) : null);
    });
  });
}

async function send(body) {
  try {
    return await api("/web/me/challenges", { body });
  } catch (error) {
    toast(error.message, "bad");
    return null;
  }
}
