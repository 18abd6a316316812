"""A search as Python asks for it: positions and limits in, lines out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cached_property
from math import copysign, tanh
from typing import Any, Final, NamedTuple

from ludus.core.kernel import compiled
from ludus.core.rules import Rules
from ludus.engines.checkers import evaluation, root
from ludus.engines.checkers.endgames.kernel import DRAW
from ludus.engines.checkers.endgames.tables import Tables, load
from ludus.engines.checkers.memory import (
    DEPTH,
    FIRST_MOVE,
    NODE_LIMIT,
    NODES,
    NUMBER,
    PAST,
    PATH,
    STOP,
    VALUES,
    key_of,
    new_memory,
)
from ludus.engines.checkers.search import TABLE_WIN, WIN
from ludus.engines.checkers.transposition import SURE, find, move_in
from ludus.engines.checkers.weights import Words, packaged
from ludus.engines.engine import Limit, Line
from ludus.games.checkers.kernel import WORDS
from ludus.games.checkers.position import Move, Position, bit_of

UNLIMITED: Final = 1 << 62
MOST_DEPTH: Final = 99
SMALL_NODES: Final = 100_000
"""Searches of up to so many positions get a small transposition table, which is cleared sooner."""
LONG_SECONDS: Final = 0.5
"""And searches of at least so long a large one."""
SMALL_BITS, MIDDLE_BITS, LARGE_BITS = 15, 20, 22
LONGEST_LINE: Final = 20
HAIR: Final = 1e-4
"""What a win loses with every ply it takes."""
TABLE_PLIES: Final = 100
"""Taken for the length of a win that is known from the endgame tables alone."""
POINTS: Final = 200
"""On the scale of the expected result."""


class Thought(NamedTuple):
    """A move as the kernel writes it, and its value in points."""

    ends: tuple[int, int, int]
    points: int


class Mind:
    """Two threads may ask at once: each has its own memory. `weights` and `tables` default to the largest there are."""

    def __init__(self, weights: Words | None = None, tables: Tables | None = None) -> None:
        self._weights, self._tables = weights, tables
        self._local = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes get a memory of their own."""
        return Mind, (self._weights, self._tables)

    @cached_property
    def weights(self) -> Words:
        return packaged() if self._weights is None else self._weights

    @cached_property
    def tables(self) -> Tables:
        return load() if self._tables is None else self._tables

    @cached_property
    def _deepen(self) -> Any:
        """The compiled search, called once on an empty board: to load it takes longer than many a limit of seconds."""
        deepen = compiled(root).deepen
        deepen(new_memory(SMALL_BITS, self.tables.layout), self.weights, self.tables.wld, 0, 0, 0, 0, 0, 1, 1)
        return deepen

    def think(self, position: Position, limit: Limit, past: Sequence[Position] = (), lines: int = 1) -> list[Thought]:
        """The best moves, best first.

        Without a clock the answer depends on nothing but what is asked: earlier searches are forgotten.
        """
        memory = self.memory(limit)
        _begin(memory, limit, position, past)
        own, other, kings, side = _sets(position)
        deepen = self._deepen
        depth = MOST_DEPTH if limit.depth is None else max(limit.depth, 1)
        with _clock(memory, limit.seconds):
            _search(memory, lambda: deepen(
                memory, self.weights, self.tables.wld, own, other, kings, side, position.quiet, depth, lines
            ))  # fmt: skip
        return [_thought(memory, line) for line in range(min(lines, int(memory[NUMBER])))]

    def memory(self, limit: Limit) -> Any:
        """The thread's memory for a search of that size; after the search it holds depth and nodes."""
        bits = _bits(limit)
        memories: dict[str, Any] = vars(self._local)
        name = f"of_{bits}_bits"
        if name not in memories:
            memories[name] = new_memory(bits, self.tables.layout)
        return memories[name]

    def lines(
        self, rules: Rules[Position, Move], position: Position, limit: Limit, past: Sequence[Position], number: int
    ) -> list[Line[Move]]:
        """The best moves with their values and the play that is expected, best first."""
        if self.tables.of(position):
            return self._solved(rules, position)[:number]
        thoughts = self.think(position, limit, past, number)
        memory = self.memory(limit)
        depth, nodes = int(memory[DEPTH]), int(memory[NODES])
        moves = _moves_of(rules, position, thoughts)
        found = [
            self._line(rules, position, memory, move, thought) for move, thought in zip(moves, thoughts, strict=True)
        ]
        return [line._replace(depth=depth, nodes=nodes) for line in found]

    def _line(
        self, rules: Rules[Position, Move], position: Position, memory: Any, first: Move, thought: Thought
    ) -> Line[Move]:
        moves = [first]
        here = rules.play(position, moves[0])
        while len(moves) < LONGEST_LINE and (move := _remembered(rules, here, memory)):
            moves.append(move)
            here = rules.play(here, move)
        return Line(moves[0], value_of(thought.points), tuple(moves), abs(thought.points) > SURE)

    def _solved(self, rules: Rules[Position, Move], position: Position) -> list[Line[Move]]:
        """All moves of a position that the tables know: the quickest win first, the longest resistance last of all.

        Among drawn ones the most promising comes first: the other side may not know that it is a draw.
        """
        lines = []
        for move in rules.moves(position):
            after = rules.play(position, move)
            points = int(compiled(evaluation).evaluate(self.weights, *_sets(after)))
            lines.append((Line(move, self._proven(after), (move,), is_exact=True), points))
        return [line for line, _ in sorted(lines, key=lambda pair: (-pair[0].value, pair[1]))]

    def continued(self, rules: Rules[Position, Move], position: Position, line: Line[Move]) -> Line[Move]:
        """A line that goes on, where the tables know how a win is won, as both sides would best."""
        moves = list(line.moves)
        for move in moves:
            position = rules.play(position, move)
        while len(moves) < LONGEST_LINE and (known := self._best_known(rules, position)):
            moves.append(known)
            position = rules.play(position, known)
        return line._replace(moves=tuple(moves))

    def _best_known(self, rules: Rules[Position, Move], position: Position) -> Move | None:
        verdict = self.tables.of(position)
        if verdict is None or verdict.value == DRAW:
            return None
        return max(rules.moves(position), key=lambda move: self._proven(rules.play(position, move)), default=None)

    def _proven(self, after: Position) -> float:
        """What a position in the tables is worth to who has just moved."""
        verdict = self.tables.of(after)
        if verdict is None:
            raise AssertionError("a move leads from a position in the tables to one outside")
        return (DRAW - verdict.value) * (1 - HAIR * (verdict.plies + 1))


