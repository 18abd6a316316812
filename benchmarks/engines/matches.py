"""Matches with the cube against the program GNU Backgammon: `python -m benchmarks.engines.matches [--plies N] …`.

Both look equally far ahead. Matches come in pairs with the same dice and sides swapped. At every cube decision of these
matches both are asked, on either side's turn. Where they differ, a rollout says what each would have given away; the
errors are added up for each, so that both are judged by the same positions. Answers count where one of them doubles.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator
from random import Random
from typing import Final, NamedTuple

from benchmarks.engines.gnubg_program import GnubgProgram
from benchmarks.report import heading, machine, row
from ludus.core.cores import cores
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.backgammon.cube.equity import PASS, cube_decision
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.backgammon.rollout import Settings, rollout_cube
from ludus.engines.engine import Limit, roll
from ludus.games.backgammon.position import CubeAction, Position, Stage
from ludus.games.backgammon.rules import Backgammon, Move, can_double

RULES: Final = Backgammon().compiled()
NO_RNG: Final = Random(0)


class Choices(NamedTuple):
    """What a player would do: on roll, and if the other one doubled."""

    double: bool
    take: bool


class Difference(NamedTuple):
    """A position before the roll in which the two players' choices differ."""

    position: Position
    ours: Choices
    theirs: Choices


class Match(NamedTuple):
    is_won: bool
    differences: tuple[Difference, ...]
    decisions: int


class Opponents:
    def __init__(self, gnubg: GnubgProgram, plies: int, length: int) -> None:
        self._gnubg = gnubg
        self._plies = plies
        self._length = length
        self._player = BackgammonPlayer(depth=plies)

    def match(self, side: Player, dice: Random) -> Match:
        """One match in which we play this side."""
        game, differences, decisions = Game(RULES, RULES.variant_name(match_length=self._length)), [], 0
        while (turn := game.turn) is not Turn.OVER:
            position = game.position
            if turn is Turn.DICE:
                game.play(roll(RULES, position, dice))
                continue
            if can_double(position):
                decisions += 1
                ours, theirs = self._our_choices(position), self._their_choices(position)
                if ours != theirs:
                    differences.append(Difference(position, ours, theirs))
            game.play(self._our_move(position) if turn.player is side else self._their_move(position))
        assert game.outcome is not None
        return Match(game.outcome.winner is side, tuple(differences), decisions)

    def _our_move(self, position: Position) -> Move:
        return self._player.choose(RULES, position, Limit(depth=self._plies), NO_RNG)

    def _their_move(self, position: Position) -> Move:
        if position.dice:
            return self._gnubg.play(position, self._plies)
        cube = position.cube
        assert cube is not None
        is_answer = cube.stage is Stage.DOUBLED
        choices = self._their_choices(position._replace(cube=cube._replace(stage=Stage.ON_ROLL)))
        if is_answer:
            return CubeAction.TAKE if choices.take else CubeAction.DROP
        return CubeAction.DOUBLE if choices.double else CubeAction.NO_DOUBLE

    def _our_choices(self, position: Position) -> Choices:
        found = cube_decision(position, Limit(depth=self._plies))
        return Choices(found.best is CubeAction.DOUBLE, found.response is not CubeAction.DROP)

    def _their_choices(self, position: Position) -> Choices:
        found = self._gnubg.decision(position, self._plies)
        no_double, take = found["no_double"], found["double_take"]
        return Choices(min(take, 1.0) > no_double, take <= 1.0)


class Errors(NamedTuple):
    """What wrong decisions gave away, in points of the cube's value, with standard errors of the rollouts."""

    ours: float
    theirs: float
    variance: float
    """Of the difference."""


def refereed(difference: Difference, trials: int) -> Errors:
    found = rollout_cube(difference.position, Settings(trials=trials), cores())
    no_double, take = found.no_double.equity.mean, found.double_take.equity.mean
    doubled, (ours, theirs) = min(take, PASS), difference[1:]
    spread = found.difference.error or 0.0
    if ours.double != theirs.double:
        gains = [(doubled if choices.double else no_double) - max(doubled, no_double) for choices in (ours, theirs)]
    else:
        gains = [0.0, 0.0]
    if ours.take != theirs.take and (ours.double or theirs.double):
        spread = max(spread, found.double_take.equity.error or 0.0)
        gains = [
            gain - abs(take - PASS) * (choices.take != (take <= PASS))
            for gain, choices in zip(gains, (ours, theirs), strict=True)
        ]
    return Errors(-gains[0], -gains[1], spread**2)


def matches(gnubg: GnubgProgram, options: argparse.Namespace) -> Iterator[tuple[Match, Match]]:
    opponents = Opponents(gnubg, options.plies, options.length)
    for pair in range(options.matches // 2):
        one, other = (opponents.match(side, Random(f"{options.seed} {pair}")) for side in Player)
        yield one, other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--length", type=int, default=7)
    parser.add_argument("--plies", type=int, default=0, choices=(0, 1, 2), help="rolls that both look ahead")
    parser.add_argument("--trials", type=int, default=324, help="of each rollout; 0 leaves the referee out")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with GnubgProgram() as gnubg:
        pairs = list(matches(gnubg, options))
    print(f"Matches to {options.length} points against GNU Backgammon at {options.plies} plies, {machine()}\n")
    heading("what", "ours", "gnubg", "aim")
    won = [(one.is_won + other.is_won) / 2 for one, other in pairs]
    error = statistics.stdev(won) / len(won) ** 0.5
    row(f"matches won, of {2 * len(won):,}", f"{statistics.mean(won):.1%} ± {error:.1%}", "", "> 50 %")
    both = [match for pair in pairs for match in pair]
    differences = [each for match in both for each in match.differences]
    judged = [refereed(each, options.trials) for each in differences] if options.trials else []
    decisions = sum(match.decisions for match in both)
    row(f"of {decisions:,} cube decisions, not the same", f"{len(differences):,}", "", "")
    if judged:
        ours, theirs = (1000 * sum(each[i] for each in judged) / len(both) for i in (0, 1))
        spread = 1000 * sum(each.variance for each in judged) ** 0.5 / len(both)
        name = f"given away in those, thousandths of a point a match, rollouts of {options.trials} trials"
        row(name, f"{ours:.1f}", f"{theirs:.1f}", f"less than gnubg; difference ± {spread:.1f}")


if __name__ == "__main__":
    main()
