// The player's way back after a refresh: kept in this tab and nowhere else.

const KEY = "ludus-seat";

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
