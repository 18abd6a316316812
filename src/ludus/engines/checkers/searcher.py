"""The search as Python calls it: positions and limits in, lines out."""

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
from ludus.engines.checkers import evaluation, search
from ludus.engines.checkers.endgames.kernel import DRAW
from ludus.engines.checkers.endgames.tables import EndgameTables, load
from ludus.engines.checkers.search import TABLE_WIN, WIN
from ludus.engines.checkers.state import (
    DEPTH,
    FIRST_MOVE,
    GAME_KEYS,
    NODE_LIMIT,
    NODES,
    PATH_KEYS,
    ROOT_MOVE_COUNT,
    ROOT_SCORES,
    STOP,
    key_of,
    new_state,
)
from ludus.engines.checkers.transposition import DECISIVE, move_in, probe
from ludus.engines.checkers.weights import PackedWeights, packaged
from ludus.engines.engine import Limit, Line
from ludus.games.checkers.kernel import WORDS
from ludus.games.checkers.position import Move, Position, bit_of

CheckersRules = Rules[Position, Move]

UNLIMITED: Final = 1 << 62
MAX_DEPTH: Final = 99
SMALL_NODES: Final = 100_000
"""Searches of up to this many nodes get a small transposition table, which is faster to clear."""
LONG_SECONDS: Final = 0.5
"""Searches of at least this long get a large one."""
SMALL_BITS, MEDIUM_BITS, LARGE_BITS = 15, 20, 22
MAX_LINE: Final = 20
"""The most moves in a line."""
PLY_COST: Final = 1e-4
"""What a win loses in value with every ply it takes."""
TABLE_PLIES: Final = 100
"""Assumed length of a win that the search knows from the endgame tables alone."""
VALUE_SCALE: Final = 200
"""Points on the tanh scale of the expected result."""


class RootMove(NamedTuple):
    """A legal move as the kernel writes it (origin, landing and captures as bit sets), and its score in points."""

    move: tuple[int, int, int]
    score: int


class Searcher:
    """Thread-safe: each thread has a search state of its own.

    By default it uses the weights of the package and the largest endgame tables it finds.
    """

    def __init__(self, weights: PackedWeights | None = None, tables: EndgameTables | None = None) -> None:
        self._weights, self._tables = weights, tables
        self._local = threading.local()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes get states of their own."""
        return Searcher, (self._weights, self._tables)

    @cached_property
    def weights(self) -> PackedWeights:
        return packaged() if self._weights is None else self._weights

    @cached_property
    def tables(self) -> EndgameTables:
        return load() if self._tables is None else self._tables

    @cached_property
    def _iterative_deepening(self) -> Any:
        """The compiled search, called once on an empty board: loading it takes longer than many a time limit."""
        run = compiled(search).iterative_deepening
        run(new_state(SMALL_BITS, self.tables.layout), self.weights, self.tables.wld, 0, 0, 0, 0, 0, 1, 1)
        return run

    def search(self, position: Position, limit: Limit, past: Sequence[Position] = (), lines: int = 1) -> list[RootMove]:
        """The best moves, best first.

        Without a time limit the result depends on the arguments alone: earlier searches are forgotten.
        """
        state = self.state(limit)
        _prepare(state, limit, position, past)
        own, other, kings, side = _bitboards(position)
        run = self._iterative_deepening
        depth = MAX_DEPTH if limit.depth is None else max(limit.depth, 1)
        with _timer(state, limit.seconds):
            _run_interruptible(state, lambda: run(
                state, self.weights, self.tables.wld, own, other, kings, side, position.quiet, depth, lines
            ))  # fmt: skip
        return [_root_move(state, line) for line in range(min(lines, int(state[ROOT_MOVE_COUNT])))]

    def state(self, limit: Limit) -> Any:
        """The calling thread's state for a search of that size; after a search it holds depth and nodes."""
        states: dict[int, Any] = self._local.__dict__.setdefault("states", {})
        bits = _table_bits(limit)
        if bits not in states:
            states[bits] = new_state(bits, self.tables.layout)
        return states[bits]

    def lines(
        self, rules: CheckersRules, position: Position, limit: Limit, past: Sequence[Position], number: int
    ) -> list[Line[Move]]:
        """The best moves with values and principal variations, best first."""
        if self.tables.probe(position):
            return self._table_lines(rules, position)[:number]
        root_moves = self.search(position, limit, past, number)
        state = self.state(limit)
        depth, nodes = int(state[DEPTH]), int(state[NODES])
        moves = _moves_of(rules, position, root_moves)
        return [
            self._line(rules, position, state, move, root_move.score)._replace(depth=depth, nodes=nodes)
            for move, root_move in zip(moves, root_moves, strict=True)
        ]

    def _line(self, rules: CheckersRules, position: Position, state: Any, first: Move, score: int) -> Line[Move]:
        moves = [first]
        here = rules.play(position, first)
        while len(moves) < MAX_LINE and (move := _hash_move(rules, here, state)):
            moves.append(move)
            here = rules.play(here, move)
        return Line(first, value_of(score), tuple(moves), abs(score) > DECISIVE)

    def _table_lines(self, rules: CheckersRules, position: Position) -> list[Line[Move]]:
        """All moves of a position in the tables, from the quickest win to the quickest loss.

        Drawn moves are ordered by the evaluation: the opponent may not know that the position is a draw.
        """
        lines = []
        for move in rules.moves(position):
            after = rules.play(position, move)
            score = int(compiled(evaluation).evaluate(self.weights, *_bitboards(after)))
            lines.append((Line(move, self._table_value(after), (move,), is_exact=True), score))
        return [line for line, _ in sorted(lines, key=lambda pair: (-pair[0].value, pair[1]))]

    def extend(self, rules: CheckersRules, position: Position, line: Line[Move]) -> Line[Move]:
        """The line, continued with best play from the tables if it leads to a won or lost position in them."""
        moves = list(line.moves)
        for move in moves:
            position = rules.play(position, move)
        while len(moves) < MAX_LINE and (best := self._table_move(rules, position)):
            moves.append(best)
            position = rules.play(position, best)
        return line._replace(moves=tuple(moves))

    def _table_move(self, rules: CheckersRules, position: Position) -> Move | None:
        found = self.tables.probe(position)
        if found is None or found.value == DRAW:
            return None
        return max(rules.moves(position), key=lambda move: self._table_value(rules.play(position, move)), default=None)

    def _table_value(self, after: Position) -> float:
        """What a position in the tables is worth to the side that has just moved."""
        found = self.tables.probe(after)
        if found is None:
            raise AssertionError("a move leads from a position in the tables to one outside")
        return (DRAW - found.value) * (1 - PLY_COST * (found.plies + 1))


