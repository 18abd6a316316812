// A line about what was just tried or has to be decided, with its buttons. One at a time; it's announced when it appears.

import { h } from "../shell.js";

export function prompt() {
  const element = h("div", { class: "prompt", role: "status" });
  let shown = null;
  let timer = null;
  const clear = (name = shown) => {
    if (name !== shown) return;
    clearTimeout(timer);
    shown = null;
    element.replaceChildren();
  };
  /** `name` identifies the owner of the line; `buttons` are `[label, act, look]`. It disappears after `ms`, or stays. */
  const show = (name, text, { buttons = [], ms = 0 } = {}) => {
    clearTimeout(timer);
    shown = name;
    element.dataset.prompt = name;
    element.replaceChildren(h("p", {}, text), buttons.length ? h("div", { class: "row" }, buttons.map(([label, act, look]) => h("button", { class: look, type: "button", onclick: act }, label))) : "");
    if (ms) timer = setTimeout(() => clear(name), ms);
  };
  return { element, show, clear, get shown() { return shown; } };
}
