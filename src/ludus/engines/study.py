"""What a game with dice tells the review of its games: the cube, stakes and results."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from ludus.core.game import Game
from ludus.engines.engine import Limit


class MoveKind(enum.StrEnum):
    """Of a move in a review."""

    MOVE = "move"
    NO_DOUBLE = "no_double"
    """A roll where a double was possible."""
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
"""What such a move is called if another was better."""


class CubeEquities(NamedTuple):
    """What each way to handle the cube is worth to the player on roll, with the cube at 1; cubeful and normalized."""

    no_double: float
    double_take: float
    double_pass: float
    chances: tuple[float, ...] = ()

    @property
    def equities(self) -> tuple[float, float, float]:
        return self.no_double, self.double_take, self.double_pass

    @property
    def double(self) -> float:
        """With the better answer to it."""
        return min(self.double_take, self.double_pass)

    @property
    def margin(self) -> float:
        """By how much a double is wrong; below zero if it is right."""
        return self.no_double - self.double

    @property
    def action(self) -> str:
        """What is right for both sides: `no_double`, `too_good`, `double_take` or `double_pass`."""
        is_pass = self.double_pass < self.double_take
        if self.no_double > self.double:
            return "too_good" if is_pass else "no_double"
        return "double_pass" if is_pass else "double_take"


class Part(NamedTuple):
    """One game of a match, or the only one."""

    first_ply: int
    end_ply: int
    """After its last."""
    score: tuple[int, int]
    """Before it."""
    winner: int | None
    points: int
    reason: str


class Study(Protocol):
    """Equities are normalized: with the cube at 1, in a match as if for money."""

    def kind(self, position: Any, move: Any) -> MoveKind: ...

    def cube(self, position: Any, limit: Limit) -> CubeEquities | None:
        """Where a double may be offered or is to be answered."""
        ...

    def window(self, position: Any, limit: Limit) -> Sequence[tuple[str, float]]:
        """Winning chances at which the right action changes, by name, and the shares of rolls that lose a market."""
        ...

    def remarks(self, position: Any) -> Sequence[str]:
        """What players want to know about a position beside its value, in sentences."""
        ...

    def stake(self, position: Any) -> float:
        """What a normalized point is worth in the result."""
        ...

    def is_match(self, game: Game[Any, Any]) -> bool:
        """Whether the result is a chance to win a match, not points."""
        ...

    def result(self, game: Game[Any, Any]) -> float | None:
        """Of the first player: points or, in a match, the chance to win it that was gained; None if unfinished."""
        ...

    def parts(self, game: Game[Any, Any]) -> list[Part]: ...
