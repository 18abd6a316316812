// Who plays in this browser. The server knows by a cookie that scripts cannot read; a copy of name and color is kept here,
// so that pages can show them at once. There is nobody until the first game, or the first change at /me.
import { chosenOnes, get, isValid, listen as listenToPreferences, set } from "./preferences.js";
import { ApiError, api, store, stored } from "./shell.js";
import { t } from "./strings.js";

const STORAGE_KEY = "ludus-person";
const UNSENT_KEY = "ludus-unsent-preferences";
/** Time to change several preferences before they are sent. */
const SEND_MS = 400;
const listeners = new Set();
let current = read(STORAGE_KEY);
let loading = null;
let timer = null;

/** `{id, name, color}` as far as this browser knows, or null. */
export function person() {
  return current;
}

/** Asks the server, once for all callers at a time: the whole person, or null. */
export function loadPerson() {
  loading ??= api("/web/me").then(({ person }) => learn(person)).finally(() => (loading = null));
  return loading;
}

/** Changes name, color or preferences; this creates the person if there is none. */
export async function changePerson(fields) {
  return learn((await api("/web/me", { method: "PATCH", body: fields })).person);
}

/** As `api`, for what only a person can do. A person who was signed out from another device finds out here. */
export async function personApi(path, options) {
  try {
    return await api(path, options);
  } catch (error) {
    if (error.status !== 401) throw error;
    await loadPerson();
    throw new ApiError(t("me.signed_out"), error);
  }
}

/** Stores the server's answer about the person; null if there is none. */
export function learn(found) {
  current = found && { id: found.id, name: found.name, color: found.color };
  keep(STORAGE_KEY, current);
  if (found) adopt(found.preferences);
  for (const listener of listeners) listener(found);
  return found;
}

/** Calls `listener(person)` after each answer about the person, and returns a function that ends it. */
export function listenToPerson(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The server's preferences win, except over changes here that have not reached it yet. */
function adopt(preferences) {
  const unsent = new Set(read(UNSENT_KEY) ?? []);
  for (const [name, value] of Object.entries(preferences)) if (!unsent.has(name) && isValid(name, value)) set(name, value, "server");
  for (const name of Object.keys(chosenOnes())) if (!(name in preferences)) unsent.add(name);
  if (unsent.size) sendLater(unsent);
}

listenToPreferences((name, _value, source) => {
  if (source === "here") sendLater([...(read(UNSENT_KEY) ?? []), name]);
});

function sendLater(names) {
  keep(UNSENT_KEY, [...new Set(names)]);
  if (!current) return; // sent with the first answer about the person
  clearTimeout(timer);
  timer = setTimeout(send, SEND_MS);
}

async function send() {
  const names = (read(UNSENT_KEY) ?? []).filter((name) => isValid(name, get(name)) && get(name) !== "");
  keep(UNSENT_KEY, null);
  if (!names.length) return;
  try {
    await changePerson({ preferences: Object.fromEntries(names.map((name) => [name, get(name)])) });
  } catch (error) {
    if (error.status < 400 || error.status >= 500) keep(UNSENT_KEY, names); // tried again on the next page
  }
}

/** Null deletes the entry. */
function keep(key, value) {
  if (value !== null) store(key, JSON.stringify(value));
  else if (stored(key) !== null) localStorage.removeItem(key);
}

function read(key) {
  try {
    return JSON.parse(stored(key));
  } catch {
    return null;
  }
}
