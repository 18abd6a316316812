// A disc with the first letter of a name, in the color that its person chose.
import { h } from "./shell.js";

export const COLORS = ["red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"];

/** Decorative: the name is beside it. `size` is "" or "large". */
export function avatar({ name, color }, size = "") {
  const [letter = ""] = name.trim();
  return h("span", { class: ["monogram", `monogram-${COLORS.includes(color) ? color : "teal"}`, size].filter(Boolean).join(" "), "aria-hidden": "true" }, letter.toUpperCase());
}