def value_of(points: int) -> float:
    """The expected result, −1 to 1; for a win found, 1 less a hair for each ply."""
    if abs(points) <= SURE:
        return tanh(points / POINTS)
    plies = WIN - abs(points) if abs(points) > TABLE_WIN else TABLE_WIN - abs(points) + TABLE_PLIES
    return copysign(1 - HAIR * plies, points)


def _bits(limit: Limit) -> int:
    """How large a transposition table, as a power of two."""
    if limit.nodes is not None and limit.nodes <= SMALL_NODES:
        return SMALL_BITS
    return LARGE_BITS if limit.seconds is not None and limit.seconds >= LONG_SECONDS else MIDDLE_BITS


def _sets(position: Position) -> tuple[int, int, int, int]:
    return position.own, position.other, position.kings, position.mover.value


def _begin(memory: Any, limit: Limit, position: Position, past: Sequence[Position]) -> None:
    if limit.seconds is None:
        memory[NODES:] = 0
    memory[STOP] = 0
    memory[NODE_LIMIT] = UNLIMITED if limit.nodes is None else limit.nodes
    memory[PAST:PATH] = 0
    before = past[:-1] if past and past[-1] == position else past
    for back, earlier in enumerate(reversed(before[-position.quiet :] if position.quiet else ()), 1):
        memory[PATH - back] = key_of(*_sets(earlier))


def _search(memory: Any, work: Callable[[], None]) -> None:
    """A long one of the main thread has a thread of its own, since Ctrl-C is heard only between Python's steps."""
    is_short = memory[NODE_LIMIT] <= SMALL_NODES
    if is_short or threading.current_thread() is not threading.main_thread():
        return work()
    with ThreadPoolExecutor(1, "ludus-search") as pool:
        try:
            return pool.submit(work).result()
        except BaseException:
            memory[STOP] = 1
            raise


@contextmanager
def _clock(memory: Any, seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return

    def stop() -> None:
        memory[STOP] = 1

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # one that was about to stop this search must not stop the next


def _thought(memory: Any, line: int) -> Thought:
    origin, landing, taken = memory[(FIRST_MOVE + line) * WORDS :][:3].tolist()
    return Thought((origin, landing, taken), int(memory[VALUES + line]))


def _moves_of(rules: Rules[Position, Move], position: Position, thoughts: Sequence[Thought]) -> list[Move]:
    """Chains that take the same men on other ways look alike to the kernel; here each is found once."""
    left, moves = list(rules.moves(position)), []
    for thought in thoughts:
        moves.append(next(move for move in left if _ends(move) == thought.ends))
        left.remove(moves[-1])
    return moves


def _ends(move: Move) -> tuple[int, int, int]:
    return bit_of(move.origin), bit_of(move.landing), sum(map(bit_of, move.captures))


def _remembered(rules: Rules[Position, Move], position: Position, memory: Any) -> Move | None:
    """The move the search thought best here."""
    word = int(find(memory, key_of(*_sets(position))))
    if not word:
        return None
    number = move_in(word)
    moves = (move for move in rules.moves(position) if (move.origin - 1) << 5 | move.landing - 1 == number)
    return next(moves, None)
