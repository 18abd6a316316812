// Themes of boards and styles of pieces that people choose for themselves: custom properties of the document, which every
// board inherits. A session's own theme, which is set on its board, replaces them all.
import { get, listen } from "../preferences.js";

/** Board themes by name; "classic" is the boards' own default. */
export const BOARD_THEMES = Object.freeze({
  classic: {},
  tournament: { light: "#f1e7c6", dark: "#5f8f63", frame: "#2b4a31", felt: "#cfe0c4", "point-a": "#3f7a52", "point-b": "#fbf4dc", coord: "#10240f" },
  ocean: { light: "#e3edf2", dark: "#6896b0", frame: "#1f4257", felt: "#cfe1ea", "point-a": "#3f7796", "point-b": "#f7fbfd", coord: "#0b2230" },
  slate: { light: "#e4e4e2", dark: "#8f9498", frame: "#3a3f44", felt: "#d3d6d8", "point-a": "#6c737a", "point-b": "#f4f4f3", coord: "#1d2023" },
  contrast: { light: "#ffffff", dark: "#909090", frame: "#000000", felt: "#e6e6e6", "point-a": "#8a8a8a", "point-b": "#ffffff", coord: "#000000" },
});

/** Styles of pieces by name: colors, and how strong gloss, shade, rim, grooves and edge are. */
export const PIECE_THEMES = Object.freeze({
  classic: {},
  flat: {
    red: "#cc2f28", "red-edge": "#5e0d0b", "red-mark": "#ffd9cf", black: "#2b2826", "black-edge": "#0b0a09", "black-mark": "#c4bbb3",
    white: "#f8f2e6", "white-edge": "#4d3b22", "white-mark": "#b49c78", gloss: "0", shade: "0", rim: "1", groove: "1",
  },
  wood: {
    red: "#a8452c", "red-edge": "#45150a", "red-mark": "#f2c9a4", black: "#3a2418", "black-edge": "#140a05", "black-mark": "#d9b58a",
    white: "#e9d3a6", "white-edge": "#4f3a17", "white-mark": "#a98550", gloss: "0.6", groove: "0.9",
  },
  bold: {
    red: "#c4001a", "red-edge": "#000000", "red-mark": "#ffffff", black: "#000000", "black-edge": "#ffffff", "black-mark": "#ffffff",
    white: "#ffffff", "white-edge": "#000000", "white-mark": "#000000", gloss: "0", rim: "1", groove: "1", edge: "5",
  },
});

export const THEMES = Object.freeze({ boardTheme: BOARD_THEMES, pieceTheme: PIECE_THEMES });
let isApplied = false;

/** Applies the person's themes to the document, now and after each change. */
export function applyThemes() {
  if (isApplied) return;
  isApplied = true;
  const apply = (preference) => showTheme(document.documentElement, preference, get(preference));
  for (const preference of Object.keys(THEMES)) apply(preference);
  listen((name) => name in THEMES && apply(name));
}

/** Applies a theme to the boards inside an element; an unknown name counts as "classic". */
export function showTheme(element, preference, name) {
  const themes = THEMES[preference];
  const theme = Object.hasOwn(themes, name) ? themes[name] : {};
  for (const property of new Set(Object.values(themes).flatMap(Object.keys))) element.style.setProperty(`--theme-${property}`, theme[property] ?? "initial");
}
