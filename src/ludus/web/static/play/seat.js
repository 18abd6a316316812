// Seats: how people get one, and how they return to it from a reloaded, closed or second tab, or another device.

import { at } from "../address.js";
import { ApiError, api, store, stored } from "../shell.js";
import { t } from "../strings.js";

/** Tokens of seats by their game's address, for players that the server can't identify by a cookie: they came from an app,
 * or took over a single game from another device. */
const KEY = "ludus-seats";
const MOST_KEPT = 12;
const REPLAY_SECONDS = 86_400;
const CODE = /^[A-Z0-9]{6}$/;

/** The seat for a choice made on the start page. */
export async function seatFor({ game, opponent, level, name, timeControl, options = {}, isRated, isPublic }) {
  const body = {
    game, opponent, name: name.trim(), ...options,
    ...(opponent === "bot" ? { level } : {}),
    ...(timeControl ? { timeControl } : {}),
    ...(opponent === "anyone" && isRated ? { rated: true } : {}),
    ...(opponent === "friend" && isPublic ? { public: true } : {}),
  };
  return seatOf(await api("/web/play", { body }));
}

/** The second seat of a friend's game. */
export async function joinFriend(code, name) {
  if (!CODE.test(code)) throw new ApiError(t("play.code.short"));
  try {
    return seatOf(await api("/web/play/join", { body: { code, name: name.trim() } }));
  } catch (error) {
    throw error.status === 404 ? new ApiError(t("play.code.none"), error) : error;
  }
}

/** The player's seat in a game that goes on, waits or has ended. */
export async function seatAt(id) {
  const kept = keptSeats()[id];
  if (kept && !kept.isOwn) return kept;
  try {
    return seatOf(await api(`/web/play/${encodeURIComponent(id)}`));
  } catch (error) {
    if (kept && [401, 403, 404].includes(error.status)) return kept;  // this browser keeps no cookies
    throw error;
  }
}

/** The seat that another device hands over. */
export async function takeOver(code) {
  return { ...seatOf(await api("/web/play/seats", { body: { code } })), isOwn: false };
}

/** A seat's `options` are what it joins a queue with; a session has joined already. */
function seatOf({ sessionToken, tableId, options, ...rest }) {
  return { ...rest, gameOptions: options, token: sessionToken, roomId: tableId ?? undefined, isOwn: true };
}

/** The seat of a session's token, which an app put into a link. */
export function seatOfToken(game, token) {
  try {
    const [, claims] = token.split(".");
    return { game, token, sessionId: JSON.parse(atob(claims.replaceAll("-", "+").replaceAll("_", "/"))).sessionId };
  } catch {
    return { game, token };  // the server will say what's wrong with it
  }
}

/** Where the seat is on this server. */
export const addressOf = ({ roomId, sessionId }) => (roomId ?? sessionId ? `/play/${roomId ?? sessionId}` : "/");

export function keptSeats() {
  try {
    return JSON.parse(stored(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** The newest replace the oldest. */
export function keepSeat(seat) {
  const id = seat.roomId ?? seat.sessionId;
  if (!id) return;
  if (seat.isOwn === false && seat.roomId) showTokenFor(seat);
  const { [seat.sessionId]: _, [id]: __, ...others } = keptSeats();
  store(KEY, JSON.stringify(Object.fromEntries([...Object.entries(others), [id, seat]].slice(-MOST_KEPT))));
}

/** Cookies for the replay of a game that was taken over, which may be private: links send no token. */
function showTokenFor({ roomId, token }) {
  const paths = [`/matches/${roomId}`, `/web/tables/${roomId}`];
  const secure = location.protocol === "https:" ? "; secure" : "";
  for (const path of paths) document.cookie = `ludus_seat=${token}; path=${at(path)}; max-age=${REPLAY_SECONDS}; samesite=lax${secure}`;
}

export function dropSeat({ roomId, sessionId }) {
  const { [roomId]: _, [sessionId]: __, ...others } = keptSeats();
  store(KEY, JSON.stringify(others));
}
