// What all pages share: header, navigation, switches, toasts, and requests to the server.
import { at } from "./address.js";
import { icon } from "./icons.js";
import { isolated } from "./isolation.js";
import { LANGUAGES } from "./languages.js";
import { avatar } from "./avatar.js";
import { listenToPerson, loadPerson, person } from "./person.js";
import { listen, set } from "./preferences.js";
import { gameNames, language, problemText, t } from "./strings.js";

const PLACES = [
  ["play", "/"],
  ["puzzles", "/puzzles"],
  ["watch", "/watch"],
  ["games", "/games"],
  ["tournaments", "/tournaments"],
  ["analysis", "/analysis"],
];
const TABS = [...PLACES.slice(0, 5), ["me", "/me"]];
const DEVELOPERS = [
  ["embed", "/embed"],
  ["dashboard", "/dashboard"],
  ["docs", "/docs/"],
  ["guide", "/api/guide"],
  ["openapi", "/v1/openapi.json"],
  ["asyncapi", "/asyncapi.json"],
  ["arena", "/api/docs/json"],
  ["llms", "/llms.txt"],
];
const MOST_RETRIES = 3;
const RETRY_MS = 1000;
const ADDRESSES = new Set(["action", "href", "src"]);

/** Creates an element: attributes as in HTML, `on…` as listeners, objects and functions as properties. An address that
 * starts with a slash is one of the server's. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (typeof value === "object" || typeof value === "function") element[name] = value;
    else element.setAttribute(name, value === true ? "" : ADDRESSES.has(name) && /^\/(?!\/)/.test(value) ? at(value) : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Draws the frame of a page and returns its `<main>`, to be filled. */
