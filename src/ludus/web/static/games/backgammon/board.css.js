// What only a backgammon board has: points, trays, dice, the cube, and the buttons that end a play or turn the cube.

export const BACKGAMMON_STYLE = `
:host {
  --_first: var(--ludus-first, var(--theme-white, #f6eee0));
  --_first-edge: var(--ludus-first-edge, var(--theme-white-edge, #4d3b22));
  --_first-mark: var(--ludus-first-mark, var(--theme-white-mark, #b49c78));
}
.pip { font: 600 17px system-ui, sans-serif; fill: var(--_light); text-anchor: middle; dominant-baseline: central; fill-opacity: .85; }
.hinge { fill: #d9b25c; stroke: #7d5d1e; stroke-width: 1.5; }
.seam { stroke: rgb(0 0 0 / .35); stroke-width: 2; }
.sunk { fill: none; stroke: rgb(0 0 0 / .28); stroke-width: 3; }
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
.cube-shade { fill: rgb(0 0 0 / .3); }
.cube-body { fill: #fffaf0; stroke: #7d5d1e; stroke-width: 2; }
.cube-rim { fill: none; stroke: #d9b25c; stroke-width: 2; }
.cube-value { fill: #7a1712; font-family: Georgia, "Times New Roman", serif; font-weight: 700; text-anchor: middle; dominant-baseline: central; }
.cube.offered .cube-body { stroke: var(--_last); stroke-width: 7; paint-order: stroke; }
.cube-place { position: absolute; pointer-events: none; }
.swap { position: absolute; background: none; border: 0; border-radius: 10px; min-width: 44px; min-height: 44px; cursor: pointer; }
.controls { position: absolute; container-type: inline-size; display: flex; gap: 8px; justify-content: safe center; align-items: center; pointer-events: none; }
.controls button { pointer-events: auto; min-height: 44px; padding: 0 14px; white-space: nowrap; border-radius: 22px; border: 0; font-weight: 650; cursor: pointer;
  box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
.controls.beside-cube { gap: 56px; }
.controls:has(:is(.double, .take):not([hidden])):not(.beside-cube) { flex-wrap: wrap; align-content: center; gap: 4px 8px; }
.controls.beside-cube button { flex: 1 1 0; max-width: 120px; padding: 0 6px; }
.controls .undo { background: #fffaf0; color: #2b1d12; }
.controls .roll { background: var(--_accent); color: var(--ludus-on-accent, #fff); min-width: 96px; }
.controls .double, .controls .drop { background: #fffaf0; color: #2b1d12; }
.controls .take, .controls .beaver { background: var(--_accent); color: var(--ludus-on-accent, #fff); }
.controls .confirm { background: var(--_accent); color: var(--ludus-on-accent, #fff); }
@container (max-width: 220px) { .controls :is(.roll, .double, .take, .drop) { flex: none; min-width: 44px; padding: 0 6px; font-size: 12px; } }
@container (max-width: 340px) { .controls:has(.beaver:not([hidden])) :is(.take, .drop, .beaver) { flex: none; min-width: 44px; padding: 0 6px; font-size: 12px; } }
.controls button[hidden] { display: none; }
.controls:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; border-radius: 24px; }
.swap:focus-visible, .controls button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; box-shadow: 0 0 0 5px #fff; }
`;
