// Many Socket.IO clients in one process: commands come as JSON lines on stdin, all that happens goes out as JSON lines.
import { createInterface } from "node:readline";
import { io } from "socket.io-client";

const sockets = new Map();

function say(client, kind, more = {}) {
  process.stdout.write(JSON.stringify({ client, kind, ...more }) + "\n");
}

const commands = {
  connect({ client, url, options }) {
    const socket = io(url, { ...options, forceNew: true, reconnection: false });
    sockets.set(client, socket);
    socket.on("connect", () => say(client, "connected", { transport: socket.io.engine.transport.name }));
    socket.io.engine.on("upgrade", () => say(client, "upgraded"));
    socket.on("connect_error", (error) => say(client, "refused", { message: error.message }));
    socket.on("disconnect", (reason) => say(client, "disconnected", { reason }));
    socket.onAny((name, ...args) => say(client, "event", { name, args }));
  },

  emit({ client, name, args, ack }) {
    const answer = (...args) => say(client, "ack", { ack, args });
    sockets.get(client).emit(name, ...args, ...(ack === undefined ? [] : [answer]));
  },

  // The connection breaks without a word to the namespace, as when a phone leaves the network.
  drop({ client }) {
    sockets.get(client).io.engine.close();
  },

  disconnect({ client }) {
    sockets.get(client).disconnect();
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { command, ...told } = JSON.parse(line);
  commands[command](told);
}
process.exit(0);
