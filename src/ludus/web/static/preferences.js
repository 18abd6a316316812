// A person's preferences by name: kept in this browser, and by `person.js` on the server for their other devices. Pages call
// `get(name)`, switches call `set(name, value)`, and views update through `listen`.
export const DEFAULTS = Object.freeze({
  sound: true,
  animation: true,
  autoRoll: true,
  confirmMoves: false,
  autoConfirm: false,
  premove: true,
  hints: true,
  tutor: false,
  arrows: true,
  phrases: true,
  boardTheme: "classic",
  pieceTheme: "classic",
  language: "",
  theme: "auto",
});

const STORAGE_KEY = "ludus-preferences";
/** Those that must be known before the first paint have a key of their own, which `theme.js` reads. */
const OWN_KEYS = { language: "ludus-language", theme: "ludus-theme" };
const listeners = new Set();
let chosen = read();

addEventListener("storage", ({ key }) => {
  if (key !== STORAGE_KEY && !Object.values(OWN_KEYS).includes(key)) return;
  const before = chosen;
  chosen = read(); // another tab has changed something
  for (const name of Object.keys(DEFAULTS)) if (before[name] !== chosen[name]) tell(name, "tab");
});

export function get(name) {
  return chosen[name] ?? DEFAULTS[name];
}

/** Sets a preference. `source` says who: "here", "tab" (another tab), or "server". */
export function set(name, value, source = "here") {
  if (!isValid(name, value)) throw new TypeError(`${name} cannot be ${value}`);
  if (chosen[name] === value) return;
  chosen[name] = value;
  write(name, value);
  tell(name, source);
}

/** All preferences that were ever set. */
export function chosenOnes() {
  return { ...chosen };
}

/** Calls `listener(name, value, source)` after each change, and returns a function that ends it. */
export function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function isValid(name, value) {
  return Object.hasOwn(DEFAULTS, name) && typeof value === typeof DEFAULTS[name];
}

function tell(name, source) {
  for (const listener of listeners) listener(name, get(name), source);
}

function read() {
  const found = {};
  try {
    for (const [name, value] of Object.entries(JSON.parse(localStorage.getItem(STORAGE_KEY)) ?? {})) if (isValid(name, value)) found[name] = value;
    for (const [name, key] of Object.entries(OWN_KEYS)) if (localStorage.getItem(key)) found[name] = localStorage.getItem(key);
  } catch {
    // no storage, or nothing that can be read: the defaults
  }
  return found;
}

function write(name, value) {
  try {
    if (name in OWN_KEYS) localStorage.setItem(OWN_KEYS[name], value);
    else localStorage.setItem(STORAGE_KEY, JSON.stringify(Object.fromEntries(Object.entries(chosen).filter(([each]) => !(each in OWN_KEYS)))));
  } catch {
    // no storage: the choice lasts as long as the page
  }
}
