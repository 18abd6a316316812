// The row of buttons under the board.

import { GAMES } from "../games/index.js";
import { h, toast } from "../shell.js";
import { icon } from "../icons.js";
import { problemText, t } from "../strings.js";
import { hasSound, setSound } from "../boards/sounds.js";

export function actions({ room, board, home }) {
  const draw = button("draw", icon("draw"), () => attempt(room.offerDraw()));
  const resign = button("resign", icon("flag"), () => confirmResign(room));
  const flip = button("flip", icon("flip"), () => board.toggleAttribute("flip"));
  const sound = button("sound", icon("mute"), () => { setSound(!hasSound()); showSound(); });
  const leave = button("leave", icon("close"), () => { room.close(); home(); });
  const showSound = () => {
    sound.setAttribute("aria-pressed", String(hasSound()));
    sound.replaceChildren(icon(hasSound() ? "sound" : "mute"));
  };
  showSound();
  const update = () => {
    draw.hidden = !GAMES[room.game].hasDraws || Boolean(room.over);
    draw.disabled = Boolean(room.offer);
    resign.hidden = Boolean(room.over);
    leave.hidden = !room.over;
  };
  return { element: h("div", { class: "actions" }, draw, resign, flip, sound, leave), update };
}

function button(name, picture, onclick) {
  const label = t(`play.action.${name}`);
  return h("button", { class: "plain square", type: "button", title: label, "aria-label": label, "data-action": name, onclick }, picture);
}

function attempt(promise) {
  promise.catch((error) => toast(problemText(error), "bad"));
}

function confirmResign(room) {
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": "resign-title" },
    h("h2", { id: "resign-title" }, t("play.resign.title")),
    h("p", {}, t("play.resign.text")),
    h("form", { method: "dialog", class: "row" },
      h("button", { class: "danger", value: "yes" }, t("play.resign.yes")),
      h("button", { class: "plain", value: "no", autofocus: true }, t("play.resign.no"))));
  dialog.addEventListener("close", () => {
    if (dialog.returnValue === "yes" && !room.over) attempt(room.resign());
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
