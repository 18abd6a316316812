// The look of both boards. Colours are custom properties, so that a page or a session's theme can change each of them.

const text = `
:host {
  --_light: var(--ludus-light, light-dark(#eedfc4, #cdb995));
  --_dark: var(--ludus-dark, light-dark(#a8764e, #855c3d));
  --_frame: var(--ludus-frame, light-dark(#6d4a30, #4b3322));
  --_felt: var(--ludus-felt, light-dark(#dfcba6, #a58f6b));
  --_point-a: var(--ludus-point-a, light-dark(#a5643d, #7d4a2d));
  --_point-b: var(--ludus-point-b, light-dark(#f6ecd8, #d0bd9b));
  --_first: var(--ludus-first, #c8322b);
  --_first-edge: var(--ludus-first-edge, #8d1a17);
  --_first-mark: var(--ludus-first-mark, #ffd9cf);
  --_second: var(--ludus-second, #33302e);
  --_second-edge: var(--ludus-second-edge, #0f0d0c);
  --_second-mark: var(--ludus-second-mark, #b9b0a8);
  --_accent: var(--ludus-accent, #2f7d4f);
  --_last: var(--ludus-last, #f2c230);
  --_advice: var(--ludus-advice, #1b5fc1);
  display: block;
  position: relative;
  font: 500 14px/1.3 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  -webkit-user-select: none;
  user-select: none;
}
:host([hidden]) { display: none; }
:host(ludus-backgammon) {
  --_first: var(--ludus-first, #f6eee0);
  --_first-edge: var(--ludus-first-edge, #8f7b5e);
  --_first-mark: var(--ludus-first-mark, #b49c78);
}
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

.coord { font: 600 15px system-ui, sans-serif; fill: var(--_light); fill-opacity: .75; pointer-events: none; }
.pip { font: 600 17px system-ui, sans-serif; fill: var(--_light); text-anchor: middle; dominant-baseline: central; fill-opacity: .85; }
.hinge { fill: #d9b25c; stroke: #7d5d1e; stroke-width: 1.5; }
.seam { stroke: rgb(0 0 0 / .35); stroke-width: 2; }
.sunk { fill: none; stroke: rgb(0 0 0 / .28); stroke-width: 3; }
.under .last { fill: var(--_last); fill-opacity: .42; }
.under .selected { fill: var(--_accent); fill-opacity: .55; }
.over { pointer-events: none; }
.over .dot { fill: var(--_accent); stroke: #fff; stroke-width: 3; opacity: .92; }
.over .hover { fill: none; stroke: #fff; stroke-width: 5; opacity: .85; }
.arrow { pointer-events: none; opacity: .9; }
.arrow .shaft { fill: none; stroke-width: 11; stroke-linecap: round; stroke-linejoin: round; stroke: var(--_advice); }
.arrow .stop, .arrow .head { fill: var(--_advice); stroke: var(--_advice); stroke-width: 2; stroke-linejoin: round; }
.arrow .edge .shaft { stroke: #fff; stroke-width: 17; }
.arrow .edge .stop, .arrow .edge .head { fill: #fff; stroke: #fff; stroke-width: 8; }
.arrow .tally circle { fill: var(--_advice); stroke: #fff; stroke-width: 3; }
.arrow .tally text { fill: #fff; font: 700 20px system-ui, sans-serif; text-anchor: middle; dominant-baseline: central; }

.piece { pointer-events: none; transform-box: view-box; transform-origin: 0 0; }
.piece .shade { fill: rgb(0 0 0 / .30); }
.piece .body { stroke-width: 3; }
/* Opacity of a stroke or a fill is part of its colour; that of an element would be a layer for the browser, of which a board had a hundred. */
.piece .rim, .piece .groove { fill: none; stroke-width: 3; }
.first .body { fill: var(--_first); stroke: var(--_first-edge); }
.first .rim { stroke: var(--_first-mark); stroke-opacity: .8; }
.first .groove { stroke: var(--_first-edge); stroke-opacity: .75; }
.second .body { fill: var(--_second); stroke: var(--_second-edge); }
.second .rim { stroke: var(--_second-mark); stroke-opacity: .75; }
.second .groove { stroke: var(--_second-mark); stroke-opacity: .5; stroke-dasharray: 5 5; }
.crown { fill: #ffd75e; stroke: #6b4a00; stroke-width: 2; stroke-linejoin: round; }
.halo { visibility: hidden; fill: none; stroke: var(--_last); stroke-width: 5; }
.movable .halo, .picked .halo { visibility: visible; }
.picked .halo { stroke: #fff; }
.lifted .shade { transform: translate(3px, 9px); opacity: .8; }
.lifted .lift { transform: scale(1.1); }
.lift { transition: transform .12s ease-out; }
.ghost { opacity: .38; }
.slab { display: none; }
.piece.off .slab { display: block; }
.piece.off .round { display: none; }
.count { font: 700 22px system-ui, sans-serif; text-anchor: middle; dominant-baseline: central; paint-order: stroke; stroke-width: 5; stroke-linejoin: round; }
.first .count { fill: var(--_second); stroke: var(--_first); }
.second .count { fill: #fff; stroke: var(--_second); }
.piece.off .count { display: none; }

.die .face { stroke-width: 2; }
.die .shade { fill: rgb(0 0 0 / .26); }
.die.first .face { fill: #fffaf0; stroke: #b9a582; }
.die.second .face { fill: #2e2b29; stroke: #0c0b0a; }
.die.first circle { fill: #2b2624; }
.die.second circle { fill: #fff7e8; }
.die.used { opacity: .32; }
.die { transition: opacity .15s; }
.die .lead { display: none; fill: none; stroke: var(--_accent); stroke-width: 4; }
.die.active .lead { display: block; }

button { font: inherit; color: inherit; }
.swap { position: absolute; background: none; border: 0; border-radius: 10px; min-width: 44px; min-height: 44px; cursor: pointer; }
.swap:focus-visible, .controls button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; box-shadow: 0 0 0 5px #fff; }
.controls { position: absolute; display: flex; gap: 8px; justify-content: center; align-items: center; pointer-events: none; }
.controls button { pointer-events: auto; min-height: 44px; padding: 0 16px; border-radius: 22px; border: 0; font-weight: 650; cursor: pointer;
  box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
.controls .undo { background: #fffaf0; color: #2b1d12; }
.controls .confirm { background: var(--_accent); color: var(--ludus-on-accent, #fff); }
.controls button[hidden] { display: none; }
.said { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; animation: none !important; } }
@media (forced-colors: active) { svg { forced-color-adjust: none; } .cell:focus-visible { outline: 3px solid Highlight; } }
`;

let sheet;

/** The style sheet that all boards of a page share; made like this it needs no inline style. */
export function boardSheet() {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(text);
  }
  return sheet;
}
