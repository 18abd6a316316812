"""The opening explorer: how often each move was played in a position of a finished game, and how those games ended.

The end of a game puts it into a queue, in the same transaction. A background task of one process counts the moves of
its opening and removes it from the queue, also in one transaction: even if processes are killed, or several believe
that the task is theirs, each game is counted once. Counts contain no names and stay when a game is deleted; references
to it then lead nowhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from time import perf_counter
from typing import Any, Final, NamedTuple

import structlog

from ludus.core.errors import LudusError
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.openings import Name, Ply, Reader, book, name_of, names
from ludus.service.finished import is_counted, is_listed
from ludus.service.ids import digest
from ludus.service.ports.store import Conflict, Store, Unavailable
from ludus.service.ports.writes import CountMoves
from ludus.service.records import Event, MoveCount, TableRow
from ludus.service.table import Opening, is_pseudonym, standing_moves

BATCH: Final = 4
"""Games counted at once; more would delay the moves in the same group commit."""
REST: Final = 4
"""Between two batches while there are more: so many times as long as a batch has taken, and at least this long:"""
PAUSE_SECONDS: Final = 0.05
POLL_SECONDS: Final = 2.0
MOST_MOVES: Final = 100
"""Of a position; the rarest are left out."""
EXAMPLES: Final = 4

log = structlog.get_logger(__name__)


class Explored(NamedTuple):
    """A move that was played in the position."""

    move: str
    after: Any
    """The position that it leads to."""
    name: Name | None
    """Of that position."""
    total: MoveCount
    is_legal: bool = True
    """Whether it can be played at once; a roll cannot while a player may double."""

    @property
    def rating(self) -> int | None:
        """The average of those who made it."""
        return round(self.total.ratings / self.total.rated) if self.total.rated else None


class Exploration(NamedTuple):
    game: str
    position: Any
    name: Name | None
    moves: Sequence[Explored]
    """The most frequent first."""
    examples: Sequence[TableRow]
    """Games that everyone may see, those of the strongest players first, then the newest."""


class Explorer:
    def __init__(self, store: Store, *, is_ours: Callable[[], bool] = lambda: True) -> None:
        """`is_ours` says whether this process counts, and not another one."""
        self._store, self._is_ours = store, is_ours
        self._task: asyncio.Task[None] | None = None
        self._named: set[str] = set()
        """Games whose openings' names are in memory."""

    def start(self) -> None:
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def look_up(self, game: str, position: Any) -> Exploration:
        if game not in self._named:
            await asyncio.to_thread(names, game)  # takes a tenth of a second
            self._named.add(game)
        counts = await self._store.move_counts(position_number(game, book(game).key(position)), MOST_MOVES)
        moves = [move for count in counts if (move := _explored(game, position, count))]
        return Exploration(game, position, name_of(game, position), moves, await self._examples(moves))

    async def _examples(self, moves: Iterable[Explored]) -> list[TableRow]:
        ranks = {move.total.example: move.total.rank for move in moves if move.total.example is not None}
        best = sorted(ranks, key=lambda number: -ranks[number])[: 2 * EXAMPLES]  # some may have been deleted
        rows = {digest(row.id): row for row in await self._store.example_games(best)} if best else {}
        return [rows[number] for number in best if number in rows and _is_shown(rows[number])][:EXAMPLES]

    async def count(self, most: int = BATCH) -> int:
        """Counts a batch of finished games; returns how many it has looked at."""
        tables = await self._store.tables_to_count(most)
        if not tables:
            return 0
        found = [await self._read(table) for table in tables]
        examples = tuple(table for table, opening in zip(tables, found, strict=True) if opening.is_listed)
        try:
            await self._store.commit(CountMoves(tuple(tables), examples, added(found)))
        except Conflict:
            log.info("another process has counted the same games, or they were deleted")
        return len(tables)

    async def _read(self, table: str) -> GameCount:
        """Of a game that can't be read, nothing is counted."""
        try:
            row = await self._store.table(table)
            if row is None or row.game not in GAMES or not is_counted(row):
                return NOTHING
            changes = [await self._store.rating_change(table, player["key"]) for player in row.players]
            ratings = [None if change is None else round(change.before) for change in changes]
            return await asyncio.to_thread(counted, row, await self._store.events(table), ratings)
        except Unavailable:
            raise
        except Exception as error:
            log.error("the opening of a game cannot be counted", table=table, error=f"{type(error).__name__}: {error}")
            return NOTHING

    async def _run(self) -> None:
        is_failing = False
        while True:
            began, has_more = perf_counter(), False
            try:
                has_more = self._is_ours() and await self.count() == BATCH
                is_failing = False
            except Exception as error:
                if not is_failing:
                    is_ours = not isinstance(error, Unavailable)  # else it is the database
                    log.error("openings cannot be counted; retrying", error=str(error), exc_info=is_ours)
                is_failing = True
            busy = max(PAUSE_SECONDS, REST * (perf_counter() - began))
            await asyncio.sleep(busy if has_more else POLL_SECONDS)


