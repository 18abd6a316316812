// The person's devices, and a code that adds another one.
import { HOME } from "../address.js";
import { confirmAction } from "../dashboard/confirm.js";
import { icon } from "../icons.js";
import { learn, loadPerson, personApi } from "../person.js";
import { copy, h, toast } from "../shell.js";
import { ago, date, t } from "../strings.js";

export function devicesCard() {
  const list = h("ul", { class: "things", "aria-busy": "true" });
  const handOver = h("div", { class: "stack" });
  const show = async () => list.replaceChildren(...(await loadDevices()).map((device) => deviceRow(device, show)));
  show().catch((error) => list.replaceChildren(h("li", { class: "note bad", role: "alert" }, error.message))).finally(() => list.removeAttribute("aria-busy"));
  const make = h("button", { class: "primary", type: "button", onclick: () => showCode(handOver) }, icon("share"), t("me.devices.add"));
  return h("section", { class: "card", "aria-labelledby": "me-devices" }, h("h2", { id: "me-devices" }, t("me.devices")), h("p", { class: "muted hint" }, t("me.devices.text")),
    h("div", { class: "stack" }, list, h("div", { class: "row" }, make), handOver));
}

const loadDevices = async () => (await personApi("/web/me/devices")).devices;

function deviceRow({ id, label, seenAt, isThis }, show) {
  const remove = () => confirmAction({ title: t(isThis ? "me.devices.leave" : "me.devices.remove.title"), text: t(isThis ? "me.devices.leave.text" : "me.devices.remove.text"), action: t(isThis ? "me.devices.leave" : "me.remove") }, async () => {
    await personApi(`/web/me/devices/${encodeURIComponent(id)}`, { method: "DELETE" });
    if (isThis) learn(null);
    else await Promise.all([show(), loadPerson()]);
    toast(t("me.devices.removed"), "good");
  });
  const name = label || t("me.devices.unknown");
  return h("li", {}, h("span", {}, h("strong", {}, name), h("span", { class: "hint" }, isThis ? t("me.devices.this") : t("me.devices.seen", { ago: ago(seenAt) }))),
    h("button", { class: "plain", type: "button", onclick: remove, "aria-label": `${t(isThis ? "me.devices.leave" : "me.remove")}: ${name}` }, t(isThis ? "me.devices.leave" : "me.remove")));
}

async function showCode(place) {
  try {
    const { code, expiresAt } = await personApi("/web/me/codes", { body: {} });
    const link = `${HOME}/me#code=${code}`;
    const shown = h("output", { class: "code", tabindex: "-1" }, h("span", {}, code.slice(0, 4)), h("span", {}, code.slice(4)));
    place.replaceChildren(h("p", {}, t("me.code.text", { address: `${HOME.replace(/^https?:\/\//, "")}/me` })), shown,
      h("p", { class: "hint" }, t("me.code.until", { time: date(expiresAt, { timeStyle: "short" }) })),
      h("div", { class: "row" }, h("button", { class: "plain", type: "button", onclick: () => copy(link) }, icon("copy"), t("me.code.link"))));
    shown.focus();
  } catch (error) {
    toast(error.message, "bad");
  }
}
