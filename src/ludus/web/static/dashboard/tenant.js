// A tenant's own data over /v1.
import { api } from "../shell.js";

const KEY = "ludus-tenant-key";

export function kept() {
  return sessionStorage.getItem(KEY);
}

export function keepKey(key) {
  sessionStorage.setItem(KEY, key);
}

export function forget() {
  sessionStorage.removeItem(KEY);
}

export class Tenant extends EventTarget {
  #key;

  constructor(key) {
    super();
    this.#key = key;
  }

  get isLive() { return this.#key.startsWith("ludus_live_"); }

  about() { return this.ask("/v1/tenant"); }
  sessions() { return this.ask("/v1/tenant/sessions?limit=50"); }
  letters(state) { return this.ask(`/v1/tenant/deliveries?limit=50${state ? `&state=${state}` : ""}`); }
  replay(id) { return this.ask(`/v1/tenant/deliveries/${encodeURIComponent(id)}/replay`, { method: "POST" }); }
  create(session) { return this.ask("/v1/sessions", { body: session }); }

  /** A new key; if it takes the place of the one in use, it is used from now on. */
  async rotate(kind, keep) {
    const made = await this.ask("/v1/tenant/keys", { body: { kind, keep } });
    if (kind === "live") {
      this.#key = made.key;
      this.dispatchEvent(new CustomEvent("rotated", { detail: made.key }));
    }
    return made;
  }

  ask(path, options = {}) {
    return api(path, { ...options, key: this.#key });
  }
}