class GameCount(NamedTuple):
    """What one table adds."""

    moves: Sequence[MoveCount]
    is_listed: bool = False


NOTHING: Final = GameCount(())


def position_number(game: str, key: str) -> int:
    return digest(f"{game}\n{key}")


def counted(row: TableRow, events: Sequence[Event], ratings: Sequence[int | None]) -> GameCount:
    """The openings of all games in a table's record; `ratings` are those of the players before the game."""
    return GameCount(counted_moves(row, openings(row, events), ratings), is_listed(row))


def counted_moves(row: TableRow, found: Iterable[Opened], ratings: Sequence[int | None]) -> list[MoveCount]:
    assert row.ended_at is not None
    shown = is_listed(row)
    example = digest(row.id) if shown else None
    rank = _rank(row.ended_at, ratings) if shown else 0
    return [
        _count(row.game, ply, winner, ratings[ply.player], row.ended_at, rank, example)
        for plies, winner in found
        for ply in {(ply.key, ply.move): ply for ply in plies}.values()  # once in a game, however often it is repeated
    ]


Opened = tuple[Sequence[Ply], int | None]
"""The opening of a game, and the winner."""


def openings(row: TableRow, events: Sequence[Event]) -> Iterator[Opened]:
    """Of each game in a record, which has several in a match."""
    assert row.result is not None
    rules = GAMES[row.game]
    position = rules.start(Opening.from_data(events[0].data).variant)
    reader, is_match = Reader(rules), rules.score(position) is not None
    for text, _ in standing_moves(events):
        move = rules.notation.read_move(position, text)
        reader.add(position, move)
        if reader.is_done and not is_match:
            break
        before, position = position, rules.play(position, move)
        outcome = rules.game_ended(before, move, position)
        if outcome is not None:
            yield reader.plies, outcome.winner
            reader = Reader(rules)
    if reader.plies:
        yield reader.plies, row.result["winner"]


def added(found: Iterable[GameCount]) -> tuple[MoveCount, ...]:
    """One of each position and move, in this order, in which all processes lock them."""
    total: dict[tuple[int, str], MoveCount] = {}
    for count in (count for game in found for count in game.moves):
        key = count.position, count.move
        total[key] = summed(total[key], count) if key in total else count
    return tuple(total[key] for key in sorted(total))


def _count(
    game: str, ply: Ply, winner: int | None, rating: int | None, at: int, rank: int, example: int | None
) -> MoveCount:
    return MoveCount(
        position_number(game, ply.key),
        ply.move,
        games=1,
        wins=int(winner == ply.player),
        draws=int(winner is None),
        rated=int(rating is not None),
        ratings=rating or 0,
        last_at=at,
        rank=rank,
        example=example,
    )


def summed(one: MoveCount, other: MoveCount) -> MoveCount:
    """As the store adds them."""
    best = other if other.rank > one.rank else one
    return MoveCount(
        one.position,
        one.move,
        one.games + other.games,
        one.wins + other.wins,
        one.draws + other.draws,
        one.rated + other.rated,
        one.ratings + other.ratings,
        max(one.last_at, other.last_at),
        best.rank,
        best.example,
    )


def _rank(ended_at: int, ratings: Sequence[int | None]) -> int:
    """By the players' average rating, then by the time of the end; games without ratings come last."""
    known = [rating for rating in ratings if rating is not None]
    average = sum(known) // len(known) if len(known) == len(Player) else 0
    return max(0, average) << 32 | ended_at // 1000


def _is_shown(row: TableRow) -> bool:
    """A game of somebody who was deleted is no example."""
    return is_listed(row) and not any(is_pseudonym(player["id"]) for player in row.players)


def _explored(game: str, position: Any, count: MoveCount) -> Explored | None:
    """None if the move isn't legal, which takes another position with the same digest, or a change of the notation."""
    rules = GAMES[game]
    for start in (position, book(game).plain(position)):
        with suppress(LudusError):
            after = rules.play(start, rules.notation.read_move(start, count.move))
            return Explored(count.move, after, name_of(game, after), count, is_legal=start is position)
    return None
