// Seats for people without an account: guests come in as they are, friends and agents meet in a room of the page's own.

import { api } from "../shell.js";

/** The seat for what somebody chose: `{game, opponent, level, name, code}`. */
export async function seatFor({ game, opponent, level, name, code }) {
  const known = name.trim();
  if (opponent === "code") return withToken(await api("/web/rooms/join", { body: { code, name: known } }), opponent);
  if (opponent === "friend" || opponent === "agent") return withToken(await api("/web/rooms", { body: { game, opponent, name: known } }), opponent);
  const wish = { ...(known ? { username: known } : {}), ...(opponent === "bot" ? { wantsBot: true, botDifficulty: level, afkTimeoutEnabled: false } : {}) };
  return { game, wish, opponent };
}

function withToken({ game, sessionToken, roomCode }, opponent) {
  return { game, token: sessionToken, roomCode, opponent };
}
