// Every text of the page, by its key. English is always there; another language is loaded when it is wanted.
import pages from "./strings/en-pages.js";
import play from "./strings/en-play.js";

export const LANGUAGES = { en: "English", de: "Deutsch" };
export const language = document.documentElement.lang in LANGUAGES ? document.documentElement.lang : "en";

const strings = { ...pages, ...play, ...(language === "de" ? (await import("./strings/de.js")).default : {}) };
const plurals = new Intl.PluralRules(language);

/** The text of a key, with `{name}` replaced by `values.name`. A key that is not there is shown as it is. */
export function t(key, values = {}) {
  const text = strings[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The same for a number of things: `key_one` or `key_other`, with `{count}`. */
export function tn(key, count, values = {}) {
  return t(`${key}_${plurals.select(count)}`, { count: number(count), ...values });
}

export function has(key) {
  return key in strings;
}

/** The text of `prefix + word`, or the word itself where the page has none for it, as for a reason it does not know. */
export function word(prefix, name) {
  return has(prefix + name) ? t(prefix + name) : String(name).replaceAll("_", " ");
}

/** Why the server refused, in the page's words; in the server's own where the page has none for its code. */
export function whyNot({ code, message }) {
  return has(`problem.${code}`) ? t(`problem.${code}`) : message;
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

/** A length of time as people say it, on one line: 4 min 12 s. */
export function duration(seconds) {
  return spelled(seconds).replaceAll(" ", "\u00a0");
}

function spelled(seconds) {
  const whole = Math.round(seconds);
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60];
  if (hours) return t("time.hours", { hours, minutes });
  return minutes ? t("time.minutes", { minutes, seconds: rest }) : t("time.seconds", { seconds: rest });
}
