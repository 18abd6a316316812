// What all pages have: header, navigation, switches, short messages, and requests that say what went wrong.
import { LANGUAGES, language, t, whyNot } from "./strings.js";
import { icon } from "./icons.js";

const PLACES = [
  ["play", "/"],
  ["watch", "/watch"],
  ["games", "/games"],
  ["embed", "/embed"],
  ["dashboard", "/dashboard"],
];
const THEMES = ["auto", "light", "dark"];

/** An element: attributes as they are written in HTML, `on…` as listeners, other values than text as properties. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (typeof value === "object" || typeof value === "function") element[name] = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Draws what is around a page; returns its `<main>`, to be filled. */
export function mount({ active = "", title = "" } = {}) {
  document.title = title ? `${title} · Ludus` : `Ludus · ${t("shell.motto")}`;
  const main = document.querySelector("main") ?? document.body.appendChild(h("main", { id: "main" }));
  main.tabIndex = -1;
  const skip = h("a", { class: "skip", href: "#main" }, t("shell.skip"));
  document.body.prepend(skip, header(active));
  document.body.append(tabs(active), h("div", { class: "toasts", role: "status", "aria-live": "polite" }));
  return main;
}

function header(active) {
  const logo = h("a", { class: "logo", href: "/", "aria-label": t("shell.home") }, icon("logo"), h("span", {}, "Ludus"));
  const links = h("nav", { class: "nav", "aria-label": t("shell.navigation") }, PLACES.map((place) => link(place, active)));
  return h("header", { class: "top" }, logo, links, h("div", { class: "switches" }, languageSwitch(), themeSwitch()));
}

function tabs(active) {
  const links = PLACES.map(([name, href]) => link([name, href], active, icon(name)));
  return h("nav", { class: "tabs", "aria-label": t("shell.tabs") }, links);
}

function link([name, href], active, ...before) {
  const current = name === active ? "page" : null;
  return h("a", { href, "aria-current": current }, ...before, h("span", {}, t(`shell.${name}`)));
}

function languageSwitch() {
  const next = Object.keys(LANGUAGES).find((code) => code !== language);
  const label = t("shell.language", { language: LANGUAGES[next] });
  const choose = () => {
    keep("ludus-language", next);
    tellServer("ludus-language", next);
    const address = new URL(location.href);
    address.searchParams.delete("lang");
    location.replace(address);
  };
  return h("button", { class: "switch", type: "button", lang: next, "aria-label": label, title: label, onclick: choose }, next.toUpperCase());
}

function themeSwitch() {
  const button = h("button", { class: "switch", type: "button" });
  const show = () => {
    const now = document.documentElement.dataset.theme ?? "auto";
    const label = t("shell.theme", { theme: t(`shell.theme.${now}`) });
    button.replaceChildren(icon(`theme-${now}`));
    button.setAttribute("aria-label", label);
    button.title = label;
  };
  button.addEventListener("click", () => {
    const now = document.documentElement.dataset.theme ?? "auto";
    const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
    if (next === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    keep("ludus-theme", next);
    tellServer("ludus-theme", next);
    show();
  });
  show();
  return button;
}

/** Remembers a choice in this browser, where it lets us. */
export function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // a browser that keeps nothing: the choice lasts as long as the page
  }
}

/** The page for claiming an agent runs no script: the server, which writes it, has to know the choice. */
function tellServer(name, value) {
  document.cookie = `${name}=${value}; path=/claim; max-age=31536000; samesite=lax`;
}

/** What `keep` remembers, or null. */
export function kept(key) {
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

/** What the server refused, or that it could not be asked: `code` is the server's word for it. */
export class ApiError extends Error {
  constructor(message, { status = 0, code = "", body = null } = {}) {
    super(message);
    Object.assign(this, { status, code, body });
  }
}

/** Asks the server; returns what its JSON says, or its text. `body` is sent as JSON, `key` as the bearer's key. */
export async function api(path, { method, body, key, signal, headers = {} } = {}) {
  const options = { method: method ?? (body === undefined ? "GET" : "POST"), headers: { Accept: "application/json", ...headers }, signal };
  if (key) options.headers.Authorization = `Bearer ${key}`;
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["Content-Type"] = "application/json";
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(t("error.offline"), { code: "offline" });
  }
  const isJson = (answer.headers.get("content-type") ?? "").includes("json");
  const said = isJson ? await answer.json() : await answer.text();
  if (answer.ok) return said;
  throw refusal(answer, isJson ? said : {});
}

function refusal(answer, said) {
  const code = said.code ?? said.error ?? "";
  const wait = answer.headers.get("retry-after");
  const details = [said.details ?? []].flat().join("; ");
  const known = answer.status === 429 ? t("error.too_fast", { seconds: wait ?? 60 }) : null;
  const message = known ?? whyNot({ code, message: said.code ? said.error : details });
  return new ApiError(message || t("error.status", { status: answer.status }), { status: answer.status, code, body: said });
}

/** The last part of an address; as it is written where that is no writing of anything. */
export function lastOf(path) {
  const last = path.split("/").at(-1);
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Runs what fills a page, and shows there what went wrong. */
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

/** Copies a text, and says so. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("shell.copied"), "good");
  } catch {
    toast(t("shell.copy_failed"), "bad");
  }
}

/** Hands the person a file. */
export function download(name, text, kind = "text/plain") {
  const address = URL.createObjectURL(new Blob([text], { type: kind }));
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
