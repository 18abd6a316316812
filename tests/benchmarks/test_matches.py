"""`benchmarks.engines.matches` with players of our own in the place of GNU Backgammon."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from random import Random
from statistics import stdev
from typing import Any, Final

import pytest
from benchmarks.engines.gnubg_program import GnubgProgram
from benchmarks.engines.match_results import Pair, append, rates, read
from benchmarks.engines.matches import Opponents, matches

from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.backgammon.player import BackgammonPlayer
from ludus.engines.engine import Limit
from ludus.games.backgammon.position import Play, Position
from ludus.games.backgammon.rules import Backgammon

RULES: Final = Backgammon().compiled()


class StandIn(GnubgProgram):
    """Decides on the cube at sight; errs in its plays only."""

    def __init__(self, player: BackgammonPlayer) -> None:
        self._player, self._rng = player, Random(1)

    def play(self, position: Position, plies: int) -> Play:
        found = self._player.choose(RULES, position, Limit(depth=plies), self._rng)
        assert isinstance(found, Play)
        return found

    def decision(self, position: Position, plies: int) -> dict[str, Any]:
        found = BackgammonPlayer(depth=plies).decide(position)
        return {"no_double": found.no_double, "double_take": found.double_take}


def options(out: Path | None = None, *, number: int = 0, seed: int = 1) -> Namespace:
    return Namespace(matches=number, length=3, plies=0, cube_plies=0, seed=seed, results_only=True, out=out)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    """Of two runs against the level `medium`, read back from one file."""
    out, medium = (
        tmp_path_factory.mktemp("matches") / "results.jsonl",
        StandIn(adapter("backgammon").levels["medium"]),
    )
    played = [
        (one.result, other.result)
        for seed in (1, 2)
        for one, other in matches(medium, options(out, number=8, seed=seed))
    ]
    assert read([out]) == played
    return played


def test_the_luck_adjusted_result_varies_less(results: list[Pair]) -> None:
    plain, adjusted = ([each[-2 + part] for pair in results for each in pair] for part in (0, 1))
    assert stdev(adjusted) < stdev(plain) / 2
    found = rates(results)
    assert found.matches == 16 and found.plain.mean == sum(plain) / 16
    assert found.adjusted.error is not None and found.plain.error is not None
    assert found.adjusted.error < found.plain.error
    assert found.adjusted.mean - 2 * found.adjusted.error > 0.5


def test_against_itself_a_pair_is_even_to_the_last_digit() -> None:
    opponents = Opponents(StandIn(BackgammonPlayer()), options())
    one, other = (opponents.match(3, side).result for side in Player)
    assert one.is_won is not other.is_won and one.adjusted != 0.5
    assert one.adjusted + other.adjusted == pytest.approx(1)


def test_results_that_do_not_belong_together_are_refused(results: list[Pair], tmp_path: Path) -> None:
    (one, other), out = results[0], tmp_path / "results.jsonl"
    append(out, (one, other))
    with pytest.raises(SystemExit, match="there twice"):
        read([out, out])
    append(out, (one._replace(seed=9, length=7), other._replace(seed=9, length=7)))
    with pytest.raises(SystemExit, match="differ in length"):
        read([out])
