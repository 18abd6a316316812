// API keys, and creating new ones.
import { icon } from "../icons.js";
import { copy, h, toast } from "../shell.js";
import { date, t } from "../strings.js";

export async function keysPanel(tenant) {
  const list = h("div", {});
  const fill = async () => list.replaceChildren(...(await tenant.about()).keys.map(keyRow));
  await fill();
  const box = h("div", { "aria-live": "polite" });
  const rotate = (kind) => h("button", { class: "danger", type: "button", disabled: !tenant.isLive, onclick: () => confirmRotation(tenant, kind, box, fill) }, icon("again"), t("dashboard.rotate", { kind: t(`dashboard.kind.${kind}`) }));
  return h("div", { class: "stack" }, list, box, tenant.isLive ? null : h("p", { class: "note" }, t("dashboard.live_only")), h("div", { class: "row" }, rotate("live"), rotate("test")));
}

function keyRow(key) {
  const state = key.revokedAt ? h("span", { class: "badge" }, t("dashboard.revoked", { date: date(key.revokedAt, { dateStyle: "medium" }) })) : h("span", { class: "badge good" }, t("dashboard.valid"));
  return h("div", { class: "key-line" }, h("div", {}, h("span", { class: "mono" }, `${key.hint}…`), " ", key.isThis ? h("span", { class: "badge warn" }, t("dashboard.this")) : null,
    h("div", { class: "muted small" }, origins(key), ` · ${date(key.createdAt, { dateStyle: "medium" })}`)), state);
}

const origins = ({ origins: from }) => (from.includes("*") ? t("dashboard.origins.any") : t("dashboard.origins", { origins: from.join(", ") }));

/** Asks for confirmation, creates the key and shows it once; `refresh` updates the list. */
function confirmRotation(tenant, kind, box, refresh) {
  const keep = h("input", { type: "checkbox" });
  const dialog = h("dialog", { "aria-labelledby": "rotate-title" },
    h("form", { method: "dialog", class: "stack", onsubmit: async (event) => {
      if (event.submitter.value !== "yes") return;
      try {
        const { key } = await tenant.rotate(kind, keep.checked);
        box.replaceChildren(h("div", { class: "stack note good" }, h("p", {}, t("dashboard.new_key", { kind: t(`dashboard.kind.${kind}`) })), h("div", { class: "secret" }, key),
          h("button", { class: "plain", type: "button", onclick: () => copy(key) }, icon("copy"), t("shell.copy"))));
        await refresh();
      } catch (error) {
        toast(error.message, "bad");
      }
    } }, h("h2", { id: "rotate-title" }, t("dashboard.rotate", { kind: t(`dashboard.kind.${kind}`) })), h("p", {}, t("dashboard.rotate.text")),
    h("label", { class: "row" }, keep, h("span", {}, t("dashboard.rotate.keep"))),
    h("div", { class: "row" }, h("button", { class: "danger", value: "yes" }, t("dashboard.rotate.yes")), h("button", { class: "plain", value: "no" }, t("dashboard.cancel")))));
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
}
