// A tenant's own data over /v1.
import { api } from "../shell.js";

const KEY = "ludus-tenant-key";

export function storedKey() {
  return sessionStorage.getItem(KEY);
}

export function storeKey(key) {
  sessionStorage.setItem(KEY, key);
}

export function clearKey() {
  sessionStorage.removeItem(KEY);
}

export class Tenant extends EventTarget {
  #key;

  constructor(key) {
    super();
    this.#key = key;
  }

  get isLive() { return this.#key.startsWith("ludus_live_"); }

  about() { return this.request("/v1/tenant"); }
  sessions() { return this.request("/v1/tenant/sessions?limit=50"); }
  deliveries(state) { return this.request(`/v1/tenant/deliveries?limit=50${state ? `&state=${state}` : ""}`); }
  resend(id) { return this.request(`/v1/tenant/deliveries/${encodeURIComponent(id)}/replay`, { method: "POST" }); }
  cancel(session) { return this.request(`/v1/sessions/${encodeURIComponent(session)}`, { method: "DELETE" }); }
  exportPlayer(id) { return this.request(`/v1/players/${encodeURIComponent(id)}/export`); }
  deletePlayer(id) { return this.request(`/v1/players/${encodeURIComponent(id)}`, { method: "DELETE" }); }
  exportAll() { return this.request("/v1/tenant/export"); }
  deleteAll() { return this.request("/v1/tenant", { method: "DELETE" }); }

  /** Creates a key; a new live key replaces the one in use here. */
  async rotate(kind, keep) {
    const made = await this.request("/v1/tenant/keys", { body: { kind, keep } });
    if (kind === "live") {
      this.#key = made.key;
      this.dispatchEvent(new CustomEvent("rotated", { detail: made.key }));
    }
    return made;
  }

  request(path, options = {}) {
    return api(path, { ...options, key: this.#key });
  }
}
