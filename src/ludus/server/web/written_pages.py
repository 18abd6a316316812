"""Games and players as HTML that the server renders: for readers without scripts, crawlers and link previews.

Scripts replace this text. An unknown id gets the page for wrong addresses, with the status 404. Previews of links to
games and positions have a picture of the board.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from html import escape
from types import MappingProxyType
from typing import Final
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ludus.core.errors import LudusError
from ludus.games import ABOUT, GAMES
from ludus.server.http.request import Request as Viewed
from ludus.server.http.request import base_url
from ludus.server.web.claim import footer, header
from ludus.server.web.finished import finished
from ludus.server.web.pages import AGENT, ANALYSIS, MATCH, PUZZLE, TOURNAMENT, WATCH, document, missing, site
from ludus.server.web.puzzles import DAILY
from ludus.server.web.records import GameRecords, result_text, status_of
from ludus.service import public, ratings
from ludus.service.agents import AgentNotFound, Agents, player_key
from ludus.service.matches import MatchNotFound
from ludus.service.pasted import MAX_POSITION
from ludus.service.platform import Platform
from ludus.service.ports.store import Unavailable, Unreadable
from ludus.service.records import Entrant, Rating, TableRow
from ludus.service.table import SeatKind, Table, is_pseudonym
from ludus.service.tables import LoadedTable, NotFound
from ludus.service.tournaments import progress
from ludus.service.tournaments.progress import CANCELLED, FINISHED, RUNNING, Place
from ludus.service.tournaments.terms import ARENA, KNOCKOUT, ROUND_ROBIN, SWISS
from ludus.service.tournaments.tournaments import View

LATEST: Final = 15
LEADERS: Final = 20
SYSTEM_NAMES: Final = MappingProxyType(
    {
        ARENA: "Arena tournament",
        SWISS: "Swiss tournament",
        ROUND_ROBIN: "Round robin",
        KNOCKOUT: "Knock-out tournament",
    }
)


class WrittenPages:
    def __init__(
        self, platform: Platform, agents: Agents, records: GameRecords, prefix: str = "", public_url: str = ""
    ) -> None:
        """`prefix` is the path that the server is mounted under, `public_url` the address that people know."""
        self._platform, self._agents, self._records, self._prefix = platform, agents, records, prefix
        self._public_url = public_url

    def routes(self) -> list[Route]:
        handlers = {
            MATCH: self.match,
            WATCH: self.watch,
            AGENT: self.agent,
            ANALYSIS: self.analysis,
            TOURNAMENT: self.tournament,
            PUZZLE: self.puzzle,
        }
        return [Route(path, handler) for path, handler in handlers.items()]

    async def match(self, request: Request) -> Response:
        return await self._game(request, MATCH, "games")

    async def watch(self, request: Request) -> Response:
        return await self._game(request, WATCH, "watch")

    async def _game(self, request: Request, path: str, active: str) -> Response:
        try:
            loaded = await self._records.load(Viewed(request.scope, request.receive))
        except MatchNotFound:
            return missing(request, self._prefix)
        except (Unavailable, Unreadable):  # its script says so
            return document(request, site(self._prefix).pages[path])
        table = loaded.table
        title = f"{names_of(table)} · {ABOUT[table.opening.game].title} · Ludus"
        body = self._platform.documents.get(table, "page", lambda: game_body(loaded, self._prefix)).content.decode()
        content = frame(body, active, self._prefix)
        picture = self._address(request, f"/web/tables/{quote(table.id)}/card.png")
        return document(request, site(self._prefix).written(path, title, status_of(table), content, picture))

    def _address(self, request: Request, path: str) -> str:
        """A whole one, as crawlers need it; empty if the request has no valid host."""
        base = base_url(request, self._public_url)
        own = "" if self._public_url else self._prefix
        return f"{base}{own}{path}" if base else ""

    async def analysis(self, request: Request) -> Response:
        """The analysis board; a link with a position is shown with its picture."""
        game, text = request.query_params.get("game", ""), request.query_params.get("position", "")
        served = site(self._prefix)
        try:
            rules = GAMES[game]
            position = rules.notation.read_position(text[:MAX_POSITION])
        except (KeyError, LudusError):
            return document(request, served.pages[ANALYSIS])
        title = f"{ABOUT[game].title} position · Ludus"
        written = rules.notation.write_position(position)
        picture = self._picture(request, game, written)
        return document(request, served.written(ANALYSIS, title, f"Analyze this position: {written}", None, picture))

    def _picture(self, request: Request, game: str, position: str) -> str:
        return self._address(request, f"/web/analysis/{game}/card.png?position={quote(position, safe='')}")

    async def puzzle(self, request: Request) -> Response:
        game, id = request.path_params["game"], request.path_params["id"]
        puzzles = self._platform.puzzles
        try:
            puzzle = puzzles.daily(game) if id == DAILY else puzzles.get(game, id)
        except NotFound:
            return missing(request, self._prefix)
        kind = "puzzle of the day" if id == DAILY else "puzzle"
        picture = self._picture(request, game, puzzle.position)
        text = "Find the one best move."
        return document(
            request, site(self._prefix).written(PUZZLE, f"{ABOUT[game].title} {kind} · Ludus", text, None, picture)
        )

    async def agent(self, request: Request) -> Response:
        id = request.path_params["id"]
        try:
            body, name = await self._agent(id)
        except AgentNotFound:
            return missing(request, self._prefix)
        except Unavailable:
            return document(request, site(self._prefix).pages[AGENT])
        content = frame(body, "games", self._prefix)
        about = f"{name}: ratings and matches on Ludus."
        return document(request, site(self._prefix).written(AGENT, f"{name} · Ludus", about, content))

    async def _agent(self, id: str) -> tuple[str, str]:
        store, level = self._platform.store, public.level_of(id, self._platform.roster)
        name = public.bot(level).name if level else (await self._agents.get(id)).name
        key = public.bot(level).key if level else player_key(id)
        rated = await store.ratings_of(key)
        rows = [row for row in await store.tables_of(key, 10 * LATEST) if _has_agent(row)][:LATEST]
        now = self._platform.clock.moment().at
        matches = [_own_row(row, key, self._prefix) for row in rows]
        body = f"""<div><h1>{escape(name)}</h1><p class="lead">{"House bot" if level else "AI agent"}</p></div>
