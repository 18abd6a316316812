"""Matches: games that agents play, each a table of the platform. Queue, look, act."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

from ludus.core.errors import BadInput, BadMove, GameIsOver, LudusError
from ludus.games import GAMES
from ludus.service.agents import player_key
from ludus.service.decisions import NotYourTurn, Play, Refuse, Resign
from ludus.service.lobby import AGENTS, ARENA, Seeker
from ludus.service.platform import Platform
from ludus.service.records import Agent
from ludus.service.table import Seat, SeatKind, Table
from ludus.service.tables import CommandResult, NotFound

LANES: Final = ("fast", "standard")
MEETS_PEOPLE: Final = LANES[0]
"""The lane of agents at people's tables, which have modes of their own."""


class UnknownGame(LudusError):
    code = "game_not_found"


class MatchNotFound(LudusError):
    code = "match_not_found"


class NotAPlayer(LudusError):
    code = "not_a_player"


class StaleSequence(LudusError):
    """The turn that was answered is over."""

    code = "stale_sequence"

    def __init__(self, current: int) -> None:
        super().__init__(f"the current sequence is {current}")
        self.current = current


class QueueStatus(NamedTuple):
    """Where an agent is: at a table, in line (1 is next), or neither."""

    table: Table | None = None
    position: int = 0
    is_new: bool = True
    """False if the agent was there already."""


class MatchSeat(NamedTuple):
    table: Table
    seat: int

    @property
    def sequence(self) -> int:
        """What an action must name: when this turn began; after the end, when that came."""
        return self.table.version if self.table.outcome else self.table.turn_version


class Matches:
    def __init__(self, platform: Platform, most_refusals: int) -> None:
        """A player whose action was refused `most_refusals` times in one match forfeits it."""
        self._platform = platform
        self._most_refusals = most_refusals
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def queue(
        self, agent: Agent, game: str, lane: str, level: str | None = None, *, meets_people: bool = False
    ) -> QueueStatus:
        """A match with somebody who waits, with a platform bot of that level, or a place in line.

        An agent that has an unfinished match of this game and lane is sent back to it, whoever seated it there and
        when. People are met in the fast lane only, since their terms hold.
        """
        seeker = (await self._seeker(agent, game, lane))._replace(meets_people=meets_people)
        async with self._locks.setdefault(seeker.seat.key, asyncio.Lock()):
            return await self._queue(seeker, level)

    async def _queue(self, seeker: Seeker, level: str | None) -> QueueStatus:
        game = seeker.game
        key = seeker.seat.key
        if level is not None:
            await self._platform.lobby.leave(game, seeker.pool, key)
            # whoever is not in line by now can't be seated by others
            unfinished = await self._live_match(key, game, seeker.mode)
            if unfinished is not None:
                return QueueStatus(unfinished, is_new=False)
            return QueueStatus(await self._platform.lobby.play_bot(seeker, level))
        was_waiting = await self._platform.store.entry_of(game, seeker.pool, key) is not None
        joined = await self._platform.lobby.join(seeker, lambda: self._live_match(key, game, seeker.mode))
        return QueueStatus(joined.table, joined.position, is_new=not was_waiting)

    async def leave(self, agent: Agent, game: str) -> bool:
        """Leaves all lines of a game; false if the agent stood in none."""
        check_game(game)
        key = player_key(agent.id)
        return any([await self._platform.lobby.leave(game, pool_of(lane), key) for lane in LANES])

    async def status(self, agent: Agent, game: str) -> QueueStatus:
        check_game(game)
        key = player_key(agent.id)
        position = await self._position(key, game)
        # after the lines, since whoever is taken out of one sits at a table; who waits in another as well hears of it
        match = await self._live_match(key, game)
        return QueueStatus(match, 0 if match else position, is_new=False)

    async def _position(self, key: str, game: str) -> int:
        """In the first line of a game in which the player stands; 0 if in none."""
        for lane in LANES:
            line = await self._platform.store.entries(game, pool_of(lane))
            for place, entry in enumerate(line, 1):
                if entry.player == key:
                    return place
        return 0

    async def seat(self, match: str, agent: Agent) -> MatchSeat:
        """The agent at its table."""
        return match_seat(await self.table(match), agent)

    async def table(self, match: str) -> Table:
        try:
            return (await self._platform.tables.load(match)).table
        except NotFound:
            raise NotFound("there is no such match") from None

    def require_turn(self, at: MatchSeat, sequence: int) -> None:
        """Refuses, before anything is said of an action, one that answers no turn of this player."""
        table = at.table
        if table.outcome:
            raise GameIsOver(f"the game is over: {table.outcome.reason}")
        if sequence != table.turn_version:
            raise StaleSequence(table.turn_version)
        if table.mover != at.seat:
            raise NotYourTurn("it is not your turn")

    async def act(self, at: MatchSeat, sequence: int, choose: Callable[[Any], Any] | None, name: str) -> CommandResult:
        """Plays what `choose` finds in the position, or resigns without it; `name` makes a repetition harmless."""
        table, seat = at.table, at.seat
        said = table.commands and table.commands.get(f"{seat}/{name}")
        if not said and not table.outcome and sequence != table.turn_version:
            raise StaleSequence(table.turn_version)

        def chosen(position: Any) -> Any:
            if position != table.game.position:  # the turn has passed since the sequence was compared
                raise StaleSequence(sequence + 1)
            assert choose is not None
            return choose(position)

        command = Resign(seat) if choose is None else Play(seat, chosen)
        try:
            return await self._platform.tables.execute(table.id, command, name=f"{seat}/{name}")
        except (NotYourTurn, StaleSequence):
            now = await self.table(table.id)
            if now.turn_version != table.turn_version:
                raise StaleSequence(now.turn_version) from None
            raise
        except BadMove:
            await self.count_refusal(at)
            raise

    async def count_refusal(self, at: MatchSeat) -> None:
        """Counts an action that could not be taken; with the last of them the match is lost."""
        with suppress(GameIsOver):  # meanwhile
            await self._platform.tables.execute(at.table.id, Refuse(at.seat, self._most_refusals))

    async def _live_match(self, key: str, game: str, lane: str | None = None) -> Table | None:
        for row in await self._platform.store.live_tables_of(key):
            if row.game == game and lane in (None, row.mode if row.channel == ARENA else MEETS_PEOPLE):
                table = await self.table(row.id)
                if table.outcome is None:  # else it has ended since the row was read
                    return table
        return None

    async def _seeker(self, agent: Agent, game: str, lane: str) -> Seeker:
        check_game(game)
        if lane not in LANES:
            raise BadInput(f"lane is one of {', '.join(LANES)}")
        key = player_key(agent.id)
        rating = await self._platform.rating_of(key, game)
        now = self._platform.clock.moment().clock
        return Seeker(
            seat=Seat(key, agent.id, agent.name, SeatKind.AGENT),
            game=game,
            mode=lane,
            pool=pool_of(lane),
            rating=rating.rating,
            has_afk_limit=True,
            due=now + self._platform.timeouts.queue(lane),
            channel=ARENA,
            is_rated=True,
        )


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
