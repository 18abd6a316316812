"""What the review of games needs from a game with dice: the cube, stakes and results."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.engine import Limit


class MoveKind(enum.StrEnum):
    """The kind of a move in a review."""

    MOVE = "move"
    NO_DOUBLE = "no_double"
    """A roll when a double was possible."""
    DOUBLE = "double"
    TAKE = "take"
    DROP = "drop"
    BEAVER = "beaver"
    RESIGNATION = "resignation"


CUBE_KINDS: Final = (MoveKind.NO_DOUBLE, MoveKind.DOUBLE, MoveKind.TAKE, MoveKind.DROP, MoveKind.BEAVER)
CUBE_ERRORS: Final[Mapping[MoveKind, str]] = {
    MoveKind.NO_DOUBLE: "missed_double",
    MoveKind.DOUBLE: "wrong_double",
    MoveKind.TAKE: "wrong_take",
    MoveKind.DROP: "wrong_pass",
    MoveKind.BEAVER: "wrong_beaver",
}
"""What a move of this kind is called if another one was better."""
EVEN: Final = 1e-9
"""Equities closer than this are equal."""
MISSED_BEAVER: Final = "missed_beaver"
"""What a take is called if a beaver was better."""


class CubeEquities(NamedTuple):
    """What each way to handle the cube is worth to the player on roll, with the cube at 1; cubeful and normalized."""

    no_double: float
    double_take: float
    double_pass: float
    chances: tuple[float, ...] = ()
    double_beaver: float | None = None
    """After the best answer to a beaver; None if beavers are not allowed."""

    @classmethod
    def from_data(cls, data: Sequence[Any]) -> CubeEquities:
        """Reads the equities from JSON; stored unfinished analyses of older versions have no `double_beaver`."""
        no_double, double_take, double_pass, chances, *beaver = data
        return cls(no_double, double_take, double_pass, tuple(chances), *beaver)

    @property
    def double(self) -> float:
        """The equity after a double and the best answer to it."""
        answers = (self.double_take, self.double_pass, self.double_beaver)
        return min(equity for equity in answers if equity is not None)

    @property
    def margin(self) -> float:
        """How much a double costs; below zero if it is right."""
        return self.no_double - self.double

    @property
    def action(self) -> str:
        """The right actions of both sides.

        `no_double`, `no_double_beaver`, `too_good`, `double_take`, `double_beaver` or `double_pass`; the answer after
        `no_double` is a take.
        """
        is_double = self.double > self.no_double - EVEN
        if self.double_pass < self.double_take:
            return "double_pass" if is_double else "too_good"
        if self.double_beaver is not None and self.double_beaver < self.double_take:
            return "double_beaver" if is_double else "no_double_beaver"
        return "double_take" if is_double else "no_double"

    def rounded(self, digits: int) -> CubeEquities:
        """As Python's own numbers, which JSON knows."""
        no_double, double_take, double_pass = (round(float(equity), digits) for equity in self[:3])
        chances = tuple(round(float(chance), digits) for chance in self.chances)
        double_beaver = None if self.double_beaver is None else round(float(self.double_beaver), digits)
        return CubeEquities(no_double, double_take, double_pass, chances, double_beaver)


class CubeWindow(NamedTuple):
    """Winning chances at which the right cube action changes, None if it never does; and market losers.

    The chances are those of the player on roll, except that take points are the other player's chances. If equities are
    exact, all but two are None.
    """

    take_point: float | None
    take_point_dead: float
    """The take point if the cube were dead after a take."""
    take_point_live: float
    """The take point if it were fully live."""
    doubling_point: float | None
    cash_point: float | None
    """From here on a double is dropped."""
    too_good_point: float | None
    """From here on the player is too good to double."""
    market_losers: float
    """The share of rolls after which a double would be dropped."""
    market_losers_with_reply: float
    """The same for rolls with a reply."""

    def rounded(self, digits: int) -> CubeWindow:
        """As Python's own numbers, which JSON knows."""
        return CubeWindow._make(None if value is None else round(float(value), digits) for value in self)


class Part(NamedTuple):
    """One game of a match, or the only one."""

    first_ply: int
    end_ply: int
    """The ply after its last one."""
    score: tuple[int, int]
    """The score before the game."""
    winner: int | None
    points: int
    reason: str


class Study(Protocol):
    """A game's part of the review. Equities are normalized: with the cube at 1, in a match as if for money."""

    def kind(self, position: Any, move: Any) -> MoveKind: ...

    def with_cube(self, position: Any, has_cube: bool) -> Any:
        """The position with a doubling cube or without it; a cube that is there stays as it is."""
        ...

    def is_cubeless(self, position: Any) -> bool:
        """Whether the position has no cube, but doubling would be possible with one."""
        ...

    def cube(self, position: Any, limit: Limit) -> CubeEquities | None:
        """The cube equities in a position where a double may be offered or has to be answered; else None."""
        ...

    def window(self, position: Any, cube: CubeEquities) -> CubeWindow:
        """The window around the cube decision that has these equities."""
        ...

    def effective_pips(self, position: Any) -> tuple[float | None, float | None]:
        """Both players' effective pip counts; None for a player without one."""
        ...

    def remarks(self, position: Any) -> Sequence[str]:
        """What players want to know about a position besides its value, in sentences."""
        ...

    def stake(self, position: Any) -> float:
        """What a normalized point is worth in the result."""
        ...

    def single(self, position: Any) -> float:
        """What a single game is worth in normalized points."""
        ...

    def is_match(self, game: Game[Any, Any]) -> bool:
        """Whether the result is a chance to win a match, not points."""
        ...

    def value_of_loss(self, position: Any, points: int, player: Player) -> float:
        """What losing a game of a match for this many points is worth to the player, normalized."""
        ...

    def result(self, game: Game[Any, Any]) -> float | None:
        """The first player's result: points or, in a match, the winning chance gained; None if unfinished."""
        ...

    def parts(self, game: Game[Any, Any]) -> list[Part]: ...