export function mount({ active = "", title = "" } = {}) {
  document.title = title ? `${title} · Ludus` : `Ludus · ${gameNames()}`;
  const main = document.querySelector("main") ?? document.body.appendChild(h("main", { id: "main" }));
  main.tabIndex = -1;
  const skip = h("a", { class: "skip", href: "#main" }, t("shell.skip"));
  document.body.prepend(skip, header(active), banners());
  document.body.append(footer(active), tabs(active), h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  if (isSecureContext) navigator.serviceWorker?.register(at("/service-worker.js")).catch(() => {}); // no offline page, then
  showResume();
  showChallenges();
  return main;
}

/** The way back to games in progress; it comes after everything that the page is about. */
async function showResume() {
  const { resume } = await import("./resume.js");
  document.querySelector(".banners").append(resume.element);
  resume.refresh();
}

/** Below the header, as soon as it is known that somebody plays here. */
function showChallenges() {
  let loading = null;
  const show = (who) => {
    if (who) loading ??= import("./people/banner.js").then(({ start }) => start()).catch(() => { loading = null; }); // offline
  };
  show(person());
  listenToPerson(show);
}

/** The place of what is shown below the header. A board takes the rest of the window, so it has to know its height. */
function banners() {
  const place = h("div", { class: "banners" });
  new ResizeObserver(() => document.documentElement.style.setProperty("--banners", `${place.offsetHeight}px`)).observe(place);
  return place;
}

function header(active) {
  const logo = h("a", { class: "logo", href: "/", "aria-label": t("shell.home") }, icon("logo"), h("span", {}, "Ludus"));
  const links = h("nav", { class: "nav", "aria-label": t("shell.navigation") }, PLACES.map((place) => link(place, active)));
  return h("header", { class: "top" }, logo, links, h("div", { class: "switches" }, languageSwitch(), appearanceSwitch(), personLink(active)));
}

/** Who plays here, with a link to their own page. The server is asked after the first frame. */
function personLink(active) {
  const place = h("a", { href: "/me", "aria-current": active === "me" ? "page" : null });
  const show = (who) => {
    place.className = `switch whoami${who ? "" : " is-nobody"}`;
    place.replaceChildren(...(who ? [avatar(who), h("span", {}, isolated(who.name))] : [icon("me"), h("span", { class: "visually-hidden" }, t("shell.me"))]));
  };
  show(person());
  listenToPerson(show);
  requestAnimationFrame(() => setTimeout(() => loadPerson().catch(() => {}))); // offline: what was known stays on show
  return place;
}

function footer(active) {
  const links = DEVELOPERS.map((place) => link(place, active));
  return h("footer", { class: "foot" }, h("nav", { "aria-label": t("shell.developers") }, links));
}

function tabs(active) {
  const links = TABS.map(([name, href]) => link([name, href], active, icon(name)));
  return h("nav", { class: "tabs", "aria-label": t("shell.tabs") }, links);
}

function link([name, href], active, ...before) {
  const current = name === active ? "page" : null;
  return h("a", { href, "aria-current": current }, ...before, h("span", {}, t(`shell.${name}`)));
}

function languageSwitch() {
  const choose = ({ target }) => {
    set("language", target.value);
    setClaimCookie("ludus-language", target.value);
    const address = new URL(location.href);
    address.searchParams.delete("lang");
    location.replace(address);
  };
  const options = Object.entries(LANGUAGES).map(([code, name]) => h("option", { value: code, lang: code, selected: code === language }, name));
  return h("select", { class: "switch", "aria-label": t("shell.language"), autocomplete: "off", onchange: choose }, options);
}

/** Opens the choices of colors, board and pieces, which are loaded when they're first wanted. */
function appearanceSwitch() {
  const label = t("appearance.title");
  const panel = h("div", { class: "panel", id: "appearance", popover: "auto", role: "dialog", "aria-label": label, tabindex: "-1" });
  panel.addEventListener("beforetoggle", async ({ newState }) => {
    if (newState === "open" && !panel.hasChildNodes()) panel.replaceChildren((await import("./appearance.js")).appearanceForm());
  });
  const button = h("button", { class: "switch", type: "button", popovertarget: "appearance", "aria-label": label, title: label }, icon("appearance"));
  return [button, panel];
}

/** Light or dark, or what the system says. */
function applyColoring(value) {
  if (value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = value;
  setClaimCookie("ludus-theme", value);
}

listen((name, value) => name === "theme" && applyColoring(value));

/** Stores a choice in this browser, if it allows that. */
export function store(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // no storage: the choice lasts as long as the page
  }
}

/** A cookie for the page where agents are claimed: it runs no script, so the server must know the choice. */
function setClaimCookie(name, value) {
  document.cookie = `${name}=${value}; path=${at("/claim")}; max-age=31536000; samesite=lax`;
}

/** What `store` stored, or null. */
export function stored(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** A short message at the edge of the page; `kind` is "info", "good" or "bad". */
export function toast(text, kind = "info") {
  const note = h("div", { class: `toast ${kind}` }, text);
  document.querySelector(".toasts")?.append(note);
  setTimeout(() => note.remove(), kind === "bad" ? 8000 : 4500);
  return note;
}

/** A refused or failed request; `code` is the server's, or "offline". */
export class ApiError extends Error {
  constructor(message, { status = 0, code = "", body = null } = {}) {
    super(message);
    Object.assign(this, { status, code, body });
  }
}

/** Sends a request and returns the response's JSON, or its text. `body` is sent as JSON, `key` as a bearer token. What is
 * only read is asked for again while the server's store fails. */
export async function api(path, options = {}) {
  for (let failures = 1; ; failures++) {
    try {
      return await request(path, options);
    } catch (error) {
      if (error.code !== "unavailable" || options.method || options.body !== undefined || failures > MOST_RETRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, failures * RETRY_MS));
    }
  }
}

async function request(path, { method, body, key, signal, headers = {} } = {}) {
  const options = { method: method ?? (body === undefined ? "GET" : "POST"), headers: { Accept: "application/json", ...headers }, signal };
  if (key) options.headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let response;
  try {
    response = await fetch(at(path), options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(t("error.offline"), { code: "offline" });
  }
  const isJson = (response.headers.get("content-type") ?? "").includes("json");
  const content = isJson ? await response.json() : await response.text();
  if (response.ok) return content;
  throw refusal(response, isJson ? content : {});
}

/** The lines of a response that the server writes bit by bit, each of them JSON. A line with a code is a refusal. */
export async function* streamed(path, { signal } = {}) {
  const response = await fetch(at(path), { signal }).catch((error) => {
    throw error.name === "AbortError" ? error : new ApiError(t("error.offline"), { code: "offline" });
  });
  if (!response.ok) throw refusal(response, await response.json().catch(() => ({})));
  let rest = "";
  for (const reader = response.body.pipeThrough(new TextDecoderStream()).getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) return;
    const found = (rest + value).split("\n");
    rest = found.pop();
    for (const line of found.map((text) => JSON.parse(text))) {
      if (line.code) throw refusal(response, line);
      yield line;
    }
  }
}

function refusal(response, content) {
  const code = content.code ?? content.error ?? "";
  const wait = response.headers.get("retry-after");
  const details = [content.details ?? []].flat().join("; ");
  const known = response.status === 429 && code !== "too_many_games" ? t("error.too_fast", { seconds: wait ?? 60 }) : null;
  const message = known ?? problemText({ code, message: content.code ? content.error : details, retryAfter: Number(wait) });
  return new ApiError(message || t("error.status", { status: response.status }), { status: response.status, code, body: content });
}

/** The last part of a path, decoded if it's valid. */
export function lastOf(path) {
  const last = path.split("/").at(-1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Runs `work`, which fills the page, and shows an error page if it fails. */
export async function fill(main, work) {
  main.setAttribute("aria-busy", "true");
  try {
    await work();
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!(error instanceof ApiError)) console.error(error);
    main.replaceChildren(failure(error));
  } finally {
    main.removeAttribute("aria-busy");
  }
}

export function failure(error) {
  const title = error.status === 404 ? t("error.not_found") : t("error.title");
  const text = error instanceof ApiError && error.status !== 404 ? error.message : error.status === 404 ? t("error.not_found.text") : t("error.unexpected");
  const again = error.status === 404 ? null : h("button", { class: "primary", type: "button", onclick: () => location.reload() }, icon("again"), t("error.again"));
  return h("div", { class: "empty", role: "alert" }, icon("lost"), h("h1", {}, title), h("p", {}, text),
    h("div", { class: "row" }, again, h("a", { class: again ? "button plain" : "button", href: "/" }, t("error.home"))));
}

/** Copies a text and confirms it. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("shell.copied"), "good");
  } catch {
    toast(t("shell.copy_failed"), "bad");
  }
}
