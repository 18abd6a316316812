// Continuing one game on another device: a code for the seat, shown here and typed or opened there.

import { HOME } from "../address.js";
import { icon } from "../icons.js";
import { api, copy, h, toast } from "../shell.js";
import { longDuration, t } from "../strings.js";

const CODE = /^[A-Z0-9]{7}$/;

/** Where the other device takes the seat. A fragment stays out of server logs. */
const addressFor = (code) => `${HOME}/#code=${code}`;

/** Shows a code for the player's seat at this table. */
export async function continueElsewhere(room) {
  let answer;
  try {
    answer = await api(`/web/play/${room.roomId}/code`, { method: "POST", body: {}, key: room.seat.token });
  } catch (error) {
    return void toast(error.message, "bad");
  }
  const link = addressFor(answer.code);
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": "hand-over-title" },
    h("h2", { id: "hand-over-title" }, t("play.device.title")),
    h("p", {}, t("play.device.text", { time: longDuration(answer.seconds) })),
    h("div", { class: "invitation" },
      h("p", { class: "code", "data-seat-code": answer.code }, answer.code),
      h("input", { class: "link", readonly: true, value: link, "aria-label": t("play.device.link"), onfocus: (event) => event.target.select() })),
    h("form", { method: "dialog", class: "row" },
      h("button", { class: "primary", type: "button", onclick: () => copy(link) }, icon("copy"), t("play.invite.copy")),
      h("button", { class: "plain", autofocus: true }, t("play.device.done"))));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

/** A form for the code. */
export function handOverForm() {
  const input = h("input", { name: "seat", maxlength: 7, required: true, autocomplete: "off", autocapitalize: "characters", spellcheck: "false" });
  const submit = (event) => {
    event.preventDefault();
    const code = input.value.trim().toUpperCase();
    if (CODE.test(code)) location.assign(addressFor(code));
    else toast(t("play.device.short"), "bad");
  };
  return h("form", { class: "code-form", onsubmit: submit }, h("label", {}, t("play.device.code"), input), h("button", { class: "plain", type: "submit" }, t("play.device.go")));
}
