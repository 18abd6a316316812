// An app's back end: it creates sessions with its key, serves the page, and learns results from webhooks.
import { createHmac, timingSafeEqual } from "node:crypto";
import { fileURLToPath } from "node:url";
import express from "express";

const { LUDUS_URL = "http://127.0.0.1:8000", LUDUS_LIVE_KEY = "", WEBHOOK_SECRET = "", PORT = "3000" } = process.env;
const app = express();
const results = [];
const seen = new Set();

/** Whether the body was signed with our secret. Use the bytes as they came: parsed and written again, JSON differs. */
function isAuthentic(body, signature = "") {
  const own = Buffer.from(`sha256=${createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex")}`);
  const given = Buffer.from(signature);
  return own.length === given.length && timingSafeEqual(own, given);
}

app.post("/hooks", express.raw({ type: "application/json", limit: "100kb" }), (request, response) => {
  if (!isAuthentic(request.body, request.get("X-Ludus-Signature"))) return response.sendStatus(401);
  response.sendStatus(204);  // first the answer, then the work
  const { event, deliveryId, game, data } = JSON.parse(request.body);
  if (seen.has(deliveryId)) return undefined;  // a delivery may come twice
  seen.add(deliveryId);
  if (event === "game.ended") results.push({ game, winner: data.winner, reason: data.reason });
  return undefined;
});

// Who the user is, a real app knows from its own login. The key stays here; the page gets a token for one game.
app.post("/games", express.json(), async (request, response) => {
  const { name = "Guest", game = "checkers", level = "easy" } = request.body ?? {};
  const created = await fetch(`${LUDUS_URL}/v1/sessions`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${LUDUS_LIVE_KEY}` },
    body: JSON.stringify({ game, matchType: "bot", botDifficulty: level, players: [{ id: `user-${name}`, displayName: name }] }),
  });
  const { sessionToken, error } = await created.json();
  if (!created.ok) return response.status(502).json({ error });
  return response.json({ server: LUDUS_URL, game, token: sessionToken });
});

app.get("/results", (_request, response) => response.json(results));
app.use(express.static(fileURLToPath(new URL("public", import.meta.url))));

const listener = app.listen(Number(PORT), "127.0.0.1", () => console.log(`open at http://127.0.0.1:${listener.address().port}`));
