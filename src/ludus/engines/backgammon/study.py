"""The cube, stakes and results in the review of a game. NumPy and Numba load on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.engine import Limit
from ludus.engines.study import CubeEquities, CubeWindow, MoveKind, Part
from ludus.games.backgammon.board import NAMES
from ludus.games.backgammon.match import match_games
from ludus.games.backgammon.position import Cube, CubeAction, Position, Resignation
from ludus.games.backgammon.rules import Move

KINDS: Final = {
    CubeAction.NO_DOUBLE: MoveKind.NO_DOUBLE,
    CubeAction.DOUBLE: MoveKind.DOUBLE,
    CubeAction.TAKE: MoveKind.TAKE,
    CubeAction.DROP: MoveKind.DROP,
    CubeAction.BEAVER: MoveKind.BEAVER,
}


class BackgammonStudy:
    def kind(self, position: Position, move: Move) -> MoveKind:
        if isinstance(move, Resignation):
            return MoveKind.RESIGNATION
        return KINDS[move] if isinstance(move, CubeAction) else MoveKind.MOVE

    def with_cube(self, position: Position, has_cube: bool) -> Position:
        return position._replace(cube=(position.cube or Cube()) if has_cube else None)

    def is_cubeless(self, position: Position) -> bool:
        return position.cube is None

    def cube(self, position: Position, limit: Limit) -> CubeEquities | None:
        if position.cube is None or position.mover is None or position.dice:
            return None
        found = BackgammonPlayer().decide(position, limit)
        double_beaver = found.double_beaver if found.has_beavers else None
        return CubeEquities(found.no_double, found.double_take, found.double_pass, found.chances, double_beaver)

    def window(self, position: Position, cube: CubeEquities) -> CubeWindow:
        from ludus.engines.backgammon.cube.equity import decision_at_sight, market_losers
        from ludus.engines.backgammon.network import Chances

        found, losers = decision_at_sight(Chances(*cube.chances), position).window, market_losers(position)
        take = found.take
        return CubeWindow(take.real, take.dead, take.live, found.double, found.cash, found.too_good, *losers)

    def effective_pips(self, position: Position) -> tuple[float | None, float | None]:
        """The effective pip count of each side that is bearing off."""
        from ludus.engines.backgammon.tables import effective_pips

        return effective_pips(position.white), effective_pips(position.black)

    def remarks(self, position: Position) -> Sequence[str]:
        counts = zip(NAMES, position[:2], self.effective_pips(position), strict=True)
        return [f"{name}: {men.pips} pips, effectively {count:.2f}" for name, men, count in counts if count is not None]

    def stake(self, position: Position) -> float:
        """For money, the cube's value; in a match, half the match winning chance that the cube decides about."""
        if position.match is None:
            return 1.0 if position.cube is None else float(position.cube.value)
        from ludus.engines.backgammon.cube.score import cube_view

        view = cube_view(position)
        return (view.score.worth(view.value) - view.score.worth(-view.value)) / 2

    def single(self, position: Position) -> float:
        """1, but 2 after a beaver: the double then counts as taken, but equities are still in units of the old cube."""
        return 1.0 if position.cube is None else position.stake / position.cube.value

    def is_match(self, game: Game[Any, Any]) -> bool:
        return game.start.match is not None

    def result(self, game: Game[Any, Any]) -> float | None:
        outcome, start = game.outcome, game.start
        if outcome is None or outcome.winner is None:
            return None
        if start.match is None:
            return float(outcome.points if outcome.winner is Player.FIRST else -outcome.points)
        from ludus.engines.backgammon.cube.score import match_score

        before = match_score(start.match, Player.FIRST, has_cube=start.cube is not None).equity
        return float(outcome.winner is Player.FIRST) - before

    def value_of_loss(self, position: Any, points: int, player: Player) -> float:
        from ludus.engines.backgammon.cube.score import cube_view

        view = cube_view(position)
        seen = view if (position.mover or Player.FIRST) is player else view.flipped
        high, low = seen.score.worth(seen.value), seen.score.worth(-seen.value)
        return (2 * seen.score.worth(-points) - high - low) / (high - low)

    def parts(self, game: Game[Any, Any]) -> list[Part]:
        return [_part(game, part.first, part.end, part.outcome) for part in match_games(game)]


def _part(game: Game[Any, Any], first: int, end: int, outcome: Outcome | None) -> Part:
    match = game.position_at(first).match
    score = (0, 0) if match is None else (match.white, match.black)
    if outcome is None or outcome.winner is None:
        return Part(first, end, score, None, 0, "" if outcome is None else outcome.reason)
    return Part(first, end, score, int(outcome.winner), outcome.points, outcome.reason)
