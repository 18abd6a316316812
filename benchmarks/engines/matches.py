"""Matches with the cube against the program GNU Backgammon: `python -m benchmarks.engines.matches [--plies N] …`.

Both look equally far ahead. Matches come in pairs with the same dice and sides swapped. The share of matches won is
reported as it fell and luck-adjusted, which varies far less. With `--out` every pair is appended to a file as soon as
it is played; runs with different seeds may share one, and `--sum FILE…` reports what is in them.

At every cube decision of these matches both are asked, on either side's turn. Where they differ, a rollout says what
each would have given away; the errors are added up for each, so that both are judged by the same positions. Answers
count where one of them doubles. `--results-only` leaves all that out.

With `--cube-plies` both look further ahead at the cube than at plays, wherever one of them finds the decision close at
sight. With `--gnu-trials` GNU Backgammon's own rollouts judge the same decisions too, since ours might favour us. With
`--gnu-plies` it judges them by looking that far ahead, which takes little time and favours GNU Backgammon.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from benchmarks.engines.gnubg_program import GnubgProgram, find_program
from benchmarks.engines.gnubg_rollout import cube_rollout
from benchmarks.engines.match_results import Pair, Result, append, estimate, rates, read
from benchmarks.report import heading, machine, row
from ludus.core.cores import cores
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.backgammon.cube.equity import PASS, cube_decision
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.backgammon.rollout import Settings, rollout_cube
from ludus.engines.engine import Limit, roll
from ludus.engines.estimate import Estimate
from ludus.engines.luck import luck_adjusted_result
from ludus.games.backgammon.position import CubeAction, Position, Stage
from ludus.games.backgammon.rules import Backgammon, Move, can_double

RULES: Final = Backgammon().compiled()
NO_RNG: Final = Random(0)
CLOSE: Final = 0.15
"""Decisions with a larger margin at sight are the same for everyone."""


class Choices(NamedTuple):
    """What a player would do: on roll, and if the other one doubled."""

    double: bool
    take: bool


class Opinion(NamedTuple):
    """A player's equities without a double, and with one that is taken."""

    no_double: float
    take: float

    @property
    def choices(self) -> Choices:
        return Choices(min(self.take, PASS) > self.no_double, self.take <= PASS)

    @property
    def is_close(self) -> bool:
        return min(abs(min(self.take, PASS) - self.no_double), abs(self.take - PASS)) < CLOSE


class Difference(NamedTuple):
    """A position before the roll in which the two players' choices differ."""

    position: Position
    ours: Choices
    theirs: Choices


class Match(NamedTuple):
    result: Result
    differences: tuple[Difference, ...]
    decisions: int