<section class="card"><h2>Ratings</h2>{_ratings(rated, now)}</section>
<section class="card"><h2>Matches</h2>{_table(("Date", "Game", "Opponent", "Result"), matches)}</section>"""
        return body, name

    async def tournament(self, request: Request) -> Response:
        tournaments = self._platform.tournaments
        try:
            view = await tournaments.view(await tournaments.get(request.path_params["id"]))
        except NotFound:
            return missing(request, self._prefix)
        except Unavailable:
            return document(request, site(self._prefix).pages[TOURNAMENT])
        title = f"{view.tournament.name} · {ABOUT[view.tournament.game].title} tournament · Ludus"
        content = frame(tournament_body(view, self._prefix), "tournaments", self._prefix)
        return document(request, site(self._prefix).written(TOURNAMENT, title, tournament_status(view), content))


async def latest(platform: Platform, game: str, prefix: str = "") -> str:
    """A game's leaderboard and latest games."""
    now = platform.clock.moment().at
    leaders = await platform.store.leaders(game, now, LEADERS)
    rows = await finished(platform.store, game, LATEST)
    names = [await _leader(platform, rating, prefix) for rating in leaders]
    ranked = enumerate(zip(names, leaders, strict=True), 1)
    best = [(str(rank), name, _rounded(rating, now)) for rank, (name, rating) in ranked]
    games = [(_day(row, prefix), _players(row, prefix), escape(result_of(row))) for row in rows]
    return f"""<section class="card"><h2>Latest games</h2>{_table(("Date", "Players", "Result"), games)}</section>
<section class="card"><h2>Leaderboard</h2>{_table(("Rank", "Player", "Rating"), best)}</section>"""


def frame(body: str, active: str, prefix: str) -> str:
    """A page's content between its header and footer, which scripts add."""
    return f"""<noscript><div class="bare">{header(active=active, prefix=prefix)}</div></noscript>
<main id="main" class="page"><div class="written">
{body}
</div></main>
<noscript><div class="bare">{footer(prefix=prefix)}</div></noscript>
"""


def game_body(loaded: LoadedTable, prefix: str) -> str:
    table = loaded.table
    game, about = table.game, ABOUT[table.opening.game]
    moves = [
        game.rules.notation.write_move(game.position_at(made.ply), game.move_at(made.ply))
        for made in public.player_moves(table, loaded.events)
    ]
    listed = "".join(f"<li>{escape(move)}</li>" for move in moves)
    address = f"{prefix}/web/tables/{quote(table.id)}"
    game_link = _link(f"{prefix}/games/{table.opening.game}", about.title)
    return f"""<div><h1>{escape(names_of(table))}</h1>
<p class="lead">{escape(status_of(table))}</p>
<p class="muted small">{game_link} · {_date(table.opened_at)}</p></div>
<figure><img src="{address}/board.svg" alt="The board after {len(moves)} moves" width="480"></figure>
<section class="card"><h2>Moves</h2><ol class="moves-list">{listed}</ol>
<p><a href="{address}/file">Download the record</a></p></section>"""


