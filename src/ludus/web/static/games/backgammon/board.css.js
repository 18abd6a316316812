// What only a backgammon board has: points, trays, dice, and the buttons that end a play.

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
.swap { position: absolute; background: none; border: 0; border-radius: 10px; min-width: 44px; min-height: 44px; cursor: pointer; }
.controls { position: absolute; display: flex; gap: 8px; justify-content: center; align-items: center; pointer-events: none; }
.controls button { pointer-events: auto; min-height: 44px; padding: 0 16px; border-radius: 22px; border: 0; font-weight: 650; cursor: pointer;
  box-shadow: 0 2px 8px rgb(0 0 0 / .3); }
.controls .undo { background: #fffaf0; color: #2b1d12; }
.controls .roll { background: var(--_accent); color: var(--ludus-on-accent, #fff); min-width: 96px; }
.controls .confirm { background: var(--_accent); color: var(--ludus-on-accent, #fff); }
.controls button[hidden] { display: none; }
.swap:focus-visible, .controls button:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; box-shadow: 0 0 0 5px #fff; }
`;
