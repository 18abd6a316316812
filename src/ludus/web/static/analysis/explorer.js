// What was played in the position on the board, in finished games of this server, and how those games ended.
import { at } from "../address.js";
import { api, h } from "../shell.js";
import { date, number, t, tn } from "../strings.js";

/** Before it's asked, since people step through a game quickly. */
const PAUSE_MS = 120;
/** Moves that are listed at once. */
const MOST = 12;

/** Fires `play` with the notation of a move that's pressed. */
export class Explorer extends EventTarget {
  #asking = null;
  #timer = null;
  /** Names of openings by positions. */
  #names = new Map();

  constructor(game) {
    super();
    this.game = game;
    this.opening = h("p", { class: "opening", role: "status" });
    this.status = h("p", { class: "muted small" });
    this.body = h("div", { class: "stack" });
    this.element = h("section", { class: "card stack explorer", "aria-label": t("explorer.title") }, h("h2", {}, t("explorer.title")), this.status, this.body);
  }

  /** Looks up another position; `earlier` are those before it, which an opening without a name of its own is named after. */
  look(position, earlier = []) {
    this.stop();
    this.element.dataset.state = "asked";
    this.#showName(position, earlier);
    this.#timer = setTimeout(() => this.#ask(position, earlier), PAUSE_MS);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#asking?.abort();
  }

  async #ask(position, earlier) {
    const asking = this.#asking = new AbortController();
    try {
      const found = await api(`/web/explorer/${this.game}?position=${encodeURIComponent(position)}`, { signal: asking.signal });
      if (asking.signal.aborted) return;
      this.#names.set(position, nameText(found));
      for (const move of found.moves) this.#names.set(move.position, nameText(move));
      this.#showName(position, earlier);
      this.#show(found);
      this.element.dataset.state = "done";
    } catch (error) {
      if (asking.signal.aborted) return;
      this.status.textContent = "";
      this.body.replaceChildren(h("p", { class: "note bad", role: "alert" }, error.message),
        h("button", { class: "plain", type: "button", onclick: () => this.look(position, earlier) }, t("error.again")));
    }
  }

  #showName(position, earlier) {
    const named = [...earlier, position].findLast((each) => this.#names.get(each));
    this.opening.textContent = this.#names.get(named) ?? "";
  }

  #show(found) {
    this.status.textContent = found.games ? tn("explorer.games", found.games) : t("explorer.none");
    this.body.replaceChildren(...[found.moves.length ? this.#table(found.moves) : null, found.examples.length ? examples(found.examples) : null].filter(Boolean));
  }

  #table(moves) {
    const body = h("tbody", {}, moves.slice(0, MOST).map((move) => this.#row(move)));
    const table = h("table", { class: "candidates small" }, h("caption", { class: "visually-hidden" }, t("explorer.moves")),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("analysis.move")), h("th", { scope: "col", class: "number" }, t("explorer.count")), h("th", { scope: "col" }, t("explorer.results")))), body);
    if (moves.length <= MOST) return table;
    const more = h("button", { class: "plain", type: "button" }, tn("explorer.more", moves.length - MOST));
    more.addEventListener("click", () => {
      const rest = moves.slice(MOST).map((move) => this.#row(move));
      body.append(...rest);
      more.remove();
      rest[0].querySelector("button")?.focus();
    });
    return h("div", { class: "stack" }, table, more);
  }

  #row(move) {
    const play = () => this.dispatchEvent(new CustomEvent("play", { detail: move.move }));
    const facts = [nameText(move), move.rating === null ? null : t("explorer.rating", { rating: number(move.rating) }), t("explorer.last", { date: date(move.lastPlayedAt, { dateStyle: "medium" }) })];
    return h("tr", {}, h("th", { scope: "row" }, move.isLegal ? h("button", { class: "better", type: "button", onclick: play }, move.move) : move.move, h("span", { class: "muted chances" }, facts.filter(Boolean).join(" · "))),
      h("td", { class: "number" }, number(move.games)), h("td", { class: "outcomes" }, resultBar(move)));
  }
}

/** An opening's name, which players say in English everywhere, and its number in the deck of ballots. */
function nameText({ name, ballot }) {
  return [name, ballot === null ? null : t("explorer.ballot", { number: ballot })].filter(Boolean).join(" · ");
}

/** Won, drawn and lost by those who made the move, as three parts of a bar and in words. */
function resultBar({ games, wins, draws, losses }) {
  const percent = (count) => number(Math.round((100 * count) / games));
  const words = t("explorer.result", { wins: percent(wins), draws: percent(draws), losses: percent(losses) });
  const parts = Object.entries({ wins, draws, losses }).filter(([, count]) => count).map(([name, count]) => {
    const part = h("span", { class: `part-${name}` }, count / games >= 0.2 ? percent(count) : "");
    part.style.flexGrow = count / games;
    return part;
  });
  return h("div", { class: "result-bar", title: words }, h("span", { class: "visually-hidden" }, words), h("span", { class: "parts", "aria-hidden": "true" }, parts));
}

function examples(matches) {
  const names = ({ players, winner }) => players.map(({ name }, seat) => [seat ? " – " : "", seat === winner ? h("strong", {}, name) : name]);
  return h("div", { class: "stack" }, h("h3", {}, t("explorer.examples")),
    h("ul", { class: "small" }, matches.map((match) => h("li", {}, h("a", { href: at(`/matches/${encodeURIComponent(match.id)}`) }, names(match)), " ", h("span", { class: "muted" }, date(match.finishedAt, { dateStyle: "medium" }))))));
}
