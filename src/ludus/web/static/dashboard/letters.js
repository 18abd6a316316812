// Webhooks: what was sent, what waits, what was given up and can be sent again.
import { table } from "../games/lists.js";
import { icon } from "../icons.js";
import { h, toast } from "../shell.js";
import { ago, date, number, t } from "../strings.js";
import { drawn } from "./drawn.js";

const STATES = ["", "waiting", "delivered", "dead"];
const KINDS = { waiting: "warn", delivered: "good", dead: "bad" };

export async function lettersPanel(tenant) {
  if (!tenant.isLive) return h("p", { class: "note" }, t("dashboard.live_only"));
  const box = h("div", {});
  const chips = STATES.map((state) => h("button", { class: "chip", type: "button", onclick: () => show(state) }, t(`dashboard.letters.${state || "all"}`)));
  let latest = null;
  const show = async (state) => {
    chips.forEach((chip, index) => chip.setAttribute("aria-pressed", String(STATES[index] === state)));
    latest = state;
    const content = await drawn(async () => list(tenant, (await tenant.letters(state)).deliveries, () => show(state)));
    if (latest === state) box.replaceChildren(...content); // or else another chip was pressed meanwhile
  };
  await show("");
  return h("div", { class: "stack" }, h("div", { class: "chips", role: "group", "aria-label": t("dashboard.letters") }, chips), box);
}

function list(tenant, deliveries, refresh) {
  if (!deliveries.length) return h("p", { class: "muted" }, t("dashboard.no_letters"));
  const titles = Object.entries({ created: "not-phone", event: "", state: "", attempts: "number not-phone", action: "not-phone" }).map(([name, kind]) => [t(`dashboard.col.${name}`), kind]);
  return table(titles, deliveries.map((letter) => row(tenant, letter, refresh)));
}

function sendAgain(tenant, letter, refresh) {
  const again = h("button", { class: "plain", type: "button", "aria-label": `${t("dashboard.replay")}: ${letter.event}`, onclick: async () => {
    again.disabled = true;
    try {
      await tenant.replay(letter.id);
      toast(t("dashboard.replayed"), "good");
      await refresh();
    } catch (error) {
      toast(error.message, "bad");
      again.disabled = false;
    }
  } }, icon("again"), t("dashboard.replay"));
  return again;
}

/** A phone has room for two columns: the time stands below the event, what can be done below the state. */
function row(tenant, letter, refresh) {
  const again = () => sendAgain(tenant, letter, refresh);
  const isDead = letter.state === "dead";
  const when = (kind) => h("span", { class: kind, title: date(letter.createdAt) }, ago(letter.createdAt));
  const body = h("details", {}, h("summary", { class: "small" }, t("dashboard.body")), h("pre", { tabindex: "0" }, pretty(letter.body)));
  return h("tr", {},
    h("td", { class: "nowrap not-phone" }, when("")),
    h("td", {}, h("span", { class: "mono" }, letter.event), when("muted small only-phone"), body),
    h("td", {}, h("span", { class: `badge ${KINDS[letter.state]}` }, t(`dashboard.letters.${letter.state}`)), letter.problem ? h("div", { class: "small bad" }, letter.problem) : null, isDead ? h("div", { class: "only-phone button-row" }, again()) : null),
    h("td", { class: "number not-phone" }, number(letter.attempts)),
    h("td", { class: "not-phone" }, isDead ? again() : "–"));
}

function pretty(text) {
  return JSON.stringify(JSON.parse(text), null, 2);
}
