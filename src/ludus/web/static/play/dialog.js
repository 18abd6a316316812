// A question with a few answers.

import { h } from "../shell.js";

/** More answers are below each other. */
const MOST_BESIDE = 3;
let count = 0;

/** Resolves to the value of the chosen answer, or to "" if the dialog was dismissed. Each answer is `[value, label, look]`;
 * the last one has the focus, so it should be the harmless one. */
export function ask({ title, text, answers }) {
  const id = `question-${++count}`;
  const buttons = answers.map(([value, label, look], at) => h("button", { class: look, value, autofocus: at === answers.length - 1 }, label));
  const dialog = h("dialog", { class: "confirm", "aria-labelledby": id },
    h("h2", { id }, title),
    [text].flat().filter(Boolean).map((each) => h("p", {}, each)),
    h("form", { method: "dialog", class: answers.length > MOST_BESIDE ? "column" : "row" }, buttons));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}
