// A game in a frame. Its parameters are in the fragment, which isn't sent to any server.
import { GAMES } from "../games/index.js";
import { preferred } from "../languages.js";
import "./ludus-game.js";

const given = new URLSearchParams(location.hash.slice(1));
const game = document.createElement("ludus-game");
for (const name of ["game", "token", "level", "name"]) if (given.has(name)) game.setAttribute(name, given.get(name));
// A frame can't know the language of the page around it, only the browser's.
document.documentElement.lang = preferred(given.get("lang"), ...(navigator.languages ?? []));
if (!given.has("game")) game.setAttribute("game", Object.keys(GAMES)[0]);
for (const event of ["ludus-started", "ludus-moved", "ludus-over", "ludus-problem"]) {
  // Any parent may hear it: frame-ancestors admits only the tenant's own pages.
  game.addEventListener(event, ({ detail }) => parent !== window && parent.postMessage({ type: event, detail: publicPart(detail) }, "*"));
}
const title = GAMES[game.getAttribute("game")]?.title ?? "Ludus";
document.title = title;
document.querySelector("main").append(Object.assign(document.createElement("h1"), { textContent: title }), game);

/** Leaves out the player's secrets. */
function publicPart({ reconnectToken, sessionId, ...rest }) {
  return rest;
}
