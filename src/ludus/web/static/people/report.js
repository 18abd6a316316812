// Reporting the opponent of a game.
import { nameOf } from "../people.js";
import { api, h, toast } from "../shell.js";
import { t } from "../strings.js";

const REASONS = ["abuse", "cheating", "stalling", "name", "other"];

/** Asks for the reason and sends the report; `opponent` is `{id, name}`. */
export function reportDialog(game, opponent) {
  const choices = REASONS.map((reason, index) => h("label", { class: "check" }, h("input", { type: "radio", name: "reason", value: reason, required: true, checked: index === 0 }), t(`report.reason.${reason}`)));
  const form = h("form", { method: "dialog", class: "stack" },
    h("h2", { id: "report-title" }, t("report.title", { name: nameOf(opponent) })),
    h("p", {}, t("report.text")),
    h("fieldset", { class: "stack" }, h("legend", {}, t("report.reason")), choices),
    h("div", { class: "row" }, h("button", { class: "danger", value: "send" }, t("report.send")), h("button", { class: "plain", value: "", formnovalidate: true }, t("report.cancel"))));
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": "report-title" }, form);
  document.body.append(dialog);
  dialog.addEventListener("close", async () => {
    dialog.remove();
    if (dialog.returnValue !== "send") return;
    try {
      await api("/web/me/reports", { body: { game, reason: new FormData(form).get("reason") } });
      toast(t("report.sent"), "good");
    } catch (error) {
      toast(error.message, "bad");
    }
  });
  dialog.showModal();
}
