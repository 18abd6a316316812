// What a game needs and the start does not. It comes while people look at that.

export { Room } from "./room.js";
export { showTable } from "./table.js";
export { showWaiting } from "./waiting.js";
