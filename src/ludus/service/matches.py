"""Matches: the agents' games, each a table. Queueing, status and actions."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final, NamedTuple
from weakref import WeakValueDictionary

from ludus.core.errors import BadInput, BadMove, GameIsOver, InvalidInput, LudusError
from ludus.games import GAMES
from ludus.service.agents import player_key
from ludus.service.commands import (
    AcceptResignation,
    Command,
    DeclineResignation,
    OfferResignation,
    Payload,
    Play,
    Refuse,
    Resign,
)
from ludus.service.decisions import NotYourTurn
from ludus.service.lobby import AGENTS, ARENA, PLAIN, Seeker, base_pool, pool_for
from ludus.service.platform import Platform
from ludus.service.records import Agent, Entry
from ludus.service.table import Seat, SeatKind, Table
from ludus.service.tables import CommandResult, NotFound
from ludus.service.time_control import NO_LIMIT, TimeControl
from ludus.service.tokens import Unauthorized
from ludus.wire import Action, actions, codec

LANES: Final = ("fast", "standard")
MEETS_PEOPLE: Final = LANES[0]
"""The lane in which agents play people, whose tables have modes instead of lanes."""


class UnknownGame(LudusError):
    code = "game_not_found"


class MatchNotFound(LudusError):
    code = "match_not_found"


class NotAPlayer(LudusError):
    code = "not_a_player"


class QueueStatus(NamedTuple):
    """At a table, in the queue (1 is next), or neither."""

    table: Table | None = None
    position: int = 0
    is_new: bool = True
    """False if the agent was already there."""


class MatchSeat(NamedTuple):
    table: Table
    seat: int

    @property
    def sequence(self) -> int:
        """What an action must name: the version at which this turn began or, after the end, the last one."""
        return self.table.version if self.table.outcome else self.table.turn_version


class Matches:
    def __init__(self, platform: Platform, max_refusals: int) -> None:
        """An agent forfeits the match with its `max_refusals`th refused action."""
        self._platform = platform
        self._max_refusals = max_refusals
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def queue(
        self,
        agent: Agent,
        game: str,
        lane: str,
        level: str | None = None,
        *,
        meets_people: bool = False,
        has_auto_pass: bool = False,
        time_control: TimeControl | None = None,
        variant: str = PLAIN,
    ) -> QueueStatus:
        """A match with a queued player or with a house bot of that level, or a place in the queue.

        An agent with an unfinished match of this game and lane returns to it. People are met in the fast lane only.
        Unless it has auto-pass, the agent is asked to pass where it has no legal play. Agents meet those that chose the
        same time control and variant; one that chooses others leaves the queue that it was in.
        """
        if time_control == NO_LIMIT:
            raise BadInput("timeControl: matches of agents have a limit")
        seeker = await self._seeker(agent, game, lane, time_control, variant)
        seat = seeker.seat._replace(has_auto_pass=has_auto_pass)
        seeker = seeker._replace(seat=seat, meets_people=meets_people)
        async with self._locks.setdefault(seeker.seat.key, asyncio.Lock()):
            return await self._queue(seeker, level)

    async def _queue(self, seeker: Seeker, level: str | None) -> QueueStatus:
        game = seeker.game
        key = seeker.seat.key
        lobby = self._platform.lobby
        for entry in await self._entries(key, game):
            if entry.pool != seeker.pool and base_pool(entry.pool) == pool_of(seeker.mode):
                await lobby.leave(game, entry.pool, key)
        if level is not None:
            found = await lobby.resume_or_play_bot(seeker, level, lambda: self._live_match(key, game, seeker.mode))
            return QueueStatus(found.table, is_new=found.is_new)
        was_waiting = await self._platform.store.entry_of(game, seeker.pool, key) is not None
        joined = await lobby.join(seeker, lambda: self._live_match(key, game, seeker.mode))
        return QueueStatus(joined.table, joined.position, is_new=not was_waiting)

    async def leave(self, agent: Agent, game: str) -> bool:
        """Leaves all queues of a game; false if the agent was in none."""
        check_game(game)
        key = player_key(agent.id)
        entries = await self._entries(key, game)
        return any([await self._platform.lobby.leave(game, entry.pool, key) for entry in entries])

    async def _entries(self, key: str, game: str) -> list[Entry]:
        """The agent's places in the queues of a game."""
        found = await self._platform.store.entries_of(key)
        return [entry for entry in found if entry.game == game and base_pool(entry.pool) in AGENTS]

    async def status(self, agent: Agent, game: str) -> QueueStatus:
        check_game(game)
        key = player_key(agent.id)
        position = await self._position(key, game)
        # tables after queues: a player who has just left a queue is at a table
        match = await self._live_match(key, game)
        return QueueStatus(match, 0 if match else position, is_new=False)

    async def _position(self, key: str, game: str) -> int:
        """In the first queue that has the player; 0 if none has."""
        entries = sorted(await self._entries(key, game), key=lambda entry: AGENTS.index(base_pool(entry.pool)))
        return await self._platform.store.place_in_queue(entries[0]) if entries else 0

    async def table(self, match: str) -> Table:
        try:
            return (await self._platform.tables.load(match)).table
        except NotFound:
            raise NotFound("there is no such match") from None

    async def act(self, at: MatchSeat, sequence: int, action: object) -> CommandResult:
        """Executes an agent's action; a repeated one leads to where it led before.

        A malformed or illegal action counts as refused, unless it answers no turn of this player; a resignation can
        be offered in the other's turn too.
        """
        table, seat = at
        try:
            parsed = codec(table.opening.game).arena.parse_action(action)
        except InvalidInput:
            await self._refuse_malformed(at, sequence, action)
            raise
        command = _command(parsed, seat, Payload("arena", action), sequence)
        try:
            return await self._execute(at, command, name=f"{seat}/{sequence}/{parsed.key}")
        except BadMove:
            with suppress(GameIsOver):  # it has just ended
                await self._execute(at, Refuse(seat, self._max_refusals))
            raise

    async def _refuse_malformed(self, at: MatchSeat, sequence: int, action: object) -> None:
        try:
            await self._execute(at, Refuse(at.seat, self._max_refusals, sequence))
        except NotYourTurn:
            if not actions.is_resignation_offer(action):
                raise
            with suppress(GameIsOver):
                await self._execute(at, Refuse(at.seat, self._max_refusals))

    async def _execute(self, at: MatchSeat, command: Command, name: str | None = None) -> CommandResult:
        return await self._platform.tables.execute(at.table.id, command, name=name)

    async def _live_match(self, key: str, game: str, lane: str | None = None) -> Table | None:
        for row in await self._platform.store.live_tables_of(key):
            if row.game == game and lane in (None, row.mode if row.channel == ARENA else MEETS_PEOPLE):
                table = await self.table(row.id)
                if table.outcome is None:  # it may have ended since the row was read
                    return table
        return None

    async def _seeker(
        self, agent: Agent, game: str, lane: str, time_control: TimeControl | None = None, variant: str = PLAIN
    ) -> Seeker:
        check_game(game)
        if lane not in LANES:
            raise BadInput(f"lane is one of {', '.join(LANES)}")
        if await self._platform.store.agent(agent.id) is None:
            raise Unauthorized("this agent has been deleted")
        key = player_key(agent.id)
        rating = await self._platform.rating_of(key, game)
        now = self._platform.clock.moment().clock
        return Seeker(
            seat=Seat(key, agent.id, agent.name, SeatKind.AGENT),
            game=game,
            mode=lane,
            pool=pool_for(pool_of(lane), time_control, variant),
            rating=rating.rating,
            has_afk_limit=True,
            due=now + self._platform.timeouts.queue(lane),
            channel=ARENA,
            is_rated=True,
            time_control=time_control,
            variant=variant,
        )


def _command(action: Action, seat: int, payload: Payload, sequence: int) -> Command:
    if action.move is not None:
        return Play(seat, payload, sequence)
    match action.kind:
        case actions.OFFER_RESIGNATION:
            return OfferResignation(seat, action.points, sequence)
        case actions.ACCEPT_RESIGNATION:
            return AcceptResignation(seat, sequence)
        case actions.DECLINE_RESIGNATION:
            return DeclineResignation(seat, sequence)
    return Resign(seat, sequence)


def match_seat(table: Table, agent: Agent) -> MatchSeat:
    seat = table.seat_of(player_key(agent.id))
    if seat is None:
        raise NotAPlayer("this is not your match")
    return MatchSeat(table, seat)


def check_game(game: str) -> None:
    if game not in GAMES:
        raise UnknownGame(f"there is no game {game[:40]!r}; there are {', '.join(GAMES)}")


def pool_of(lane: str) -> str:
    return AGENTS[LANES.index(lane)]
