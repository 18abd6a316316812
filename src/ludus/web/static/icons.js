// Icons of one color, drawn on 24 × 24.
const SVG = "http://www.w3.org/2000/svg";

const PATHS = {
  play: "M4 4h7v7H4zM13 13h7v7h-7zM13 4h7v7h-7zM4 13h7v7H4z",
  puzzles: "M10 4.500a2 2 0 0 1 4 0V6h4a1 1 0 0 1 1 1v4h-1.500a2 2 0 0 0 0 4H19v4a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-4h1.500a2 2 0 0 0 0-4H5V7a1 1 0 0 1 1-1h4z",
  watch: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z",
  games: "M8 21h8M12 17v4M7 4h10v6a5 5 0 0 1-10 0zM7 6H4v1a3 3 0 0 0 3 3M17 6h3v1a3 3 0 0 1-3 3",
  tournaments: "M3 4h6v7M3 18h6v-7M9 11h5M14 7h7v8h-7z",
  fire: "M12 3c.500 4 5 6 5 10.500a5 5 0 0 1-10 0c0-2.500 1.200-3.800 2.300-5.300.400 1.300.900 1.900 1.700 2.300.500-2.500.400-4.800 1-7.500z",
  me: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4.500 3.500-7 8-7s8 2.500 8 7",
  embed: "M9 7l-5 5 5 5M15 7l5 5-5 5",
  dashboard: "M4 20V11M10 20V4M16 20v-6M21 20H3",
  first: "M18 6l-7 6 7 6zM6 6v12",
  back: "M15 6l-7 6 7 6z",
  next: "M9 6l7 6-7 6z",
  last: "M6 6l7 6-7 6zM18 6v12",
  run: "M7 5l12 7-12 7z",
  tutor: "M2 9l10-5 10 5-10 5zM6 11.500v5c3 2.700 9 2.700 12 0v-5M22 9v6",
  pause: "M8 5v14M16 5v14",
  flip: "M7 4v14l-3-3M17 20V6l3 3",
  share: "M12 15V4M8 8l4-4 4 4M5 13v6h14v-6",
  download: "M12 4v11M8 11l4 4 4-4M5 19h14",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  light: "M9 18h6M10 21h4M12 3a6 6 0 0 0-4 10.5c.8.7 1 1.5 1 2.5h6c0-1 .2-1.8 1-2.5A6 6 0 0 0 12 3z",
  offline: "M3 3l18 18M8.500 16a5 5 0 0 1 7 0M5 12.500a10 10 0 0 1 5-2.800M19 12.500a10 10 0 0 0-4-2.500M2 9a15 15 0 0 1 4-2.500M22 9A15 15 0 0 0 10.500 5M12 19.500v.01",
  lost: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM9 9.5a3 3 0 1 1 4 2.8c-.8.3-1 .9-1 1.7M12 17.5v.01",
  people: "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2 20c0-4 3-6 7-6s7 2 7 6M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5c2.5.7 4 2.500 4 5.500",
  robot: "M5 9h14v10H5zM12 9V5M12 5v.01M9 13v2M15 13v2M2 13v3M22 13v3",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4 21c0-4.500 3.500-7 8-7s8 2.500 8 7",
  key: "M8 11a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM11 12l9-9M16 7l3 3",
  rules: "M5 4h9a3 3 0 0 1 3 3v13H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h9M9 8h4",
  say: "M4 5h16v11H11l-5 4v-4H4zM8 9h8M8 12h5",
  check: "M5 13l4 4L19 7",
  close: "M6 6l12 12M18 6L6 18",
  again: "M4 12a8 8 0 1 0 3-6.200M7 3v3.500h3.500",
  flag: "M5 21V4M5 5h12l-2.500 4L17 13H5",
  sound: "M4 9.500h4l5-4.500v14l-5-4.500H4zM16.500 9a4 4 0 0 1 0 6M19 6.500a8 8 0 0 1 0 11",
  mute: "M4 9.500h4l5-4.500v14l-5-4.500H4zM17 10l4 4M21 10l-4 4",
  appearance: "M12 3a9 9 0 1 0 0 18c1.200 0 2-.8 2-1.900 0-1.300-1-1.600-1-2.700s.9-1.900 2.200-1.900H17a4 4 0 0 0 4-4C21 6.300 17 3 12 3zM7.500 12v.01M9.500 7.800v.01M14.500 7.800v.01",
};
const FILLED = new Set(["play", "run"]);
const SOLID = new Set(["first", "back", "next", "last"]);

/** A decorative icon; its meaning is in the text next to it or in the button's label. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" })) svg.setAttribute(key, value);
  if (name === "logo") drawLogo(svg);
  else if (name === "draw") drawHalf(svg);
  else draw(svg, "path", { d: PATHS[name] ?? PATHS.lost, class: FILLED.has(name) ? "fill" : SOLID.has(name) ? "fill line" : "line" });
  return svg;
}

/** A king on a die. */
function drawLogo(svg) {
  draw(svg, "rect", { x: 2, y: 2, width: 20, height: 20, rx: 5.5, class: "logo-back" });
  draw(svg, "circle", { cx: 12, cy: 12, r: 6.2, class: "logo-piece" });
  draw(svg, "circle", { cx: 12, cy: 12, r: 3.4, class: "logo-ring" });
}

function drawHalf(svg) {
  draw(svg, "text", { x: 12, y: 17, "text-anchor": "middle", "font-size": 17, "font-weight": 700, fill: "currentcolor" });
  svg.lastChild.textContent = "½";
}

function draw(svg, tag, attributes) {
  const shape = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
  svg.append(shape);
}
