"""What every engine does."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Generic, NamedTuple, Protocol, TypeVar

from ludus.core.rules import Rules

P = TypeVar("P")
M = TypeVar("M")


class Limit(NamedTuple):
    """How long an engine may think. None means no bound; with no bounds at all the engine uses its own.

    `depth` counts moves or, in a game with dice, rolls. Only `seconds` makes a choice depend on the machine.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


OWN_LIMIT = Limit()


class Line(NamedTuple, Generic[M]):
    """A move and its value to the player who makes it, in points.

    `moves` continues with the best play of both sides; `chances` are those of the kinds of wins and losses, in a game
    that has several; an exact value is proven, not estimated.
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
        """A legal move, in a position that has some; all randomness comes from `rng`.

        `past` are earlier positions, oldest first, for games with draws by repetition.
        """
        ...


class Analyst(Engine, Protocol):
    def analyse(
        self, rules: Rules[P, M], position: P, limit: Limit, past: Sequence[P] = (), lines: int = 5
    ) -> tuple[Line[M], ...]:
        """The best moves, best first."""
        ...


def noticed(moves: Sequence[M], oversight: float, rng: Random) -> Sequence[M]:
    """The moves seen by a player who overlooks each with the probability `oversight`; always at least one."""
    if not oversight:
        return moves
    return [move for move in moves if rng.random() >= oversight] or [rng.choice(moves)]


def roll(rules: Rules[P, M], position: P, rng: Random) -> M:
    """A roll of the dice by their weights."""
    chances = rules.chances(position)
    return rng.choices([rolled for rolled, _ in chances], [weight for _, weight in chances])[0]
