"""Opinions: what the strongest engine thinks of any position, from a glance to a deep search, while somebody looks.

Any process can be asked. The one whose bots would play at a table with the request's id has the engines look, one stage
after the other, and sends each stage as a note. It stops when nobody waits any more.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter, OrderedDict
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from typing import Any, Final, NamedTuple

import orjson

from ludus.core.errors import LudusError
from ludus.core.rules import Player, Rules
from ludus.engines import adapter
from ludus.engines.engine import Line
from ludus.engines.review import DIGITS, Assessment, points_for
from ludus.engines.study import CubeEquities, CubeWindow
from ludus.games import GAMES
from ludus.service.analysis import MAX_LINE, Busy
from ludus.service.cluster import Cluster, Work
from ludus.service.engine_pool import EngineFailed, EnginePool
from ludus.service.ports.bus import Bus, Note, OpinionFound, OpinionUnwanted, OpinionWanted
from ludus.service.repeated_notes import RepeatedNotes
from ludus.service.shared_tasks import SharedTasks

log = logging.getLogger(__name__)

LINES: Final = 5
MAX_OWN: Final = 4
"""Positions that one owner looks at with an engine at a time: a few tabs, or people behind one address."""
MAX_OPEN: Final = 200
"""The same for all owners at this process."""
MAX_RUNNING: Final = 400
"""Requests that this process works on; it may get them from all others."""
MAX_CACHED: Final = 500
"""Positions whose last opinion is remembered, so that stepping back and forth costs nothing."""
MAX_CONTENT: Final = 2000
"""Characters of an opinion in a note; longer ones go without continuations."""
WAIT_SECONDS: Final = 180.0
"""For the next stage: a note may be lost, a process may die, and engines that have just started may be loading."""


class OpinionLine(NamedTuple):
    """`move` is in notation, empty before a roll; `value` is that of the player who decides or is on roll."""

    move: str
    value: float
    is_exact: bool
    chances: tuple[float, ...]
    moves: tuple[str, ...]
    """How play may go on, up to the next roll."""


class Opinion(NamedTuple):
    stage: int
    """From 1."""
    stages: int
    depth: int
    lines: tuple[OpinionLine, ...]
    cube: CubeEquities | None = None
    window: CubeWindow | None = None
    effective_pips: tuple[float | None, ...] = ()
    """Of both players, in games that have such a count."""

    @property
    def is_last(self) -> bool:
        return self.stage >= self.stages


class Opinions:
    def __init__(self, engine_pool: EnginePool, cluster: Cluster, bus: Bus, new_id: Callable[[], str]) -> None:
        self._engine_pool = engine_pool
        self._cluster = cluster
        self._bus = bus
        self._new_id = new_id
        self._wanted = RepeatedNotes(bus)
        self._tasks = SharedTasks()
        self._waiting: dict[str, asyncio.Queue[str]] = {}
        """The results for requests made to this process, by request."""
        self._owners: Counter[str] = Counter()
        self._known: OrderedDict[tuple[str, str], Opinion] = OrderedDict()

    async def stream(self, game: str, position: str, owner: str) -> AsyncGenerator[Opinion]:
        """Opinions from deeper and deeper searches; `owner` is who asks; owners share the engines' time.

        Close it as soon as no more are wanted.
        """
        if (known := self._known.get((game, position))) is not None:
            self._known.move_to_end((game, position))
            yield known
            return
        self.refuse_if_busy(owner)
        id = self._new_id()
        found = self._waiting[id] = asyncio.Queue()
        self._owners[owner] += 1
        opinion = None
        try:
            await self._wanted.publish(id, OpinionWanted(id, game, position, owner))
            while opinion is None or not opinion.is_last:
                later = await self._next(found)
                if opinion is None or later.stage > opinion.stage:  # a repeated request may be answered twice
                    opinion = later
                    yield opinion
            self._remember(game, position, opinion)
        finally:
            self._wanted.settle(id)
            del self._waiting[id]
            self._owners[owner] -= 1
            if not self._owners[owner]:
                del self._owners[owner]
            if opinion is None or not opinion.is_last:
                await self._bus.publish(OpinionUnwanted(id))

    async def value_of(self, rules: Rules[Any, Any], position: Any, move: Any, owner: str) -> float:
        """What a move is worth to the player who makes it, by a search as deep as an analysis's."""
        after, player = rules.play(position, move), rules.turn(position).player
        assert player is not None
        if (outcome := rules.outcome(after)) is not None:
            return points_for(player, outcome)
        async with aclosing(self.stream(rules.name, rules.notation.write_position(after), owner)) as opinions:
            async for opinion in opinions:
                if opinion.is_last or _is_enough(rules.name, opinion.stage):
                    break
        if not opinion.lines:
            raise EngineFailed("no engine has an opinion on this position")
        value = opinion.lines[0].value
        return value if decider(rules, after) is player else -value

    def refuse_if_busy(self, owner: str) -> None:
        if self._owners[owner] >= MAX_OWN or self._owners.total() >= MAX_OPEN:
            raise Busy("engines look at many positions for you already; try again in a moment")

    async def _next(self, found: asyncio.Queue[str]) -> Opinion:
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                content = await found.get()
        except TimeoutError:
            content = ""
        if not content:
            raise EngineFailed("no engine has an opinion on this position")
        return read(content)

    def _remember(self, game: str, position: str, opinion: Opinion) -> None:
        self._known[game, position] = opinion
        if len(self._known) > MAX_CACHED:
            self._known.popitem(last=False)

    async def on_note(self, note: Note) -> None:
        match note:
            case OpinionWanted(id) if self._cluster.has(Work.BOTS, id):
                if len(self._tasks) < MAX_RUNNING:
                    self._tasks.start(id, lambda: self._look(note), f"opinion {id}")
                else:
                    await self._bus.publish(OpinionFound(id, ""))
            case OpinionUnwanted(id):
                self._tasks.cancel(id)
            case OpinionFound(id, content) if id in self._waiting:
                self._wanted.settle(id)
                self._waiting[id].put_nowait(content)

    async def stop(self) -> None:
        await self._wanted.stop()
        await self._tasks.stop()

    async def _look(self, wanted: OpinionWanted) -> None:
        try:
            rules = GAMES[wanted.game]
            position = rules.notation.read_position(wanted.position)
            stages = len(adapter(wanted.game).deepening)
            for stage in range(stages):
                found = await self._engine_pool.opinion(wanted.game, position, stage, LINES, wanted.owner)
                opinion = _opinion(rules, position, found, stage, stages)
                await self._bus.publish(OpinionFound(wanted.id, write(opinion)))
                if opinion.is_last:
                    return
        except Exception as error:
            if not isinstance(error, LudusError):
                log.exception("an engine could not look at a position")
            await self._bus.publish(OpinionFound(wanted.id, ""))


