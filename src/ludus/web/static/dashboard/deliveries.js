// Webhook deliveries; failed ones can be resent.
import { table } from "../catalog/lists.js";
import { icon } from "../icons.js";
import { h, toast } from "../shell.js";
import { ago, date, number, t } from "../strings.js";
import { loadSection } from "./section.js";

const STATES = ["", "waiting", "delivered", "dead"];
const KINDS = { waiting: "warn", delivered: "good", dead: "bad" };

export async function deliveriesPanel(tenant) {
  if (!tenant.isLive) return h("p", { class: "note" }, t("dashboard.live_only"));
  const box = h("div", {});
  const chips = STATES.map((state) => h("button", { class: "chip", type: "button", onclick: () => show(state) }, t(`dashboard.deliveries.${state || "all"}`)));
  let latest = null;
  const show = async (state) => {
    chips.forEach((chip, index) => chip.setAttribute("aria-pressed", String(STATES[index] === state)));
    latest = state;
    const content = await loadSection(async () => list(tenant, (await tenant.deliveries(state)).deliveries, () => show(state)));
    if (latest === state) box.replaceChildren(...content); // unless another chip was pressed meanwhile
  };
  await show("");
  return h("div", { class: "stack" }, h("div", { class: "chips", role: "group", "aria-label": t("dashboard.deliveries") }, chips), box);
}

function list(tenant, deliveries, refresh) {
  if (!deliveries.length) return h("p", { class: "muted" }, t("dashboard.no_deliveries"));
  const titles = Object.entries({ created: "not-phone", event: "", state: "", attempts: "number not-phone", action: "not-phone" }).map(([name, kind]) => [t(`dashboard.col.${name}`), kind]);
  return table(titles, deliveries.map((delivery) => row(tenant, delivery, refresh)));
}

function resendButton(tenant, delivery, refresh) {
  const again = h("button", { class: "plain", type: "button", "aria-label": `${t("dashboard.resend")}: ${delivery.event}`, onclick: async () => {
    again.disabled = true;
    try {
      await tenant.resend(delivery.id);
      toast(t("dashboard.resent"), "good");
      await refresh();
    } catch (error) {
      toast(error.message, "bad");
      again.disabled = false;
    }
  } }, icon("again"), t("dashboard.resend"));
  return again;
}

/** A phone has room for two columns: the time goes below the event, the action below the state. */
function row(tenant, delivery, refresh) {
  const again = () => resendButton(tenant, delivery, refresh);
  const isDead = delivery.state === "dead";
  const when = (kind) => h("span", { class: kind, title: date(delivery.createdAt) }, ago(delivery.createdAt));
  const body = h("details", {}, h("summary", { class: "small" }, t("dashboard.body")), h("pre", { tabindex: "0" }, pretty(delivery.body)));
  return h("tr", {},
    h("td", { class: "nowrap not-phone" }, when("")),
    h("td", {}, h("span", { class: "mono" }, delivery.event), when("muted small only-phone"), body),
    h("td", {}, h("span", { class: `badge ${KINDS[delivery.state]}` }, t(`dashboard.deliveries.${delivery.state}`)), delivery.problem ? h("div", { class: "small bad" }, delivery.problem) : null, isDead ? h("div", { class: "only-phone button-row" }, again()) : null),
    h("td", { class: "number not-phone" }, number(delivery.attempts)),
    h("td", { class: "not-phone" }, isDead ? again() : "–"));
}

function pretty(text) {
  return JSON.stringify(JSON.parse(text), null, 2);
}