def value_of(score: int) -> float:
    """The expected result, −1 to 1; a proven win is worth 1 less `PLY_COST` for each ply."""
    if abs(score) <= DECISIVE:
        return tanh(score / VALUE_SCALE)
    plies = WIN - abs(score) if abs(score) > TABLE_WIN else TABLE_WIN - abs(score) + TABLE_PLIES
    return copysign(1 - PLY_COST * plies, score)


def _table_bits(limit: Limit) -> int:
    """Size of the transposition table, as a power of two."""
    if limit.nodes is not None and limit.nodes <= SMALL_NODES:
        return SMALL_BITS
    return LARGE_BITS if limit.seconds is not None and limit.seconds >= LONG_SECONDS else MEDIUM_BITS


def _bitboards(position: Position) -> tuple[int, int, int, int]:
    return position.own, position.other, position.kings, position.mover.value


def _prepare(state: Any, limit: Limit, position: Position, past: Sequence[Position]) -> None:
    if limit.seconds is None:
        state[NODES:] = 0
    state[STOP] = 0
    state[NODE_LIMIT] = UNLIMITED if limit.nodes is None else limit.nodes
    state[GAME_KEYS:PATH_KEYS] = 0
    before = past[:-1] if past and past[-1] == position else past
    for back, earlier in enumerate(reversed(before[-position.quiet :] if position.quiet else ()), 1):
        state[PATH_KEYS - back] = key_of(*_bitboards(earlier))


def _run_interruptible(state: Any, work: Callable[[], None]) -> None:
    """Runs a long search of the main thread in another one: compiled code doesn't see Ctrl-C."""
    is_short = state[NODE_LIMIT] <= SMALL_NODES
    if is_short or threading.current_thread() is not threading.main_thread():
        return work()
    with ThreadPoolExecutor(1, "ludus-search") as pool:
        try:
            return pool.submit(work).result()
        except BaseException:
            state[STOP] = 1
            raise


@contextmanager
def _timer(state: Any, seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return

    def stop() -> None:
        state[STOP] = 1

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # a timer about to stop this search must not stop the next one


def _root_move(state: Any, line: int) -> RootMove:
    origin, landing, taken = state[(FIRST_MOVE + line) * WORDS :][:3].tolist()
    return RootMove((origin, landing, taken), int(state[ROOT_SCORES + line]))


def _moves_of(rules: CheckersRules, position: Position, root_moves: Sequence[RootMove]) -> list[Move]:
    """The kernel can't tell jumps apart that take the same men by different paths; here each is used once."""
    left, moves = list(rules.moves(position)), []
    for root_move in root_moves:
        moves.append(next(move for move in left if _as_bits(move) == root_move.move))
        left.remove(moves[-1])
    return moves


def _as_bits(move: Move) -> tuple[int, int, int]:
    return bit_of(move.origin), bit_of(move.landing), sum(map(bit_of, move.captures))


def _hash_move(rules: CheckersRules, position: Position, state: Any) -> Move | None:
    word = int(probe(state, key_of(*_bitboards(position))))
    if not word:
        return None
    number = move_in(word)
    moves = (move for move in rules.moves(position) if (move.origin - 1) << 5 | move.landing - 1 == number)
    return next(moves, None)
