// Runs in the page before anything of its own: notes when a board can be played, when messages come and when their
// effect is drawn, and every task that keeps the page busy for long.
(() => {
  const seen = (window.seen = { playable: null, draws: [], tasks: [] });
  new PerformanceObserver((list) => seen.tasks.push(...list.getEntries().map((entry) => [entry.startTime, entry.duration]))).observe({ type: "longtask", buffered: true });

  const boardOf = () => document.querySelector("ludus-checkers:not([compact]), ludus-backgammon:not([compact])");
  const look = () => {
    const game = new URLSearchParams(location.search).get("game") ?? "checkers";
    if (seen.playable === null) document.querySelector(`[data-game="${game}"] button:not([disabled])`)?.click();
    if (boardOf()?.moves?.length) seen.playable = performance.now();
    else setTimeout(look, 1);
  };
  document.addEventListener("DOMContentLoaded", look);

  // The board's pictures change when a message was understood; the next frame shows them.
  const Socket = window.WebSocket;
  window.WebSocket = class extends Socket {
    constructor(...all) {
      super(...all);
      this.addEventListener("message", ({ data }) => {
        if (!String(data).includes('"game:move:made"') || !boardOf()) return;
        const came = performance.now();
        const observer = new MutationObserver(() => {
          observer.disconnect();
          requestAnimationFrame(() => setTimeout(() => seen.draws.push(performance.now() - came)));
        });
        observer.observe(boardOf().shadowRoot, { subtree: true, childList: true, attributes: true });
      });
    }
  };
})();
