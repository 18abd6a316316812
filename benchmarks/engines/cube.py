"""Cubeful equities and decisions against GNU Backgammon: `python -m benchmarks.engines.cube [--plies N] …`.

Needs the program `gnubg` itself (`apt-get install gnubg`), not only its networks. Half of the positions are for money,
half in matches at random scores. Each is compared with GNU's winning chances and match equity table, which shows what
the models of the cube make of the same input, with its chances only, and with nothing of GNU's. The tables are compared
too.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from benchmarks.engines.gnubg_program import GnubgProgram
from benchmarks.report import heading, machine, row
from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines.backgammon.cube.equity import CubeDecision, cube_decision, decision_at_sight
from ludus.engines.backgammon.cube.met import MOST_POINTS, MatchEquityTable, MatchScore, table
from ludus.engines.backgammon.cube.score import cube_view
from ludus.engines.backgammon.network import Chances
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.engine import Limit, roll
from ludus.games.backgammon.position import Cube, CubeAction, Match, Position
from ludus.games.backgammon.rules import Backgammon, can_double

RULES: Final = Backgammon().compiled()
SAMPLED: Final = 0.1
"""Share of a game's positions that is used, because neighbouring ones are alike."""
EVEN, CLOSE = 0.001, 0.02
"""Where GNU prefers its decision by less than these, both are right, or it is a close call."""


class Compared(NamedTuple):
    position: Position
    theirs: Mapping[str, Any]
    ours: CubeDecision

    @property
    def equities(self) -> tuple[float, float]:
        """GNU's: without a double, and with one that is taken."""
        return self.theirs["no_double"], self.theirs["double_take"]

    @property
    def difference(self) -> float:
        """The larger one of both equities'."""
        no_double, take = self.equities
        return max(abs(self.ours.no_double - no_double), abs(self.ours.double_take - take))

    @property
    def actions(self) -> tuple[CubeAction, CubeAction]:
        return self.ours.best, self.ours.response

    @property
    def their_actions(self) -> tuple[CubeAction, CubeAction]:
        no_double, take = self.equities
        best = CubeAction.DOUBLE if min(take, 1.0) > no_double else CubeAction.NO_DOUBLE
        return best, CubeAction.DROP if take > 1 else CubeAction.TAKE

    @property
    def margin(self) -> float:
        """By how much GNU prefers its own decisions."""
        no_double, take = self.equities
        found = [0.0]
        if self.actions[0] is not self.their_actions[0]:
            found.append(abs(min(take, 1.0) - no_double))
        if self.actions[1] is not self.their_actions[1]:
            found.append(abs(take - 1))
        return max(found)


def positions(number: int, rng: Random) -> Iterator[Position]:
    """Before the roll in games at sight, with a cube that the player on roll may turn."""
    player = BackgammonPlayer(depth=0)
    while True:
        game = Game(RULES, "standard")
        while (turn := game.turn) is not Turn.OVER:
            position = game.position
            if turn is Turn.DICE and position.mover is not None and rng.random() < SAMPLED:
                number -= 1
                yield with_cube(position, rng, is_match=number % 2 == 0)
                if number == 0:
                    return
            is_dice = turn is Turn.DICE
            game.play(roll(RULES, position, rng) if is_dice else player.choose(RULES, position, Limit(depth=0), rng))


def with_cube(position: Position, rng: Random, *, is_match: bool) -> Position:
    while True:
        value = rng.choice((1, 1, 2, 4))
        match = None
        if is_match:
            length = rng.choice((3, 5, 7, 9, 11))
            match = Match(length, rng.randrange(length), rng.randrange(length))
        found = position._replace(cube=Cube(value, None if value == 1 else position.mover), match=match)
        if can_double(found):
            return found


def at_sight(position: Position, chances: Sequence[float], found: MatchEquityTable) -> CubeDecision:
    view = cube_view(position)
    if isinstance(view.score, MatchScore):
        view = view._replace(score=view.score._replace(table=found))
    return decision_at_sight(Chances(*chances), position, view)


def compare(name: str, compared: Sequence[Compared]) -> None:
    for kind, is_match in (("money", False), ("match", True)):
        chosen = [each for each in compared if bool(each.position.match) is is_match]
        differences = [each.difference for each in chosen]
        other = [each for each in chosen if each.margin > EVEN]
        far = [each for each in other if each.margin > CLOSE]
        row(
            f"{name}, {kind}, {len(chosen)} positions",
            f"{statistics.mean(differences):.4f}",
            f"{statistics.median(differences):.4f}",
            f"{max(differences):.3f}",
            f"{len(other)} ({len(far)} by more than {CLOSE})",
        )


def show(compared: Sequence[Compared], number: int) -> None:
    """The decisions that differ most."""
    for each in sorted((each for each in compared if each.margin > EVEN), key=lambda each: -each.margin)[:number]:
        actions = "/".join(action.value for action in each.actions)
        equities = f"{each.ours.no_double:+.3f} {each.ours.double_take:+.3f}"
        theirs = f"{each.theirs['no_double']:+.3f} {each.theirs['double_take']:+.3f} {each.theirs['words']}"
        chances = f"{each.ours.chances.win:.3f} {each.theirs['chances'][0]:.3f}"
        print(RULES.notation.write_position(each.position), f"{actions} {equities}; GNU {theirs}; wins {chances}")


def compare_tables(rows: Sequence[Any]) -> None:
    """GNU's table is that of Kazaross unless it was set otherwise."""
    mine, theirs = table(), rows[0]
    scores = [(own, other) for own in range(1, MOST_POINTS + 1) for other in range(1, MOST_POINTS + 1)]
    differences = [abs(mine.equity(own, other) - theirs[own - 1][other - 1]) for own, other in scores]
    after = [abs(mine.post_crawford[own] - rows[1][own - 1]) for own in range(1, MOST_POINTS + 1)]
    for name, found in (("match equity table", differences), ("after the Crawford game", after)):
        row(name, f"{statistics.mean(found):.2%}", f"{statistics.median(found):.2%}", f"{max(found):.2%}", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=1_000)
    parser.add_argument("--plies", type=int, default=0, help="rolls that both look ahead")
    parser.add_argument("--show", type=int, default=10, help="decisions that differ")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = list(positions(options.positions, Random(options.seed)))
    with GnubgProgram() as gnubg:
        equities = gnubg.match_equities(MOST_POINTS)
        pairs = [(position, gnubg.decision(position, options.plies)) for position in found]
    print(f"The cube against GNU Backgammon at {options.plies} plies, {machine()}\n")
    heading("what", "mean difference", "median", "worst", "decisions that differ")
    compare_tables(equities)
    if options.plies == 0:
        their_table = MatchEquityTable(*(np.pad(np.array(part), (1, 0)) for part in equities[:2]))
        same = [Compared(each, theirs, at_sight(each, theirs["chances"], their_table)) for each, theirs in pairs]
        compare("same chances and table", same)
        own_table = [Compared(each, theirs, at_sight(each, theirs["chances"], table())) for each, theirs in pairs]
        compare("same chances", own_table)
    limit = Limit(depth=options.plies)
    own = [Compared(each, theirs, cube_decision(each, limit)) for each, theirs in pairs]
    compare("own chances", own)
    print()
    show(same if options.plies == 0 else own, options.show)


if __name__ == "__main__":
    main()
