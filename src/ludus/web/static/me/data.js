// Downloads or deletes everything that is stored about this person.
import { confirmAction } from "../dashboard/confirm.js";
import { icon } from "../icons.js";
import { learn, personApi } from "../person.js";
import { h, toast } from "../shell.js";
import { t } from "../strings.js";

export function dataCard() {
  const remove = () => confirmAction({ title: t("me.data.delete.title"), text: t("me.data.delete.text"), action: t("me.data.delete") }, async () => {
    const { status } = await personApi("/web/me", { method: "DELETE" });
    learn(null);
    toast(t(`me.data.${status}`), "good");
  });
  return h("section", { class: "card", "aria-labelledby": "me-data" }, h("h2", { id: "me-data" }, t("me.data")), h("p", { class: "muted hint" }, t("me.data.text")),
    h("div", { class: "row" }, h("a", { class: "button plain", href: "/web/me/export", download: "ludus-person.json" }, icon("download"), t("me.data.download")),
      h("button", { class: "danger", type: "button", onclick: remove }, t("me.data.delete"))));
}
