// What a game needs and the start page doesn't; loaded while people look at that.

export { RoomClient } from "../rooms/client.js";
export { guardLinks } from "./leaving.js";
export { showTable } from "./table.js";
export { showWaiting } from "./waiting.js";
