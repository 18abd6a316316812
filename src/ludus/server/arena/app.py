"""The arena itself: what both of its doors, HTTP and WebSockets, do with a match.

The modules of the doors know this one by name only (`TYPE_CHECKING`), since this one puts them together.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from starlette.routing import BaseRoute

from ludus.server.arena import envelopes, players, routes, states
from ludus.server.arena.desk import Desk
from ludus.server.arena.errors import InvalidInput, MatchNotFound
from ludus.server.arena.sockets import routes as sockets
from ludus.server.arena.times import iso
from ludus.server.arena.waiting import Waiting
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.service.agents import Agents
from ludus.service.matches import Matches, MatchSeat, match_seat
from ludus.service.platform import Platform
from ludus.service.ports import Clock, Note, TableChanged
from ludus.service.records import Agent
from ludus.service.table import Table, folded
from ludus.service.tables import NotFound
from ludus.wire import codec

Json = dict[str, Any]
Listener = Callable[[Note], Awaitable[None]]

LONGEST_ID: Final = 64
"""Of a match; a longer one is not looked for."""
HOLD_SECONDS: Final = 30.0


class Arena:
    def __init__(
        self, platform: Platform, agents: Agents, matches: Matches, metrics: Metrics, clock: Clock, settings: Settings
    ) -> None:
        self.platform = platform
        self.agents = agents
        self.matches = matches
        self.metrics = metrics
        self.clock = clock
        self.settings = settings
        self.desk = Desk(agents, settings, lambda: clock.now() / 1000)
        self.waiting = Waiting()
        self.hold_seconds = HOLD_SECONDS
        """How long a request may wait for something new."""
        self.listeners: list[Listener] = []
        """Who else hears of every note; sockets add themselves."""
        self.watchers: Callable[[str], int] = lambda _match: 0
        """How many sockets watch a match; they say so themselves."""

    def routes(self) -> list[BaseRoute]:
        return [*routes.routes(self), *sockets.routes(self)]

    def stop(self) -> None:
        """Nobody waits any longer: the server is about to stop."""
        self.waiting.wake_all()

    async def on_note(self, note: Note) -> None:
        if isinstance(note, TableChanged):
            self.waiting.wake(note.table)
        for listener in self.listeners:
            await listener(note)

    async def authenticate(self, headers: Mapping[str, str]) -> Agent:
        """Whose key the `Authorization` header has; `Unauthorized` (401) for none or a wrong one."""
        return await self.desk.agent_of(headers)

    async def table(self, match: str) -> Table:
        """A match as everybody may see it; `MatchNotFound` for other tables of the platform."""
        if len(match) > LONGEST_ID:
            raise MatchNotFound("there is no such match")
        try:
            table = await self.matches.table(match)
        except NotFound:
            raise MatchNotFound("there is no such match") from None
        if not players.has_agent(table):
            raise MatchNotFound("there is no such match")
        return table

    async def seat(self, match: str, agent: Agent) -> MatchSeat:
        """The agent at its table; `MatchNotFound` (404), `NotAPlayer` (403)."""
        return match_seat(await self.table(match), agent)

    async def state(self, match: str, agent: Agent, base: str = "") -> Json:
        """The answer of `GET state`; with a game over, the envelope is part of it. `base` begins its links."""
        return await self.shown(await self.seat(match, agent), base)

    async def shown(self, at: MatchSeat, base: str = "") -> Json:
        """The same, for a table that was looked up already."""
        table, seat = at
        state = states.state(table, seat, status_of(table, seat), at.sequence)
        if table.outcome:
            return state | await self.envelope(table, seat, base)
        if ends := self.turn_ends_at(table):
            state["turnEndsAt"] = ends
        return state

    def view(self, table: Table, seat: int | None) -> Json:
        """The match as the player of this seat sees it, or as somebody who watches (None) does."""
        return states.view(table, seat)

    def turn_ends_at(self, table: Table) -> str | None:
        """When whoever is to move must have moved; None where there is no such limit."""
        due = table.idle_due()
        return None if due is None else iso(self.platform.clock.wall(due))

    async def envelope(self, table: Table, seat: int, base: str = "") -> Json:
        """What a player is told of a finished match: the same whenever it is asked for."""
        settlement = await self.platform.store.rating_change(table.id, table.seats[seat].key)
        return envelopes.envelope(table, seat, settlement, base or self.settings.public_url, self.view(table, seat))

    async def act(self, match: str, agent: Agent, sequence: int, action: object, base: str = "") -> Json:
        """Plays an action and returns the state after it; for one that was accepted before, the state it led to."""
        return await self.shown(await self.play(await self.seat(match, agent), sequence, action), base)

    async def play(self, at: MatchSeat, sequence: int, action: object) -> MatchSeat:
        """The same without a word about it, for sockets, on which the next frame is the answer.

        Whose turn it is, and which, is looked at first: what comes too late is not counted, whatever it says.
        """
        try:
            arena = codec(at.table.opening.game).arena
            parsed = arena.parse_action(action)
        except InvalidInput:
            self.matches.require_turn(at, sequence)
            await self.matches.count_refusal(at)
            raise
        choose = None if parsed.move is None else lambda position: arena.resolve(position, parsed)
        receipt = await self.matches.act(at, sequence, choose, f"{sequence}/{parsed.key}")
        if receipt.event is None:
            live = await self.platform.tables.load(at.table.id)
            return MatchSeat(folded(live.events[: receipt.version]), at.seat)
        self.metrics.move(at.table.opening.game)
        return MatchSeat(receipt.table, at.seat)

    async def wait_for(self, at: MatchSeat, agent: Agent, after_sequence: int, seconds: float) -> MatchSeat:
        """The same seat once the match has a later sequence or is over, or else when the time is up.

        An agent that waits in too many requests at once has the oldest of them answered as things stand.
        """
        clock = asyncio.get_running_loop().time
        until = clock() + seconds
        may_wait = not self.waiting.is_over
        while may_wait and not (at.table.outcome or at.table.turn_version > after_sequence):
            left = until - clock()
            if left <= 0:
                break
            may_wait = await self.waiting.sleep(at.table.id, left, agent.id) and not self.waiting.is_over
            at = at._replace(table=await self.table(at.table.id))  # nothing can happen between this look and the next
        return at


def status_of(table: Table, seat: int) -> str:
    if table.outcome:
        return "game_over"
    return "your_turn" if table.mover == seat else "waiting"
