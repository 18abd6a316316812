// The state of the analysis board in its address. The query has the position on the board, which link previews show; the
// fragment has the line that led there, which the server needn't see.

/** What an address says; what it doesn't say is null or left out. */
export function readAddress({ search, hash }) {
  const query = new URLSearchParams(search);
  const own = new URLSearchParams(hash.slice(1));
  const whole = (value) => (/^\d{1,5}$/.test(value ?? "") ? Number(value) : null);
  const moves = own.getAll("m");
  const side = own.getAll("s");
  return {
    game: query.get("game"), position: query.get("position"), table: query.get("table"), move: whole(query.get("move")),
    start: own.get("start"), moves: moves.length || own.has("start") || side.length ? moves : null,
    side: side.length ? { from: whole(own.get("from")) ?? 0, moves: side } : null, at: whole(own.get("at")), isFlipped: own.has("flip"),
  };
}

/** Puts the state of a board into the address. */
export function writeAddress({ game, line, isFlipped }) {
  const own = new URLSearchParams();
  if (line.main.length || line.branch !== null) {
    own.set("start", line.start.position);
    for (const { notation } of line.main) own.append("m", notation);
    if (line.branch !== null) {
      own.set("from", line.branch);
      for (const { notation } of line.path.slice(line.branch)) own.append("s", notation);
    }
    own.set("at", line.at);
  }
  if (isFlipped) own.set("flip", "");
  const address = new URL(location.href);
  address.search = new URLSearchParams({ game, position: line.node.position });
  address.hash = own.toString();
  history.replaceState(null, "", address);
}
