// Seats: how people without an account get one, and the way back to it after a refresh.

import { ApiError, api } from "../shell.js";
import { t } from "../strings.js";

/** In this tab and nowhere else. */
const KEY = "ludus-seat";
const CODE = /^[A-Z0-9]{6}$/;

export function keepSeat(seat) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(seat));
  } catch {
    // a browser that keeps nothing: a refresh leads to the start
  }
}

export function keptSeat() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export function forgetSeat() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // nothing was kept
  }
}

/** The seat for what somebody chose: `{game, opponent, level, name, code}`. Guests come in as they are, friends and agents meet in a room of the page's own. */
export async function seatFor({ game, opponent, level, name, code }) {
  const known = name.trim() || t("play.name.none");
  if (opponent === "code") return withToken(await join(code, known), opponent);
  if (opponent === "friend" || opponent === "agent") return withToken(await api("/web/rooms", { body: { game, opponent, name: known } }), opponent);
  const wish = { username: known, ...(opponent === "bot" ? { wantsBot: true, botDifficulty: level, afkTimeoutEnabled: false } : {}) };
  return { game, wish, opponent };
}

async function join(code, name) {
  if (!CODE.test(code)) throw new ApiError(t("play.code.short"));
  try {
    return await api("/web/rooms/join", { body: { code, name } });
  } catch (error) {
    throw error.status === 404 ? new ApiError(t("play.code.none"), error) : error;
  }
}

function withToken({ game, sessionToken, roomCode }, opponent) {
  return { game, token: sessionToken, roomCode, opponent };
}
