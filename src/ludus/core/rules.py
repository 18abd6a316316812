"""The rules of a game, as everybody in the house sees them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self, TypeVar

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ludus.core.board import Board
    from ludus.core.notation import Notation


class Player(enum.IntEnum):
    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Player:
        return Player(1 - self)


class Turn(enum.Enum):
    """Whose turn it is: a player's, the dice's, or nobody's any more."""

    FIRST = 0
    SECOND = 1
    DICE = 2
    OVER = 3

    @property
    def player(self) -> Player | None:
        return _PLAYERS[self._value_]


_PLAYERS: Final = (Player.FIRST, Player.SECOND, None, None)


class Reason(enum.StrEnum):
    """Why a game ended. The doors add reasons of their own, such as a clock that ran out."""

    NO_PIECES = "no_pieces"
    NO_MOVES = "no_moves"
    BORNE_OFF = "borne_off"
    FORTY_MOVES = "forty_moves"
    REPETITION = "repetition"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"

    @classmethod
    def named(cls, text: str) -> str:
        """The member with this text or, where there is none, the text itself."""
        return next((reason for reason in cls if reason == text), text)


class Outcome(NamedTuple):
    """How a game ended: `winner` is None for a draw, `points` is what the win is worth."""

    winner: Player | None
    reason: str
    points: int = 1


P = TypeVar("P")
M = TypeVar("M")


class Rules(Protocol[P, M]):
    """The rules of one game over positions `P` and moves `M`, both values that never change.

    A roll of the dice is a move too: it is played when `turn` is `Turn.DICE`, by whoever brings the dice.
    """

    @property
    def name(self) -> str: ...

    @property
    def players(self) -> tuple[str, str]:
        """What the first and the second player are called."""
        ...

    @property
    def most_points(self) -> int:
        """The most a win can be worth."""
        ...

    @property
    def has_draws(self) -> bool: ...

    @property
    def pass_move(self) -> M | None:
        """The move that is made where no other is legal, or None where that loses."""
        ...

    @property
    def has_own_numbers(self) -> bool:
        """Whether each player numbers the board from their own side, as moves are then written."""
        ...

    @property
    def variants(self) -> Mapping[str, P]:
        """The starting positions by name; every game has one called `standard`."""
        ...

    @property
    def notation(self) -> Notation[P, M]: ...

    def turn(self, position: P) -> Turn: ...

    def moves(self, position: P) -> tuple[M, ...]:
        """All that may be played next, in a fixed order; empty only when the game is over."""
        ...

    def chances(self, position: P) -> tuple[tuple[M, int], ...]:
        """At a dice turn the rolls with their weights, else nothing."""
        ...

    def play(self, position: P, move: M) -> P:
        """The position after a legal move or roll; anything else raises `IllegalMove`."""
        ...

    def touched(self, position: P, move: M) -> tuple[int, ...]:
        """The squares or points of a move or roll made here, as the board numbers and highlights them."""
        ...

    def outcome(self, position: P) -> Outcome | None:
        """How the game has ended, as far as the position alone tells."""
        ...

    def repeats(self, position: P) -> Hashable | None:
        """What has to occur three times for a draw, or None where repetition means nothing."""
        ...

    def perft(self, position: P, depth: int, *, weighted: bool = False) -> int:
        """How many lines of `depth` moves there are, draws by counting or repetition left aside.

        A roll is no move; it counts once or, `weighted`, as often as it falls.
        """
        ...

    def board(self, position: P, outcome: Outcome | None = None) -> Board:
        """The position as a picture, with the outcome of the game where the position does not show it."""
        ...

    def compiled(self) -> Self:
        """The same rules over compiled functions: slow to start, then fast."""
        ...
