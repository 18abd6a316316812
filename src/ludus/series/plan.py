"""What to play in a series: games in pairs with sides swapped and the same dice."""

from __future__ import annotations

from typing import Final, NamedTuple

from ludus.core.errors import BadInput
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player
from ludus.engines import adapter
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
    """The variant, with its options."""
    move_seconds: float = MOVE_SECONDS
    """Time limit per move for an agent at an address."""

    @property
    def pairs(self) -> int:
        return self.games // 2

    @property
    def is_match(self) -> bool:
        """Whether winning a match counts, rather than the points of a game."""
        study = adapter(self.game).study
        return study is not None and study.is_match(Game(GAMES[self.game], self.variant))

    def check(self) -> None:
        if self.games < 2 or self.games % 2:
            raise BadInput("a series needs an even number of games, 2 or more: each is played again with sides swapped")
        if not 0 <= self.opening <= MOST_OPENING:
            raise BadInput(f"an opening has 0 to {MOST_OPENING} moves, not {self.opening}")
        if not 0 < self.move_seconds <= MOST_MOVE_SECONDS:
            raise BadInput(f"a move may take up to {MOST_MOVE_SECONDS} seconds, not {self.move_seconds:g}")
        GAMES[self.game].start(self.variant)  # raises what is wrong with its name


class Played(NamedTuple):
    """One game of a series. In games with even numbers, from 0, the first contender is the first player."""

    number: int
    moves: tuple[object, ...]
    outcome: Outcome
    luck_adjusted: float | None = None
    """The first player's result without luck, if an engine can compute it: points or, in a match, the chance gained."""

    @property
    def adjusted(self) -> float | None:
        """The same for the first contender."""
        if self.luck_adjusted is None:
            return None
        return self.luck_adjusted if self.player_of(0) is Player.FIRST else -self.luck_adjusted

    def player_of(self, contender: int) -> Player:
        return Player(contender ^ self.number & 1)

    @property
    def winner(self) -> int | None:
        """Which contender won."""
        return None if self.outcome.winner is None else self.outcome.winner ^ self.number & 1


Pair = tuple[Played, Played]