def tournament_body(view: View, prefix: str) -> str:
    tournament = view.tournament
    game_link = _link(f"{prefix}/games/{tournament.game}", ABOUT[tournament.game].title)
    rows = [(str(each.rank), _entrant(each.entrant, prefix), f"{each.score:g}") for each in view.standings]
    return f"""<div><h1>{escape(tournament.name)}</h1>
<p class="lead">{escape(tournament_status(view))}</p>
<p class="muted small">{game_link} · {_date(tournament.starts_at or tournament.made_at)}</p></div>
<section class="card"><h2>Standings</h2>{_table(("Rank", "Player", "Points"), rows)}</section>"""


def tournament_status(view: View) -> str:
    """In a sentence or two."""
    tournament, places = view.tournament, view.standings
    count = tournament.entrants
    about = f"{SYSTEM_NAMES[tournament.system]}, {count} player{'' if count == 1 else 's'}."
    if tournament.state == FINISHED:
        winner = progress.winner(tournament, places)
        return f"{about} Nobody scored." if winner is None else f"{about} Won by {winner.name}."
    if tournament.state == RUNNING:
        return f"{about} Running{_leader_text(places)}."
    if tournament.state == CANCELLED:
        return f"{about} Cancelled."
    if tournament.starts_at is None:
        return f"{about} Open for entries."
    starts_at = datetime.fromtimestamp(tournament.starts_at / 1000, UTC)
    return f"{about} Starts on {starts_at:%Y-%m-%d at %H:%M} UTC."


def _leader_text(places: Sequence[Place]) -> str:
    """Empty as long as nobody is ahead of the others."""
    best = [place for place in places if place.score and place.score == places[0].score]
    return f"; {best[0].entrant.name} leads" if len(best) == 1 else ""


def _entrant(entrant: Entrant, prefix: str) -> str:
    if is_pseudonym(entrant.id):
        return escape(entrant.name)
    place = {SeatKind.PERSON: f"people/{entrant.id}", SeatKind.BOT: f"agents/house:{entrant.level}"}
    return _link(f"{prefix}/{place.get(SeatKind(entrant.kind), f'agents/{entrant.id}')}", entrant.name)


def names_of(table: Table) -> str:
    return " – ".join(public.page_player(table, seat)["name"] for seat in (0, 1))


def result_of(row: TableRow) -> str:
    assert row.result is not None
    names = [player["name"] for player in public.page_players_of(row)]
    return result_text(names, row.result["winner"], row.result["reason"])


async def _leader(platform: Platform, rating: Rating, prefix: str) -> str:
    kind, _, id = rating.player.partition("/")
    if kind == "bot":
        return _link(f"{prefix}/agents/house:{id}", public.bot(id).name)
    agent = await platform.store.agent(id)
    return _link(f"{prefix}/agents/{id}", agent.name if agent else id)


def _ratings(rated: Iterable[Rating], now: int) -> str:
    rows = [
        (escape(ABOUT[each.game].title), _rounded(each, now), f"{each.games:,}") for each in rated if each.game in ABOUT
    ]
    return _table(("Game", "Rating", "Games"), rows)


def _rounded(rating: Rating, now: int) -> str:
    """With a question mark while it is provisional."""
    is_provisional = ratings.is_provisional(ratings.aged(rating, now))
    return f"{rating.rating:.0f}{'?' if is_provisional else ''}"


def _own_row(row: TableRow, key: str, prefix: str) -> tuple[str, ...]:
    seat = next(number for number, player in enumerate(row.players) if player["key"] == key)
    opponent = public.players_of(row)[1 - seat]
    result = "in progress" if row.result is None else result_of(row)
    return _day(row, prefix), escape(ABOUT[row.game].title), _named(opponent, prefix), escape(result)


def _has_agent(row: TableRow) -> bool:
    return row.game in ABOUT and any(player["kind"] == SeatKind.AGENT for player in row.players)


def _day(row: TableRow, prefix: str) -> str:
    place = "watch" if row.result is None else "matches"
    return _link(f"{prefix}/{place}/{quote(row.id)}", _date(row.ended_at or row.opened_at))


def _players(row: TableRow, prefix: str) -> str:
    return " – ".join(_named(player, prefix) for player in public.page_players_of(row))


def _named(player: public.Json, prefix: str) -> str:
    if player["kind"] == SeatKind.PERSON or player["id"].startswith("deleted:"):
        return escape(player["name"])
    return _link(f"{prefix}/agents/{quote(player['id'], safe=':')}", player["name"])


def _link(address: str, text: str) -> str:
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def _date(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, UTC).strftime("%Y-%m-%d")


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The cells are HTML already."""
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    if not body:
        return '<p class="muted">None yet.</p>'
    head = "".join(f'<th scope="col">{title}</th>' for title in titles)
    label = ", ".join(titles)
    return (
        f'<div class="table-scroll" tabindex="0" role="region" aria-label="{label}"><table><thead><tr>{head}</tr>'
        f"</thead><tbody>{body}</tbody></table></div>"
    )
