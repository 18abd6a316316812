// Export and deletion of what is stored about a player or the whole tenant.
import { icon } from "../icons.js";
import { h, toast } from "../shell.js";
import { t } from "../strings.js";
import { confirmAction } from "./confirm.js";

export async function dataPanel(tenant, about) {
  return h("div", { class: "stack" }, playerPart(tenant), tenant.isLive ? allPart(tenant, about) : h("p", { class: "note" }, t("dashboard.live_only")));
}

function playerPart(tenant) {
  const field = h("input", { name: "player", required: true, autocomplete: "off", spellcheck: "false", maxlength: "128" });
  const act = (work) => () => { if (field.reportValidity()) work(field.value); };
  const remove = (id) => confirmAction({ title: t("dashboard.data.delete.player", { id }), text: t("dashboard.data.delete.text"), action: t("dashboard.data.delete") }, async () => {
    announce(await tenant.deletePlayer(id));
    field.value = "";
  });
  return h("form", { class: "stack", onsubmit: (event) => event.preventDefault() }, h("h2", {}, t("dashboard.data.player")), h("p", { class: "muted" }, t("dashboard.data.player.text")),
    h("label", {}, t("dashboard.data.player.id"), field), buttons(act((id) => save(() => tenant.exportPlayer(id), `ludus-player.json`)), act(remove)));
}

function allPart(tenant, about) {
  const remove = () => confirmAction({ title: t("dashboard.data.delete.all", { name: about.name }), text: t("dashboard.data.delete.text"), action: t("dashboard.data.delete"), word: about.name }, async () => {
    announce(await tenant.deleteAll());
    tenant.dispatchEvent(new Event("deleted"));
  });
  return h("section", { class: "stack" }, h("h2", {}, t("dashboard.data.all")), h("p", { class: "muted" }, t("dashboard.data.all.text")), buttons(() => save(() => tenant.exportAll(), `${about.id}.json`), remove));
}

function buttons(onExport, onDelete) {
  return h("div", { class: "row" }, h("button", { class: "plain", type: "button", onclick: onExport }, icon("download"), t("dashboard.data.export")),
    h("button", { class: "danger", type: "button", onclick: onDelete }, t("dashboard.data.delete")));
}

function announce({ status }) {
  toast(t(`dashboard.data.${status}`), "good");
}

/** Downloads what `load` gets, as a file. */
async function save(load, name) {
  try {
    const content = new Blob([JSON.stringify(await load(), null, 2)], { type: "application/json" });
    const link = h("a", { href: URL.createObjectURL(content), download: name });
    link.click();
    URL.revokeObjectURL(link.href);
  } catch (error) {
    toast(error.message, "bad");
  }
}
