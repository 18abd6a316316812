"""The values of backgammon: men, rolls, plays, the doubling cube, the score of a match, positions.

Points are numbered as their owner counts them, 24 down to 1; 25 is the bar and 0 is off. The kernel counts along the
road instead: its place is 25 less the point.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ludus.core.errors import MalformedPosition
from ludus.core.rules import Outcome, Player
from ludus.games.backgammon import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

BAR, OFF = 25, 0
MOST_MEN = 15
"""The most men of one side, and so on one point."""
PLANES = kernel.PLACES | kernel.PLACES << 32
"""All bits that men can use."""
FACES = frozenset(range(1, 7))
"""The faces of a die."""


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
    """The men of a side, given the number of men on each point."""
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


class CubeAction(enum.Enum):
    """What a player decides about the cube; the values are the words of notation."""

    NO_DOUBLE = "roll"
    """Roll, though a double is possible."""
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    """Double again at once and keep the cube."""


@dataclass(frozen=True, slots=True)
class Resignation:
    """A player concedes the game as a single (1), a gammon (2) or a backgammon (3), times the cube.

    Not a tuple, because one would be equal to the roll with the same numbers.
    """

    player: Player
    win: int


class Stage(enum.Enum):
    """What comes next in a turn: a decision about the cube, or the dice."""

    ON_ROLL = "on_roll"
    """The player on roll may double, if that is possible at all."""
    ROLLING = "rolling"
    """The dice are rolled next: the player on roll did not double, or the double was taken."""
    DOUBLED = "doubled"
    """The other side has to answer a double."""
    BEAVERED = "beavered"
    """The player on roll has to answer a beaver."""


class Cube(NamedTuple):
    value: int = 1
    """The value after the last double that was taken."""
    owner: Player | None = None
    """None while the cube is centred."""
    stage: Stage = Stage.ON_ROLL
    has_jacoby: bool = False
    """Whether gammons count only after a double."""
    has_beavers: bool = False

    @property
    def offered(self) -> int:
        """What the game is worth if the open double or beaver is taken."""
        return self.value * (2 if self.stage is Stage.DOUBLED else 4 if self.stage is Stage.BEAVERED else 1)


class Match(NamedTuple):
    """The score of a match before the current game."""

    length: int
    """The points that win it."""
    white: int = 0
    black: int = 0
    is_crawford: bool = False
    """Whether this is the Crawford game: the first one after a side came within a point of winning."""
    layout: str = "standard"
    """The variant that every game starts from."""

    def score(self, player: Player) -> int:
        return self.black if player is Player.SECOND else self.white

    def away(self, player: Player) -> int:
        """The points that the player still needs."""
        return self.length - self.score(player)

    def is_dead(self, value: int, player: Player) -> bool:
        """Whether a cube of this value is of no more use to the player, since winning it wins the match."""
        return value >= self.away(player)


class Position(NamedTuple):
    """Both sides' men, the player on roll (None before the opening roll), and the dice, once rolled.

    Without a cube, outside a match and before the end the last three are None.
    """

    white: Men
    black: Men
    mover: Player | None = None
    dice: tuple[()] | tuple[int, int] = ()
    cube: Cube | None = None
    match: Match | None = None
    ended: Outcome | None = None
    """How the game, or the match, ended, if the men don't show it."""

    @property
    def own(self) -> Men:
        return self.black if self.mover is Player.SECOND else self.white

    @property
    def other(self) -> Men:
        return self.white if self.mover is Player.SECOND else self.black

    @property
    def stake(self) -> int:
        """What a single game is worth. After a beaver that is twice the cube's value: the double counts as taken."""
        if self.cube is None:
            return 1
        return self.cube.value * (2 if self.cube.stage is Stage.BEAVERED else 1)

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
