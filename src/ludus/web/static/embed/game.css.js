// The style of an embedded game; pages change it with custom properties.

export const GAME_STYLE = `
    :host { display: block; max-width: 36rem; color-scheme: light dark; }
    .game { position: relative; display: grid; gap: .4rem; padding: .6rem; border-radius: 14px; background: var(--ludus-surface, light-dark(#fffdfa, #211f1b)); color: var(--ludus-text, light-dark(#24211c, #ebe7df));
      border: 1px solid var(--ludus-line, light-dark(#e1dbd0, #37332c)); font: 500 1rem/1.4 var(--ludus-font, system-ui, sans-serif); }
    .strip { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .75rem; min-height: 2.2rem; }
    .name { font-weight: 650; }
    .status, .countdown { margin: 0; }
    .countdown { flex-basis: 100%; font-weight: 650; color: light-dark(#855300, #e5b765); font-variant-numeric: tabular-nums; }
    .announcer { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    [hidden] { display: none; }
    .clock { font-variant-numeric: tabular-nums; }
    .face { min-width: 5.5rem; padding: .1rem .6rem; border-radius: 9px; text-align: center; font-weight: 650; font-variant-numeric: tabular-nums; contain: content; background: light-dark(rgb(0 0 0 / 6%), rgb(255 255 255 / 8%)); }
    .face[data-delay]::after { content: "+" attr(data-delay); margin-left: .25rem; font-size: .75em; }
    .face.running { background: var(--ludus-accent, light-dark(#2c6e4f, #6cc197)); color: light-dark(#fff, #14120e); }
    .face.short { background: light-dark(#fbe9e6, #4a2520); color: light-dark(#9c2b1c, #ffb4a6); }
    .buttons { display: flex; flex-wrap: wrap; justify-content: flex-end; gap: .4rem; }
    .action { white-space: nowrap; min-height: 2.75rem; padding: 0 1rem; font: inherit; font-weight: 600; color: inherit; background: transparent; border: 1px solid currentcolor; border-radius: 9px; cursor: pointer; }
    .action:disabled { opacity: .5; cursor: default; }
    .action:enabled:hover { background: light-dark(rgb(0 0 0 / 6%), rgb(255 255 255 / 8%)); }
    .action:focus-visible { outline: 3px solid var(--ludus-accent, light-dark(#2c6e4f, #6cc197)); outline-offset: 2px; }
    .board { display: block; width: 100%; border-radius: 9px; overflow: hidden; }
`;
