"""Statistics of a reviewed game for players: error rates, a rating in words, luck, and the result without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.adapters import adapter
from ludus.engines.review import MoveReview, Summary, summary, turns
from ludus.engines.study import CUBE_KINDS, MoveKind, Study

PR_SCALE: Final = 500
SNOWIE_SCALE: Final = 1000
RATINGS: Final = (
    (2.5, "world_champion"),
    (5.0, "world_class"),
    (7.5, "expert"),
    (12.5, "advanced"),
    (17.5, "intermediate"),
    (22.5, "casual"),
    (30.0, "beginner"),
)
"""What players call a performance rating below these numbers."""
WORST: Final = "distracted"
LUCK_MARKS: Final = ((0.6, "very_lucky"), (0.3, "lucky"))
"""What a roll is called if it was at least this much better than the average one."""


class Statistics(NamedTuple):
    """One player's statistics. Errors and luck are in normalized points, `result_luck` and the rest in the result's."""

    total: Summary
    checker: Summary
    cube: Summary
    cube_errors: Counter[str]
    """How often each error was made."""
    moves: int
    """Rolls played, forced ones and passes included, by both players."""
    luck: float
    result_luck: float
    """The same luck in points or, in a match, in chances to win it."""
    result: float | None
    """Points won or lost or, in a match, the chance to win it that was gained; None without a result."""
    luck_adjusted: float | None
    """The result without the luck of both players."""
    is_match: bool
    """Whether the result is a chance to win a match."""

    @property
    def pr(self) -> float | None:
        """The performance rating; None without a decision."""
        return self.total.rate * PR_SCALE if self.total.decisions else None

    @property
    def rating(self) -> str | None:
        """The performance rating in words."""
        pr = self.pr
        return None if pr is None else next((word for least, word in RATINGS if pr < least), WORST)

    @property
    def snowie_error_rate(self) -> float | None:
        return self.total.error / self.moves * SNOWIE_SCALE if self.moves else None


def statistics(game: Game[Any, Any], reviews: Sequence[MoveReview]) -> tuple[Statistics, Statistics] | None:
    """Both players' statistics; None for a game without dice. The result is the whole game's, once all is reviewed."""
    study = adapter(game.rules.name).study
    if study is None:
        return None
    is_whole = [each.ply for each in sorted(reviews)] == turns(game)
    result = study.result(game) if is_whole else None
    first, second = (_statistics(game, study, reviews, player, result) for player in Player)
    return first, second


def _statistics(
    game: Game[Any, Any], study: Study, reviews: Sequence[MoveReview], player: Player, result: float | None
) -> Statistics:
    name = game.rules.name
    side = 1 if player is Player.FIRST else -1
    own = None if result is None else side * result
    rolls = [(each, _roller(game, each)) for each in reviews if each.luck is not None]
    own_luck, other_luck = (
        sum((each.luck or 0.0) * each.stake for each, roller in rolls if (roller is player) is is_own)
        for is_own in (True, False)
    )
    return Statistics(
        summary(name, reviews, player),
        summary(name, reviews, player, (MoveKind.MOVE,)),
        summary(name, reviews, player, CUBE_KINDS),
        Counter(each.cube_error for each in reviews if each.player is player and each.cube_error),
        sum(each.kind is MoveKind.MOVE and each.played is not None for each in reviews),
        sum(each.luck or 0.0 for each, roller in rolls if roller is player),
        own_luck,
        own,
        None if own is None else own - (own_luck - other_luck),
        study.is_match(game),
    )


def _roller(game: Game[Any, Any], review: MoveReview) -> Player | None:
    """The player who made the roll before a move; a game may be resigned in the other player's turn."""
    is_resigned = review.kind is MoveKind.RESIGNATION
    return game.rules.turn(game.position_at(review.ply)).player if is_resigned else review.player


def luck_mark(luck: float | None) -> str | None:
    """`very_lucky`, `lucky`, `unlucky` or `very_unlucky` for a roll far from the average."""
    if luck is None:
        return None
    mark = next((word for least, word in LUCK_MARKS if abs(luck) >= least), None)
    return mark if luck > 0 or mark is None else mark.replace("lucky", "unlucky")
