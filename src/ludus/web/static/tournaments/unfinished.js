// What went wrong after a tournament was created, for its own page to say: the form is gone by then.
const KEY = "ludus-tournament-problem";

export function leaveProblem(id, text) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ id, text }));
  } catch {
    // no storage: the page shows who is in and that it hasn't started
  }
}

/** The problem with this tournament, once; empty if there was none. */
export function takeProblem(id) {
  try {
    const left = JSON.parse(sessionStorage.getItem(KEY));
    if (left?.id !== id) return "";
    sessionStorage.removeItem(KEY);
    return left.text;
  } catch {
    return "";
  }
}
