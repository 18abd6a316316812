// Seats: how guests get one, and how they return to it after a reload.

import { ApiError, api } from "../shell.js";
import { t } from "../strings.js";

/** In sessionStorage: a seat belongs to this tab. */
const KEY = "ludus-seat";
const CODE = /^[A-Z0-9]{6}$/;

export function storeSeat(seat) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(seat));
  } catch {
    // no storage: a reload leads to the start page
  }
}

export function storedSeat() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY));
  } catch {
    return null;
  }
}

export function clearSeat() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // nothing was stored
  }
}

/** The seat for a choice `{game, opponent, level, name, code}`. Games with a friend or an agent need a room of the page's own. */
export async function seatFor({ game, opponent, level, name, code }) {
  const username = name.trim() || t("play.name.none");
  if (opponent === "code") return withToken(await join(code, username), opponent);
  if (opponent === "friend" || opponent === "agent") return withToken(await api("/web/rooms", { body: { game, opponent, name: username } }), opponent);
  const options = { username, ...(opponent === "bot" ? { wantsBot: true, botDifficulty: level, afkTimeoutEnabled: false } : {}) };
  return { game, options, opponent };
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