def decider(rules: Rules[Any, Any], position: Any) -> Player | None:
    """The player to move or, before a roll, the one who will play it."""
    rolls = rules.chances(position)
    return rules.turn(rules.play(position, rolls[0][0]) if rolls else position).player


def _is_enough(game: str, stage: int) -> bool:
    """Whether up to this stage as many positions have been searched as in an analysis."""
    own = adapter(game)
    return any((limit.nodes or 0) >= (own.report_limit.nodes or 0) for limit in own.deepening[:stage])


def _opinion(rules: Rules[Any, Any], position: Any, found: Assessment, stage: int, stages: int) -> Opinion:
    """Where there is no choice or all is known, a deeper search has no more to say."""
    lines = tuple(_line(rules, position, line) for line in found.lines)
    is_settled = not lines or all(line.is_exact for line in lines)
    depth = max((int(line.depth) for line in found.lines), default=0)
    cube = None if found.cube is None else found.cube.rounded(DIGITS)
    window = None if found.window is None else found.window.rounded(DIGITS)
    pips = tuple(None if count is None else _round(count) for count in found.effective_pips)
    return Opinion(stage + 1, stage + 1 if is_settled else stages, depth, lines, cube, window, pips)


def _line(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> OpinionLine:
    move = "" if line.move is None else rules.notation.write_move(position, line.move)
    moves = tuple(_continuation(rules, position, line))
    return OpinionLine(move, _round(line.value), bool(line.is_exact), tuple(map(_round, line.chances)), moves)


def _continuation(rules: Rules[Any, Any], position: Any, line: Line[Any]) -> Iterator[str]:
    for move in line.moves[:MAX_LINE]:
        if rules.chances(position) or move not in rules.moves(position):
            return
        yield rules.notation.write_move(position, move)
        position = rules.play(position, move)


def _round(value: float) -> float:
    return round(float(value), DIGITS)


def write(opinion: Opinion) -> str:
    bare = opinion._replace(lines=tuple(line._replace(moves=()) for line in opinion.lines))
    contents = (orjson.dumps(each, default=tuple).decode() for each in (opinion, bare))
    return next((content for content in contents if len(content) <= MAX_CONTENT), "")


def read(content: str) -> Opinion:
    stage, stages, depth, lines, cube, *more = orjson.loads(content)
    window, pips = more or (None, ())  # processes of older versions send neither
    found = (
        OpinionLine(move, value, exact, tuple(chances), tuple(moves)) for move, value, exact, chances, moves in lines
    )
    equities = cube and CubeEquities.from_data(cube)
    return Opinion(stage, stages, depth, tuple(found), equities, window and CubeWindow(*window), tuple(pips))