class Opponents:
    def __init__(self, gnubg: GnubgProgram, options: argparse.Namespace) -> None:
        self._gnubg = gnubg
        self._plies, self._cube_plies = options.plies, max(options.plies, options.cube_plies)
        self._length, self._seed, self._compares = options.length, options.seed, not options.results_only
        self._player = BackgammonPlayer(depth=options.plies)

    def match(self, pair: int, side: Player) -> Match:
        """The match of this pair in which we play this side."""
        dice, differences, decisions = Random(f"{self._seed} {pair}"), [], 0
        game = Game(RULES, RULES.variant_name(match_length=self._length))
        while (turn := game.turn) is not Turn.OVER:
            position = game.position
            if turn is Turn.DICE:
                game.play(roll(RULES, position, dice))
                continue
            if self._compares and can_double(position):
                decisions += 1
                ours, theirs = self._choices(position)
                if ours != theirs:
                    differences.append(Difference(position, ours, theirs))
            game.play(self._our_move(position) if turn.player is side else self._their_move(position))
        assert game.outcome is not None
        found = game.outcome.winner is side, _adjusted(game, side)
        result = Result(self._length, self._plies, self._seed, pair, side, *found)
        return Match(result, tuple(differences), decisions)

    def _choices(self, position: Position) -> tuple[Choices, Choices]:
        """Ours and theirs."""
        ours, theirs = self._our_opinion(position, self._plies), self._their_opinion(position, self._plies)
        if self._cube_plies > self._plies and (ours.is_close or theirs.is_close or ours.choices != theirs.choices):
            ours, theirs = (ask(position, self._cube_plies) for ask in (self._our_opinion, self._their_opinion))
        return ours.choices, theirs.choices

    def _our_move(self, position: Position) -> Move:
        return self._player.choose(RULES, position, Limit(depth=self._plies), NO_RNG)

    def _their_move(self, position: Position) -> Move:
        if position.dice:
            return self._gnubg.play(position, self._plies)
        cube = position.cube
        assert cube is not None
        is_answer = cube.stage is Stage.DOUBLED
        before = position._replace(cube=cube._replace(stage=Stage.ON_ROLL))
        choices = self._their_opinion(before, self._plies).choices
        if is_answer:
            return CubeAction.TAKE if choices.take else CubeAction.DROP
        return CubeAction.DOUBLE if choices.double else CubeAction.NO_DOUBLE

    def _our_opinion(self, position: Position, plies: int) -> Opinion:
        found = cube_decision(position, Limit(depth=plies))
        return Opinion(found.no_double, found.double_take)

    def _their_opinion(self, position: Position, plies: int) -> Opinion:
        return their_opinion(self._gnubg, position, plies)


def _adjusted(game: Game[Position, Move], side: Player) -> float:
    """The first player's is the chance gained in a match that starts even."""
    found = luck_adjusted_result(game)
    assert found is not None
    return 0.5 + (found if side is Player.FIRST else -found)


def their_opinion(gnubg: GnubgProgram, position: Position, plies: int) -> Opinion:
    found = gnubg.decision(position, plies)
    return Opinion(found["no_double"], found["double_take"])


class Errors(NamedTuple):
    """What a wrong double or none, and a wrong answer, gave away, in points of the cube's value."""

    doubles: float
    answers: float


TOTAL: Final = 2
"""After the two parts of `Errors`."""


class Verdict(NamedTuple):
    ours: Errors
    theirs: Errors


def verdict(difference: Difference, referee: Opinion) -> Verdict:
    ours, theirs = (_errors(choices, difference, referee) for choices in difference[1:])
    return Verdict(ours, theirs)


def _errors(choices: Choices, difference: Difference, referee: Opinion) -> Errors:
    best, doubled = referee.choices, min(referee.take, PASS)
    is_wrong = choices.double != best.double and difference.ours.double != difference.theirs.double
    is_asked = difference.ours.double or difference.theirs.double
    is_wrong_answer = choices.take != best.take and difference.ours.take != difference.theirs.take and is_asked
    lost = abs(doubled - referee.no_double) * is_wrong, abs(referee.take - PASS) * is_wrong_answer
    return Errors(*lost)


Referee = Callable[[Position], Opinion]


def our_rollouts(trials: int) -> Referee:
    def judge(position: Position) -> Opinion:
        found = rollout_cube(position, Settings(trials=trials), cores())
        return Opinion(found.no_double.equity.mean, found.double_take.equity.mean)

    return judge


def their_rollouts(trials: int) -> Referee:
    def judge(position: Position) -> Opinion:
        assert position.match is not None
        xgid = RULES.notation.write_position(position)
        return Opinion(*cube_rollout(find_program(), xgid, position.match.length, trials))

    return judge


def judged(name: str, pairs: Sequence[tuple[Match, Match]], referee: Referee) -> None:
    """Prints what each gave away by this referee; what it was so far goes to the error output."""
    found: list[list[Verdict]] = []
    for pair in pairs:
        differences = [each for match in pair for each in match.differences]
        found.append([verdict(each, referee(each.position)) for each in differences])
        print(f"{name}, {2 * len(found)} matches: {' | '.join(_totals(found, TOTAL))}", file=sys.stderr, flush=True)
    for kind, part in (("doubles", 0), ("answers", 1), ("all", TOTAL)):
        row(f"given away by {kind}, thousandths a match, {name}", *_totals(found, part))


