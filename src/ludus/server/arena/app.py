"""The arena: what its HTTP handlers and WebSockets both do with a match.

Those modules import this one for its type only (`TYPE_CHECKING`), since this one puts them together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, Final

import orjson
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.server.arena import routes, states
from ludus.server.arena.long_polls import LongPolls
from ludus.server.arena.sockets import routes as sockets
from ludus.server.connections.backlog import Backlogs
from ludus.server.http.analysis import AnalysisResponses
from ludus.server.http.cpu_budget import CpuBudget, OverBudget
from ludus.server.http.errors import TooManyRequests, arena_body, status_of
from ludus.server.http.rate_limit import DAY, HOUR, RequestLimit, SocketCount
from ludus.server.http.request import (
    JSON,
    NO_STORE,
    Pipeline,
    Request,
    base_url,
    bearer_token,
    document_response,
    error_headers,
    json_response,
)
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.service.agents import Agents, player_key, require
from ludus.service.analysis import Analyses
from ludus.service.clock import iso
from ludus.service.erasure import Erasures
from ludus.service.export import Exports
from ludus.service.game_clock import clock_now, time_control_of
from ludus.service.matches import Matches, MatchNotFound, MatchSeat, match_seat
from ludus.service.platform import Platform
from ludus.service.ports.bus import Note, TableChanged, TableRedacted
from ludus.service.ports.clock import Clock
from ludus.service.public import has_agent
from ludus.service.records import MAX_ID, Agent
from ludus.service.table import Table, folded
from ludus.service.tables import CommandResult, NotFound

Json = dict[str, Any]
Listener = Callable[[Note], Awaitable[None]]

HOLD_SECONDS: Final = 30.0
MOST_FOLDED: Final = 128


class Arena:
    def __init__(
        self,
        platform: Platform,
        agents: Agents,
        matches: Matches,
        metrics: Metrics,
        clock: Clock,
        settings: Settings,
        limit: RequestLimit,
        erasures: Erasures,
        backlogs: Backlogs,
        analyses: Analyses,
        budget: CpuBudget | None = None,
    ) -> None:
        self.platform = platform
        self.agents = agents
        self.matches = matches
        self.metrics = metrics
        self.settings = settings
        self.erasures = erasures
        self.backlogs = backlogs
        self.analyses = AnalysisResponses(analyses, platform.documents, is_arena=True)
        self.budget = budget or CpuBudget(settings.cpu_share, settings.cpu_total)
        self.exports = Exports(platform.store, clock.now)
        self.pipeline = Pipeline(limit, render_error)
        self.registrations = RequestLimit(settings.registrations, lambda: clock.now() / 1000, HOUR)
        self.new_tournaments = RequestLimit(settings.new_tournaments, lambda: clock.now() / 1000, DAY)
        """By address, like the registrations; the page's people count too."""
        self.sockets = SocketCount(settings.max_sockets)
        self.long_polls = LongPolls()
        self._folded: dict[tuple[str, int], Table] = {}
        """Matches as they were at a version, the latest asked for last."""
        self.lists = SharedBuilds()
        self.hold_seconds = HOLD_SECONDS
        """How long a request is held while there is nothing new."""
        self.listeners: list[Listener] = []
        """Called with every note; the sockets add themselves."""
        self.watchers: Callable[[str], int] = lambda _match: 0
        """How many sockets watch a match; set by the sockets."""
        self.shows: Callable[[str], bool] = lambda _match: False
        """Whether anyone here plays or watches a match over a socket; set by the sockets."""

    def routes(self) -> list[BaseRoute]:
        return [*routes.routes(self), *sockets.routes(self)]

    def stop(self) -> None:
        """Answers every held request."""
        self.long_polls.wake_all()

    def is_concerned(self, note: TableChanged) -> bool:
        """Whether anybody here waits for the match or shows it; new ones are announced."""
        return note.version == 1 or self.long_polls.has(note.table) or self.shows(note.table)

    async def on_note(self, note: Note) -> None:
        if isinstance(note, TableChanged):
            self.long_polls.wake(note.table)
        elif isinstance(note, TableRedacted):
            self._folded.clear()
        for listener in self.listeners:
            await listener(note)

    async def shared(self, request: Request, key: Hashable, build: Callable[[], Awaitable[object]]) -> Response:
        """A list or a profile as JSON, built for all who ask at about the same time."""

        async def written() -> bytes:
            return orjson.dumps(await build())

        return document_response(request, await self.lists.get(key, written), JSON)

    async def authenticate(self, connection: HTTPConnection) -> str:
        """The `Authenticate` hook: the agent becomes the request's `user`."""
        token = bearer_token(connection)
        agent = require(await self.agents.authenticate(token) if token else None)
        connection.scope["user"] = agent
        return player_key(agent.id)

    def base_url(self, connection: HTTPConnection) -> str:
        return base_url(connection, self.settings.public_url)

    async def table(self, match: str, *, is_current: bool = False) -> Table:
        """A match; `MatchNotFound` for the platform's other tables too.

        If it `is_current`, it has all that other processes have stored before.
        """
        tables = self.platform.tables
        try:
            if len(match) <= MAX_ID:
                table = (await (tables.current(match) if is_current else tables.load(match))).table
                if has_agent(table):
                    return table
        except NotFound:
            pass
        raise MatchNotFound("there is no such match")

    async def seat(self, match: str, agent: Agent, *, is_current: bool = False) -> MatchSeat:
        """The agent at its table; `MatchNotFound` (404), `NotAPlayer` (403)."""
        return match_seat(await self.table(match, is_current=is_current), agent)

    async def state(self, at: MatchSeat, base: Callable[[], str] = str) -> Json:
        """The answer of `GET state`, with the envelope once the game is over. `base` says what its links start with."""
        table, seat = at
        state = states.state(table, seat, status_for(table, seat), at.sequence) | self.timing(table, seat)
        return state | await self.envelope(table, seat, base()) if table.outcome else state

    def timing(self, table: Table, seat: int) -> Json:
        """A player's time: when the turn ends and, with a time control, what both have left."""
        ends = self.turn_ends_at(table)
        shown = time_control_of(table) | ({"turnEndsAt": ends} if ends else {})
        if not table.is_clocked:
            return shown
        clock = clock_now(table, self.platform.clock.moment().clock)["clock"]
        left = {"yourMs": clock["remainingMs"][seat], "opponentMs": clock["remainingMs"][1 - seat]}
        return shown | {"clock": left | {name: clock[name] for name in ("delayMs",) if name in clock}}

    def turn_ends_at(self, table: Table) -> str | None:
        """When the player to move must have moved; None where there is no limit."""
        due = table.idle_due()
        return None if due is None else iso(self.platform.clock.wall(due))

    async def envelope(self, table: Table, seat: int, base: str = "") -> Json:
        """A finished match for one of its players; the same whenever it is asked for."""
        change = await self.platform.store.rating_change(table.id, table.seats[seat].key)
        return states.envelope(table, seat, change, base or self.settings.public_url)

    async def play(self, at: MatchSeat, sequence: int, action: object) -> MatchSeat:
        """Plays an action and returns the seat after it; a repeated action leads to where it led before."""
        result = await self.act(at, sequence, action)
        if result.version == result.table.version:
            return MatchSeat(result.table, at.seat)
        return MatchSeat(await self._earlier(at.table.id, result.version), at.seat)

    async def act(self, at: MatchSeat, sequence: int, action: object) -> CommandResult:
        """The same without the table after a repeated action."""
        result = await self.matches.act(at, sequence, action)
        if result.event is not None:
            self.metrics.move(at.table.opening.game)
        return result

    async def _earlier(self, match: str, version: int) -> Table:
        """A match as it was; folded once for those who ask again and again."""
        key = match, version
        table = self._folded.pop(key, None)
        if table is None:
            table = folded((await self.platform.tables.load(match)).events[:version])
        self._folded[key] = table
        if len(self._folded) > MOST_FOLDED:
            del self._folded[next(iter(self._folded))]
        return table

    async def wait_for(self, at: MatchSeat, agent: Agent, after_sequence: int, seconds: float) -> MatchSeat:
        """The same seat once the match has a later sequence or is over, or when the time is up.

        An agent with too many held requests gets the oldest answered as things stand.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        may_wait = not self.long_polls.is_stopping
        while may_wait and not (at.table.outcome or at.table.turn_version > after_sequence):
            left = until - clock()
            if left <= 0:
                break
            may_wait = await self.long_polls.wait(at.table.id, left, agent.id) and not self.long_polls.is_stopping
            at = at._replace(table=await self.table(at.table.id))  # nothing can happen between this and the next wait
        return at


def render_error(connection: HTTPConnection, error: Exception) -> Response:
    body = arena_body(error)
    if isinstance(error, TooManyRequests | OverBudget) and connection.url.path.endswith("/state"):
        body["retryAfterMs"] = error.retry_after * 1000
    return json_response(body, status_of(error), {**NO_STORE, **error_headers(error)})


def status_for(table: Table, seat: int) -> str:
    if table.outcome:
        return "game_over"
    return "your_turn" if table.mover == seat else "waiting"
