// The page's connection to a room.

import { HOME } from "../address.js";
import { RoomClient as Client } from "./room.js";
import { io } from "../vendor/socket.io.esm.min.js";

export class RoomClient extends Client {
  constructor(seat, options = {}) { super(seat, { io, server: HOME, ...options }); }
}