def _totals(found: Sequence[Sequence[Verdict]], part: int) -> list[str]:
    """Ours, theirs, and the difference."""
    ours, theirs = (
        [sum((*each[side], sum(each[side]))[part] for each in verdicts) for verdicts in found] for side in (0, 1)
    )
    return [_total(totals) for totals in (ours, theirs, [one - two for one, two in zip(ours, theirs, strict=True)])]


def _total(totals: Sequence[float]) -> str:
    """Thousandths a match, with the standard error of the pairs, which has that of the rollouts in it."""
    return "{:.1f} ± {:.1f}".format(*estimate([1000 * total / 2 for total in totals]))


def matches(gnubg: GnubgProgram, options: argparse.Namespace) -> Iterator[tuple[Match, Match]]:
    opponents, results = Opponents(gnubg, options), list[Pair]()
    for pair in range(options.matches // 2):
        one, other = (opponents.match(pair, side) for side in Player)
        results.append((one.result, other.result))
        if options.out:
            append(options.out, results[-1])
        found = rates(results)
        so_far = f"{found.matches} matches: {_share(found.plain)} won, {_share(found.adjusted)} luck-adjusted"
        print(so_far, file=sys.stderr, flush=True)
        yield one, other


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--matches", type=int, default=100)
    parser.add_argument("--length", type=int, default=7)
    parser.add_argument("--plies", type=int, default=0, choices=(0, 1, 2), help="rolls that both look ahead")
    parser.add_argument("--cube-plies", type=int, default=0, choices=(0, 1, 2), help="the same at close cube decisions")
    parser.add_argument("--trials", type=int, default=324, help="of each rollout; 0 leaves the referee out")
    parser.add_argument("--gnu-plies", type=int, default=0, help="of GNU Backgammon as a referee; 0 leaves it out")
    parser.add_argument("--gnu-trials", type=int, default=0, help="the same of GNU Backgammon's rollouts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--results-only", action="store_true", help="leave the cube decisions and all referees out")
    parser.add_argument("--out", type=Path, help="append the results to this file, a line of JSON for each match")
    parser.add_argument("--sum", type=Path, nargs="+", help="only report the results in these files")
    options = parser.parse_args()
    if options.sum:
        summarize(read(options.sum))
        return
    with GnubgProgram() as gnubg:
        pairs = list(matches(gnubg, options))
        summarize([(one.result, other.result) for one, other in pairs])
        if options.results_only:
            return
        count(pairs)
        if options.gnu_plies:
            name = f"GNU Backgammon {options.gnu_plies}-ply"
            judged(name, pairs, partial(their_opinion, gnubg, plies=options.gnu_plies))
    if options.gnu_trials:
        judged(f"{options.gnu_trials} trials of GNU Backgammon", pairs, their_rollouts(options.gnu_trials))
    if options.trials:
        judged(f"{options.trials} trials", pairs, our_rollouts(options.trials))


def summarize(pairs: Sequence[Pair]) -> None:
    found, one = rates(pairs), pairs[0][0]
    print(f"Matches to {one.length} points against GNU Backgammon at {one.plies} plies, {machine()}\n")
    heading("what", "ours", "gnubg", "ours less gnubg's")
    row(f"matches won, of {found.matches:,}", _share(found.plain), "", "")
    row("the same, luck-adjusted", _share(found.adjusted), "", "")


def _share(found: Estimate) -> str:
    return "{:.1%} ± {:.1%}".format(*found)


def count(pairs: Sequence[tuple[Match, Match]]) -> None:
    both = [match for pair in pairs for match in pair]
    decisions, differences = sum(match.decisions for match in both), sum(len(match.differences) for match in both)
    row(f"of {decisions:,} cube decisions, not the same", f"{differences:,}", "", "")


if __name__ == "__main__":
    main()
