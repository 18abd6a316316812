"""The rules of a game, as everything else sees them."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self, TypeVar

from ludus.core.errors import BadInput, UnknownOption, UnknownVariant

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
    """Who moves next: a player, the dice, or no one."""

    FIRST = 0
    SECOND = 1
    DICE = 2
    OVER = 3

    @property
    def player(self) -> Player | None:
        return _PLAYERS[self._value_]


_PLAYERS: Final = (Player.FIRST, Player.SECOND, None, None)


class Reason(enum.StrEnum):
    """Why a game ended. Servers add reasons of their own, such as a clock that ran out."""

    NO_PIECES = "no_pieces"
    NO_MOVES = "no_moves"
    BORNE_OFF = "borne_off"
    DROPPED = "dropped"
    FORTY_MOVES = "forty_moves"
    REPETITION = "repetition"
    AGREEMENT = "agreement"
    RESIGNATION = "resignation"
    CANCELLED = "cancelled"

    @classmethod
    def named(cls, text: str) -> str:
        """The member with this text, or the text itself if there is none."""
        return next((reason for reason in cls if reason == text), text)


class Outcome(NamedTuple):
    """How a game ended: `winner` is None for a draw or a cancelled game, `points` is what the win is worth."""

    winner: Player | None
    reason: str
    points: int = 1
    stake: int = 1
    """What the points were multiplied by, such as the value of a doubling cube."""

    @property
    def win(self) -> int:
        """The points without the stake: 1 for a single win, 2 for one that counts double."""
        return self.points // self.stake


class Option(NamedTuple):
    """A choice beside the starting position, such as the length of a match."""

    description: str
    kind: type = bool
    """`bool` or `int`."""
    least: int = 0
    most: int = 1


P = TypeVar("P")
M = TypeVar("M")


class Rules(Protocol[P, M]):
    """The rules of one game over positions `P` and moves `M`, both immutable.

    A roll of the dice is a move too, played when `turn` is `Turn.DICE`. A class that inherits from this one gets
    defaults for a game without dice, passes, repetition and compiled code.
    """

    @property
    def name(self) -> str: ...

    @property
    def players(self) -> tuple[str, str]:
        """The names of the first and the second player, such as black and white."""
        ...

    @property
    def most_points(self) -> int:
        """The most a win can be worth."""
        return 1

    @property
    def has_draws(self) -> bool:
        return True

    @property
    def pass_move(self) -> M | None:
        """The move made when no other is legal, or None if having no legal move loses."""
        return None

    @property
    def has_own_numbers(self) -> bool:
        """Whether each player numbers the board from their own side, and moves are written with those numbers."""
        return False

    @property
    def variants(self) -> Mapping[str, P]:
        """The starting positions by name; every game has one called `standard`."""
        ...

    @property
    def options(self) -> Mapping[str, Option]:
        """What can be chosen beside a starting position. The choice is part of a variant's name."""
        return {}

    def variant_name(self, variant: str = "standard", **options: int | None) -> str:
        """The name of a variant with these options; None leaves one out."""
        for name, value in options.items():
            if value is not None:
                raise UnknownOption(f"{self.name} has no option {name!r}")
        return variant

    def start(self, variant: str) -> P:
        """The starting position of a variant, whose name may contain options."""
        if variant not in self.variants:
            raise UnknownVariant(f"{self.name} has no variant {variant[:60]!r}; there are {', '.join(self.variants)}")
        return self.variants[variant]

    def options_of(self, variant: str) -> Mapping[str, int]:
        """The options in a variant's name; `variant_name` puts them into one."""
        return {}

    def variant_of(self, start: P) -> str | None:
        """The name of a starting position, or None if it has none."""
        return next((name for name, position in self.variants.items() if position == start), None)

    @property
    def notation(self) -> Notation[P, M]: ...

    def turn(self, position: P) -> Turn: ...

    def moves(self, position: P) -> tuple[M, ...]:
        """All legal moves or rolls, in a fixed order; empty only when the game is over."""
        ...

    def chances(self, position: P) -> tuple[tuple[M, int], ...]:
        """The rolls with their weights if it is the dice's turn, else nothing."""
        return ()

    def play(self, position: P, move: M) -> P:
        """The position after a legal move or roll; anything else raises `IllegalMove`."""
        ...

    def touched(self, position: P, move: M) -> tuple[int, ...]:
        """The squares or points of a move or roll made here, as the board numbers and highlights them."""
        return ()

    def outcome(self, position: P) -> Outcome | None:
        """How the game has ended, as far as the position alone tells."""
        ...

    def repeats(self, position: P) -> Hashable | None:
        """What has to occur three times for a draw, or None if repetition doesn't matter here."""
        return None

    def maker(self, position: P, move: M) -> Player | None:
        """Who makes a move here: the player to move, unless the move names another; no one makes a roll."""
        return self.turn(position).player

    def resignation(self, player: Player, win: int) -> M | None:
        """The move by which a player concedes a win of this kind; None where a resignation is no move."""
        return None

    def stake(self, position: P) -> int:
        """The factor for the points of a win if the players end the game here."""
        return 1

    def score(self, position: P) -> tuple[int, int] | None:
        """Both players' points in a match, or None outside one."""
        return None

    def game_ended(self, before: P, move: M, after: P) -> Outcome | None:
        """How a move ended a game of a match, whether or not the match goes on; None if it ended no game."""
        return None

    def perft(self, position: P, depth: int, *, weighted: bool = False) -> int:
        """The number of lines of `depth` moves; draws by counting or repetition are ignored.

        A roll is not counted as a move. It counts once or, if `weighted`, by its weight.
        """
        if depth < 0:
            raise BadInput(f"lines of {depth} moves cannot be counted")
        if depth == 0:
            return 1
        if self.turn(position) is Turn.DICE:
            rolls = ((weight if weighted else 1, self.play(position, roll)) for roll, weight in self.chances(position))
            return sum(weight * self.perft(after, depth, weighted=weighted) for weight, after in rolls)
        afters = (self.play(position, move) for move in self.moves(position))
        return sum(self.perft(after, depth - 1, weighted=weighted) for after in afters)

    def board(self, position: P, outcome: Outcome | None = None) -> Board:
        """The position as a picture, with the outcome of the game where the position does not show it."""
        ...

    def compiled(self) -> Self:
        """The same rules over compiled functions: slow to start, then fast."""
        return self
