// Receives webhooks, and believes only those with a valid signature. It needs nothing but Node.
//
// WEBHOOK_SECRET=whsec_… PORT=3000 node examples/webhook_receiver.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const { WEBHOOK_SECRET = "", PORT = "3000" } = process.env;
const MOST_BYTES = 100_000;
/** A real app keeps these in its database: a delivery may come again, also after a restart. */
const seen = new Set();

function isAuthentic(body, signature = "") {
  const own = Buffer.from(`sha256=${createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex")}`);
  const given = Buffer.from(signature);
  return own.length === given.length && timingSafeEqual(own, given);
}

/** The raw bytes: JSON that was parsed and written again has another signature. Null if there are too many. */
async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > MOST_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  const status = request.method !== "POST" ? 405 : body === null ? 413 : isAuthentic(body, request.headers["x-ludus-signature"]) ? 204 : 401;
  response.writeHead(status).end();  // first the answer, then the work
  if (status !== 204) return;
  const { deliveryId, event, sessionId, data } = JSON.parse(body);
  if (seen.has(deliveryId)) return;
  seen.add(deliveryId);
  console.log(event, sessionId, JSON.stringify(data));
});
server.listen(Number(PORT), "127.0.0.1", () => console.log(`open at http://127.0.0.1:${server.address().port}`));
