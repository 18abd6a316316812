// Every text of the page by its key. English is always there; another language is loaded when it's needed.
import english from "./games/en.js";
import { GAMES } from "./games/index.js";
import { LANGUAGES, texts } from "./languages.js";
import pages from "./strings/en/pages.js";
import play from "./strings/en/play.js";

export const language = Object.hasOwn(LANGUAGES, document.documentElement.lang) ? document.documentElement.lang : "en";

const facts = Object.fromEntries(Object.values(GAMES).map(({ id, title, description }) => [id, { title, tagline: description, text: description }]));
const strings = { ...pages, ...play, ...prefixed(facts), ...prefixed(english), ...(language === "en" ? {} : await translated()) };
const plurals = new Intl.PluralRules(language);

async function translated() {
  const { page, games } = await texts(language);
  return { ...page, ...prefixed(games) };
}

/** The texts of games, each key with its game's name in front. */
function prefixed(games) {
  return Object.fromEntries(Object.entries(games).flatMap(([game, texts]) => Object.entries(texts).map(([key, text]) => [`${game}.${key}`, text])));
}

/** Adds the texts of a part of the page that others don't need. */
export function addTexts(...parts) { Object.assign(strings, ...parts); }

/** The text of a key, with `{name}` replaced by `values.name`. An unknown key is shown as it is. */
export function t(key, values = {}) {
  const text = strings[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The same for a count of things: `key_one`, `key_other` or another of the language's plural forms, with `{count}`. */
export function tn(key, count, values = {}) {
  const form = `${key}_${plurals.select(count)}`;
  return t(has(form) ? form : `${key}_other`, { count: number(count), ...values });
}

/** The text with a capital, as it begins a sentence. */
export const sentence = (text) => text.charAt(0).toLocaleUpperCase(language) + text.slice(1);

export function has(key) {
  return key in strings;
}

/** The text of `prefix + name`, or the name itself if the page has no text for it. */
export function word(prefix, name) {
  return has(prefix + name) ? t(prefix + name) : String(name).replaceAll("_", " ");
}

/** A game's own text, or else the page's text for the same key, or else the last part of the key itself. */
export function gameWord(game, prefix, name) {
  return has(`${game}.${prefix}${name}`) ? t(`${game}.${prefix}${name}`) : word(prefix, name);
}

export const gameName = (game) => word(`${game}.`, "title");

/** All games in one phrase: "Checkers and Backgammon". */
export const gameNames = () => new Intl.ListFormat(language).format(Object.keys(GAMES).map(gameName));

/** A board's labels in the page's language; boards know English themselves. */
export function boardLabels(game) {
  const prefix = `${game}.board.`;
  return Object.fromEntries(Object.keys(strings).filter((key) => key.startsWith(prefix)).map((key) => [key.slice(prefix.length), strings[key]]));
}

/** Why the server refused, in the page's words, with the server's own as `detail`; only those if the page has none. */
export function problemText({ code, message, retryAfter }) {
  return has(`problem.${code}`) ? t(`problem.${code}`, { wait: longDuration(retryAfter ?? 60), detail: message }) : message;
}

/** "12 minutes" or "30 days", in the page's language; in a smaller unit below two of the next. */
export function longDuration(seconds) {
  const [unit, size] = UNITS.find(([, size]) => seconds >= 2 * size) ?? UNITS.at(-1);
  return number(Math.ceil(seconds / size), { style: "unit", unit, unitDisplay: "long" });
}

export function number(value, options = {}) {
  return new Intl.NumberFormat(language, options).format(value);
}

export function date(value, options = { dateStyle: "medium", timeStyle: "short" }) {
  return new Intl.DateTimeFormat(language, options).format(new Date(value));
}

const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

/** "3 minutes ago", in the page's language. */
export function ago(value, now = Date.now()) {
  const seconds = Math.round((new Date(value).getTime() - now) / 1000);
  const [unit, size] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? UNITS.at(-1);
  return new Intl.RelativeTimeFormat(language, { numeric: "auto", style: "short" }).format(Math.round(seconds / size), unit);
}

/** A length of time without line breaks: 4 min 12 s. */
export function duration(seconds) {
  return durationText(Math.round(seconds)).replaceAll(" ", "\u00a0");
}

function durationText(whole) {
  const [hours, minutes, seconds] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours) return t("time.hours", { hours, minutes });
  return minutes ? t("time.minutes", { minutes, seconds }) : t("time.seconds", { seconds });
}
