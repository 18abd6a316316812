// A tenant's dashboard. The key stays in this tab's sessionStorage and is sent only to /v1.
import { icon } from "../icons.js";
import { ApiError, fill, h, mount } from "../shell.js";
import { date, number, t } from "../strings.js";
import { figures } from "../catalog/lists.js";
import { dataPanel } from "./data.js";
import { deliveriesPanel } from "./deliveries.js";
import { keysPanel } from "./keys.js";
import { roomsPanel } from "./rooms.js";
import { loadSection } from "./section.js";
import { sessionsPanel } from "./sessions.js";
import { Tenant, clearKey, storedKey, storeKey } from "./tenant.js";
import { themePanel } from "./theme.js";

const PANELS = [["sessions", sessionsPanel], ["rooms", roomsPanel], ["deliveries", deliveriesPanel], ["keys", keysPanel], ["theme", themePanel], ["data", dataPanel]];
const main = mount({ active: "dashboard", title: t("shell.dashboard") });

if (storedKey()) await enter(storedKey());
else signIn();

function signIn(problem = "") {
  const field = h("input", { id: "key", name: "key", type: "password", autocomplete: "off", spellcheck: "false", required: true, placeholder: "ludus_live_…" });
  const form = h("form", { class: "stack", onsubmit: (event) => {
    event.preventDefault();
    enter(field.value.trim());
  } }, h("label", {}, t("dashboard.key"), field), problem ? h("p", { class: "note bad", role: "alert" }, problem) : null,
  h("p", { class: "hint" }, t("dashboard.key.hint")), h("button", { class: "primary" }, icon("key"), t("dashboard.sign_in")));
  main.replaceChildren(h("section", { class: "card sign-in stack" }, h("h1", {}, t("dashboard.title")), h("p", { class: "muted" }, t("dashboard.lead")), form));
  field.focus();
}

async function enter(key) {
  const tenant = new Tenant(key);
  try {
    const about = await tenant.about();
    storeKey(key);
    await fill(main, () => show(tenant, about));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) clearKey();
    signIn(error.status === 401 ? t("dashboard.bad_key") : error.message);
  }
}

async function show(tenant, about) {
  const { usage } = about;
  const leave = h("button", { class: "plain", type: "button", onclick: () => {
    clearKey();
    signIn();
  } }, t("dashboard.sign_out"));
  const panel = h("div", { role: "tabpanel", id: "panel", tabindex: "0" });
  const tabs = PANELS.map(([name, draw]) => h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", onclick: () => open(name, draw) }, t(`dashboard.${name}`)));
  let latest = null;
  const open = async (name, draw) => {
    latest = name;
    tabs.forEach((tab) => {
      const isChosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      if (isChosen) list.scrollTo({ left: tab.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2 });
    });
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    history.replaceState(null, "", `#${name}`);
    const content = await loadSection(() => draw(tenant, about));
    if (latest === name) panel.replaceChildren(...content); // unless another tab was chosen meanwhile
  };
  const list = h("div", { class: "tablist", role: "tablist", "aria-label": t("dashboard.parts"), onkeydown: (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault(); // otherwise the list would scroll
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    next.focus();
    next.click();
  } }, tabs);
  tenant.addEventListener("deleted", () => leave.click());
  tenant.addEventListener("rotated", ({ detail }) => storeKey(detail));
  main.replaceChildren(
    h("div", {}, h("div", { class: "title-row" }, h("h1", {}, about.name), leave),
      h("p", { class: "muted small" }, h("span", { class: "mono" }, about.id), ` · ${t("dashboard.since", { date: date(about.createdAt, { dateStyle: "medium" }) })} · `,
        about.webhookUrl ? t("dashboard.webhook", { url: about.webhookUrl }) : t("dashboard.no_webhook"))),
    figures([[t("dashboard.active"), number(usage.active)], [t("dashboard.pending"), number(usage.pending)], [t("dashboard.ended"), number(usage.ended) + (usage.isCut ? "+" : "")], [t("dashboard.today"), number(usage.lastDay)]]),
    h("section", { class: "card stack" }, list, panel),
  );
  const wanted = PANELS.find(([name]) => `#${name}` === location.hash) ?? PANELS[0];
  await open(...wanted);
}
