// Pictures that only the play page has, drawn like the shell's icons on 24 × 24.

const SVG = "http://www.w3.org/2000/svg";
const PATHS = {
  flag: "M5 21V4M5 5h12l-2.500 4L17 13H5",
  sound: "M4 9.500h4l5-4.500v14l-5-4.500H4zM16.500 9a4 4 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11",
  mute: "M4 9.500h4l5-4.500v14l-5-4.500H4zM17 10l4 4M21 10l-4 4",
};

export function glyph(name) {
  if (name === "draw") return half();
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", PATHS[name]);
  path.setAttribute("class", "line");
  return picture(path);
}

/** A half each. */
function half() {
  const text = document.createElementNS(SVG, "text");
  for (const [key, value] of Object.entries({ x: 12, y: 17, "text-anchor": "middle", "font-size": 17, "font-weight": 700, fill: "currentcolor" })) text.setAttribute(key, value);
  text.textContent = "½";
  return picture(text);
}

function picture(shape) {
  const element = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" })) element.setAttribute(key, value);
  element.append(shape);
  return element;
}
