"""The values of backgammon: men, rolls, plays, positions.

Points are numbered as their owner counts them, 24 down to 1; 25 is the bar and 0 is off. The kernel counts along the
road instead: its place is 25 less the point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ludus.core.errors import MalformedPosition
from ludus.core.rules import Player
from ludus.games.backgammon import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

BAR, OFF = 25, 0
MOST_MEN = 15
"""Of one side, and so on one point."""
PLANES = kernel.PLACES | kernel.PLACES << 32
"""All bits that men can use."""
FACES = frozenset(range(1, 7))
"""Of a die."""


class Men(NamedTuple):
    """One side's men, as the kernel's bit planes."""

    low: int
    high: int

    def on(self, point: int) -> int:
        return kernel.men_on(self.low, self.high, 25 - point)

    @property
    def counts(self) -> tuple[int, ...]:
        """How many men stand on each point: 26 numbers, from off (0) to the bar (25)."""
        return tuple(self.on(point) for point in range(26))

    @property
    def pips(self) -> int:
        """The pip count."""
        return sum(point * count for point, count in enumerate(self.counts))

    @property
    def is_sound(self) -> bool:
        """Whether all places exist and there are not too many men."""
        low, high = self
        if (low | high) & ~PLANES:
            return False
        ones_and_twos = low.bit_count() + (low >> 32).bit_count()
        fours_and_eights = high.bit_count() + (high >> 32).bit_count()
        return ones_and_twos + 4 * fours_and_eights <= MOST_MEN


def men(layout: Mapping[int, int]) -> Men:
    """From the number of men on each point."""
    if not all(OFF <= point <= BAR for point in layout):
        raise MalformedPosition(f"points are numbered {OFF} (off) to {BAR} (the bar)")
    if min(layout.values(), default=0) < 0 or sum(layout.values()) > MOST_MEN:
        raise MalformedPosition(f"a side has 0 to {MOST_MEN} men, not {dict(layout)}")
    low = high = 0
    for point, number in layout.items():
        for _ in range(number):
            low, high = kernel.add(low, high, 25 - point)
    return Men(low, high)


class Roll(NamedTuple):
    """Two dice, the higher first; in the opening roll white's first and black's second."""

    one: int
    two: int


class Step(NamedTuple):
    source: int
    target: int


class Play(NamedTuple):
    """One player's play of a roll: up to four steps, or none where nothing is legal."""

    steps: tuple[Step, ...]


class Position(NamedTuple):
    """Both sides' men, the player on roll (None before the opening roll), and the dice, once rolled."""

    white: Men
    black: Men
    mover: Player | None = None
    dice: tuple[()] | tuple[int, int] = ()

    @property
    def own(self) -> Men:
        return self.black if self.mover is Player.SECOND else self.white

    @property
    def other(self) -> Men:
        return self.white if self.mover is Player.SECOND else self.black

    @property
    def is_sound(self) -> bool:
        """Whether such a board can exist; the kernel's buffers are large enough for these positions only."""
        return self.white.is_sound and self.black.is_sound and FACES.issuperset(self.dice)


def _start(layout: Mapping[int, int]) -> Position:
    return Position(men(layout), men(layout))


VARIANTS: Mapping[str, Position] = {
    "standard": _start({24: 2, 13: 5, 8: 3, 6: 5}),
    "printed": _start({1: 2, 12: 5, 17: 3, 19: 5}),
    "nackgammon": _start({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}),
    "hypergammon": _start({24: 1, 23: 1, 22: 1}),
}
