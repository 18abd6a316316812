// A dialog that asks before something irreversible happens.
import { h, toast } from "../shell.js";
import { t } from "../strings.js";
import "./texts.js";

/** Calls `act` if the user confirms; with `word`, only after typing it. */
export function confirmAction({ title, text, action, word }, act) {
  const field = word ? h("input", { required: true, autocomplete: "off", spellcheck: "false" }) : null;
  const dialog = h("dialog", { "aria-labelledby": "confirm-title" },
    h("form", { method: "dialog", class: "stack", onsubmit: async (event) => {
      if (event.submitter.value !== "yes") return;
      try {
        await act();
      } catch (error) {
        toast(error.message, "bad");
      }
    } }, h("h2", { id: "confirm-title" }, title), h("p", {}, text),
    field ? h("label", {}, t("dashboard.data.delete.type", { name: word }), field) : null,
    h("div", { class: "row" }, h("button", { class: "danger", value: "yes" }, action), h("button", { class: "plain", value: "no", formnovalidate: true }, t("dashboard.cancel")))));
  const check = () => field.setCustomValidity(field.value.trim() === word ? "" : t("dashboard.data.delete.type", { name: word }));
  if (field) {
    field.addEventListener("input", check);
    check();
  }
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}
