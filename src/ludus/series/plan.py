"""What to play in a series: games in pairs with sides swapped and the same dice."""

from __future__ import annotations

from typing import Final, NamedTuple

from ludus.core.errors import BadInput, UnknownVariant
from ludus.core.rules import Outcome, Player
from ludus.games import GAMES
from ludus.series.contender import MOVE_SECONDS

MOST_OPENING: Final = 20
MOST_MOVE_SECONDS: Final = 86_400


class Plan(NamedTuple):
    """Determines the games: the same plan gives the same games, however many processes play them."""

    game: str
    contenders: tuple[str, str]
    games: int
    seed: int = 0
    opening: int = 0
    """Random moves at the start of each game, the same in both games of a pair."""
    variant: str = "standard"
    move_seconds: float = MOVE_SECONDS
    """Time limit per move for an agent at an address."""

    @property
    def pairs(self) -> int:
        return self.games // 2

    def check(self) -> None:
        if self.games < 2 or self.games % 2:
            raise BadInput("a series needs an even number of games, 2 or more: each is played again with sides swapped")
        if not 0 <= self.opening <= MOST_OPENING:
            raise BadInput(f"an opening has 0 to {MOST_OPENING} moves, not {self.opening}")
        if not 0 < self.move_seconds <= MOST_MOVE_SECONDS:
            raise BadInput(f"a move may take up to {MOST_MOVE_SECONDS} seconds, not {self.move_seconds:g}")
        if self.variant not in (variants := GAMES[self.game].variants):
            raise UnknownVariant(f"{self.game} has no variant {self.variant!r}; there are {', '.join(variants)}")


class Played(NamedTuple):
    """One game of a series. In games with even numbers, from 0, the first contender is the first player."""

    number: int
    moves: tuple[object, ...]
    outcome: Outcome

    def player_of(self, contender: int) -> Player:
        return Player(contender ^ self.number & 1)

    @property
    def winner(self) -> int | None:
        """Which contender won."""
        return None if self.outcome.winner is None else self.outcome.winner ^ self.number & 1


Pair = tuple[Played, Played]
