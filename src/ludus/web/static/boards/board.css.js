// The style all boards share. Every color is a custom property, so that a page or a session's theme can change it.

export const BOARD_STYLE = `
:host {
  --_light: var(--ludus-light, var(--theme-light, light-dark(#eedfc4, #cdb995)));
  --_dark: var(--ludus-dark, var(--theme-dark, light-dark(#a8764e, #855c3d)));
  --_frame: var(--ludus-frame, var(--theme-frame, light-dark(#6d4a30, #4b3322)));
  --_felt: var(--ludus-felt, var(--theme-felt, light-dark(#dfcba6, #a58f6b)));
  --_point-a: var(--ludus-point-a, var(--theme-point-a, light-dark(#a5643d, #7d4a2d)));
  --_point-b: var(--ludus-point-b, var(--theme-point-b, light-dark(#f6ecd8, #d0bd9b)));
  --_first: var(--ludus-first, var(--theme-red, #c8322b));
  --_first-edge: var(--ludus-first-edge, var(--theme-red-edge, #5e0d0b));
  --_first-mark: var(--ludus-first-mark, var(--theme-red-mark, #ffd9cf));
  --_second: var(--ludus-second, var(--theme-black, #33302e));
  --_second-edge: var(--ludus-second-edge, var(--theme-black-edge, #0f0d0c));
  --_second-mark: var(--ludus-second-mark, var(--theme-black-mark, #b9b0a8));
  --_accent: var(--ludus-accent, #286f46);
  --_last: var(--ludus-last, #f2c230);
  --_ring-edge: #1d1405;
  --_advice: var(--ludus-advice, #1b5fc1);
  display: block;
  position: relative;
  font: 500 14px/1.3 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-user-select: none;
  user-select: none;
}
/* A board with a theme of its own takes nothing from the person's themes. */
:host([themed]) {
  --theme-light: initial; --theme-dark: initial; --theme-frame: initial; --theme-felt: initial; --theme-point-a: initial;
  --theme-point-b: initial; --theme-coord: initial; --theme-red: initial; --theme-red-edge: initial; --theme-red-mark: initial;
  --theme-black: initial; --theme-black-edge: initial; --theme-black-mark: initial; --theme-white: initial; --theme-white-edge: initial;
  --theme-white-mark: initial; --theme-gloss: initial; --theme-shade: initial; --theme-rim: initial; --theme-groove: initial;
  --theme-edge: initial;
}
:host([hidden]) { display: none; }
.stage { position: relative; width: 100%; }
svg { display: block; width: 100%; height: 100%; overflow: visible; }
.plate { border-radius: 1.4%; overflow: hidden; position: absolute; inset: 0;
  box-shadow: 0 1px 2px rgb(0 0 0 / .18), 0 10px 30px -10px rgb(0 0 0 / .35); }
.pieces-layer, .cells { position: absolute; inset: 0; }
.cells.live { touch-action: none; }
:host([compact]) .cells { display: none; }
:host([compact]) .plate { box-shadow: 0 1px 2px rgb(0 0 0 / .2); border-radius: 2.4%; }

.cell { position: absolute; outline: none; border-radius: 6px; -webkit-tap-highlight-color: transparent; }
.cell:focus-visible { box-shadow: inset 0 0 0 3px var(--_accent), inset 0 0 0 5px #fff; z-index: 2; }
.cell[data-mark] { cursor: pointer; }
.cell[data-mark="source"], .cell[data-mark="selected"] { cursor: grab; }
.dragging .cell { cursor: grabbing; }

.coord { font: 600 15px system-ui, sans-serif; fill: var(--theme-coord, var(--_light)); fill-opacity: .85; pointer-events: none; }
.under .last { fill: var(--_last); fill-opacity: .42; }
.under .selected { fill: var(--_accent); fill-opacity: .55; }
.over { pointer-events: none; }
.over .dot { fill: var(--_accent); stroke: #fff; stroke-width: 3; opacity: .92; }
.ring { fill: none; stroke: var(--_accent); stroke-width: 6; pointer-events: none; paint-order: stroke; animation: ring .8s ease-in-out 3; }
@keyframes ring { 50% { stroke-width: 12; stroke: #fff; } }
.over .hover { fill: none; stroke: #fff; stroke-width: 5; opacity: .85; }
.arrow { pointer-events: none; opacity: .9; }
.arrow .shaft { fill: none; stroke-width: 11; stroke-linecap: round; stroke-linejoin: round; stroke: var(--_advice); }
.arrow .stop, .arrow .head { fill: var(--_advice); stroke: var(--_advice); stroke-width: 2; stroke-linejoin: round; }
.arrow.other { opacity: .42; }
.arrow.premove { --_advice: var(--_accent); opacity: .75; }
.arrow .edge .shaft { stroke: #fff; stroke-width: 17; }
.arrow .edge .stop, .arrow .edge .head { fill: #fff; stroke: #fff; stroke-width: 8; }
.arrow .tally circle { fill: var(--_advice); stroke: #fff; stroke-width: 3; }
.arrow .tally text { fill: #fff; font: 700 20px system-ui, sans-serif; text-anchor: middle; dominant-baseline: central; }

.piece { pointer-events: none; transform-box: view-box; transform-origin: 0 0; }
.piece .shade { fill: #000; fill-opacity: var(--theme-shade, .3); }
.piece .gloss { fill-opacity: var(--theme-gloss, 1); }
.piece .body { stroke-width: var(--theme-edge, 3); }
/* stroke-opacity and fill-opacity instead of opacity: an element's opacity costs a compositing layer, and a board has a hundred pieces. */
.piece .rim, .piece .groove { fill: none; stroke-width: 3; }
.first .body { fill: var(--_first); stroke: var(--_first-edge); }
.first .rim { stroke: var(--_first-mark); stroke-opacity: var(--theme-rim, .8); }
.first .groove { stroke: var(--_first-edge); stroke-opacity: var(--theme-groove, .75); }
.second .body { fill: var(--_second); stroke: var(--_second-edge); }
.second .rim { stroke: var(--_second-mark); stroke-opacity: var(--theme-rim, .75); }
.second .groove { stroke: var(--_second-mark); stroke-opacity: var(--theme-groove, .5); stroke-dasharray: 5 5; }
.crown { fill: #ffd75e; stroke: #6b4a00; stroke-width: 2; stroke-linejoin: round; }
/* The ring has a dark line around it: one of the two stands out on any square. */
.halo, .halo-edge { visibility: hidden; fill: none; stroke: var(--_last); stroke-width: 5; }
.halo-edge { stroke: var(--_ring-edge); stroke-width: 8; }
.movable :is(.halo, .halo-edge), .picked :is(.halo, .halo-edge) { visibility: visible; }
.picked .halo { stroke: #fff; }
.lifted .shade { transform: translate(3px, 9px); opacity: .8; }
.lifted .lift { transform: scale(1.1); }
.lift { transition: transform .12s ease-out; }
.ghost { opacity: .38; }

button { font: inherit; color: inherit; }
.live-region { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
@media (forced-colors: active) { svg { forced-color-adjust: none; } .cell:focus-visible { outline: 3px solid Highlight; } }
`;

const sheets = new Map();

/** A style sheet for a shadow tree, shared by all elements of a page; it needs no inline style. */
export function styleSheet(text) {
  if (!sheets.has(text)) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
    sheets.set(text, sheet);
  }
  return sheets.get(text);
}
