// The game in a frame: what the page around it knows comes behind the #, which is sent to nobody.
import "./ludus-game.js";

const given = new URLSearchParams(location.hash.slice(1));
const game = document.createElement("ludus-game");
for (const name of ["game", "token", "level", "name"]) if (given.has(name)) game.setAttribute(name, given.get(name));
// The page around cannot be asked for its language; the browser can.
document.documentElement.lang = (given.get("lang") ?? navigator.language ?? "").toLowerCase().startsWith("de") ? "de" : "en";
if (!given.has("game")) game.setAttribute("game", "checkers");
for (const event of ["ludus-started", "ludus-moved", "ludus-over", "ludus-problem"]) {
  // To whoever framed us: the server lets only the tenant's own pages do that.
  game.addEventListener(event, ({ detail }) => parent !== window && parent.postMessage({ type: event, detail: plain(detail) }, "*"));
}
document.querySelector("main").append(game);

/** Without what is a player's own: a page that frames us hears what a spectator would. */
function plain({ reconnectToken, sessionId, ...rest }) {
  return rest;
}
