"""What every engine can do."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Generic, NamedTuple, Protocol, TypeVar

from ludus.core.rules import Rules

P = TypeVar("P")
M = TypeVar("M")


class Limit(NamedTuple):
    """How much an engine may think; None bounds nothing, and with no bound at all the engine keeps to its own.

    `depth` counts moves at checkers and rolls at backgammon. Only `seconds` makes a choice depend on the machine.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


OWN_LIMIT = Limit()


class Line(NamedTuple, Generic[M]):
    """A move and what comes of it: `value` is what the game is then worth to whoever makes it, in points.

    `moves` goes on from `move` as both sides would best; `chances` are those of a game with gammons; a value that is
    exact was proven, not estimated.
    """

    move: M
    value: float
    moves: tuple[M, ...] = ()
    is_exact: bool = False
    chances: tuple[float, ...] = ()
    depth: int = 0
    nodes: int = 0


class Engine(Protocol):
    def choose(self, rules: Rules[P, M], position: P, limit: Limit, rng: Random, past: Sequence[P] = ()) -> M:
        """One of the legal moves of a position that has some; all chance comes from `rng`.

        `past` are earlier positions of the game, oldest first, which a game with draws by repetition asks about.
        """
        ...


class Analyst(Engine, Protocol):
    def analyse(
        self, rules: Rules[P, M], position: P, limit: Limit, past: Sequence[P] = (), lines: int = 5
    ) -> tuple[Line[M], ...]:
        """The best moves, best first."""
        ...


def roll(rules: Rules[P, M], position: P, rng: Random) -> M:
    """A roll of the dice by their weights."""
    chances = rules.chances(position)
    return rng.choices([rolled for rolled, _ in chances], [weight for _, weight in chances])[0]
