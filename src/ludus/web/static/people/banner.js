// Challenges on every page: incoming ones, and the state of the person's own. The page polls the server while it is
// visible, which also shows others that this person is online.
import { at } from "../address.js";
import { isolated } from "../isolation.js";
import { optionsText } from "../move-text.js";
import { api, h, toast } from "../shell.js";
import { gameName, t } from "../strings.js";
import { timeControlName } from "../time-controls.js";

const POLL_MS = 20_000;
const FAILED_MS = 60_000;
const area = h("section", { class: "challenges", "aria-label": t("challenge.area"), "aria-live": "polite", hidden: true });
/** The person's own challenges that this page has shown as open. */
const waiting = new Set();
let timer = null;
let shown = "";
/** The number of requests so far: only the latest response counts. */
let asked = 0;

/** Puts the challenges below the header, and keeps them up to date. */
export function start() {
  document.querySelector(".banners")?.prepend(area);
  document.addEventListener("visibilitychange", () => (document.hidden ? clearTimeout(timer) : refresh()));
  return refresh();
}

/** Polls now. */
export async function refresh() {
  clearTimeout(timer);
  const number = ++asked;
  let pause = POLL_MS;
  try {
    const found = await api("/web/me/challenges");
    if (number === asked) show(found);
  } catch {
    pause = FAILED_MS;
  }
  if (number === asked && !document.hidden) timer = setTimeout(refresh, pause);
}

function show({ incoming, outgoing }) {
  const now = JSON.stringify([incoming, outgoing]);
  if (now === shown) return;
  shown = now;
  for (const challenge of outgoing) note(challenge);
  const isAtBoard = location.pathname.startsWith(at("/play/"));
  const open = outgoing.filter(({ state }) => state === "waiting" || (state === "accepted" && !isAtBoard));
  area.replaceChildren(...incoming.map(question), ...open.map(own));
  area.hidden = !area.childElementCount;
}

/** Takes a challenger who is waiting on this page to the game, or reports that the challenge was declined. */
function note(challenge) {
  const { id, state, person, sessionId } = challenge;
  if (state === "waiting") waiting.add(id);
  else if (waiting.delete(id)) {
    if (state === "declined") toast(t("challenge.declined", { name: isolated(person.name) }));
    else if (!document.body.classList.contains("is-playing")) go(sessionId);
  }
}

function question(challenge) {
  const { id, person } = challenge;
  const answer = (verb, then) => act(async () => then(await api(`/web/me/challenges/${id}/${verb}`, { body: {} })));
  return h("div", { class: "note good" },
    h("p", {}, t("challenge.asks", { name: isolated(person.name) }), " ", h("span", { class: "muted" }, terms(challenge))),
    h("button", { class: "primary", type: "button", onclick: answer("accept", ({ sessionId }) => go(sessionId)) }, t("challenge.accept")),
    h("button", { class: "plain", type: "button", onclick: answer("decline", refresh) }, t("challenge.decline")),
    h("a", { href: `/people/${person.id}` }, t("challenge.who")));
}

function own(challenge) {
  const { id, person, state, sessionId } = challenge;
  const name = isolated(person.name);
  if (state === "accepted") return h("div", { class: "note good" }, h("p", {}, t("challenge.accepted", { name })), h("a", { class: "button", href: `/play/${sessionId}` }, t("challenge.go")));
  const cancel = act(async () => {
    waiting.delete(id);
    await api(`/web/me/challenges/${id}`, { method: "DELETE" });
    await refresh();
  });
  return h("div", { class: "note" }, h("p", {}, t("challenge.waiting", { name }), " ", h("span", { class: "muted" }, terms(challenge))), h("button", { class: "plain", type: "button", onclick: cancel }, t("challenge.cancel")));
}

function terms({ game, options, timeControl, rated }) {
  return [gameName(game), optionsText(game, options), timeControl ? timeControlName(timeControl) : null, t(rated ? "replay.rated" : "replay.unrated")].filter(Boolean).join(" · ");
}

function act(work) {
  return async () => {
    try {
      await work();
    } catch (error) {
      toast(error.message, "bad");
      await refresh();
    }
  };
}

const go = (session) => location.assign(at(`/play/${session}`));
