"""A whole series, in one process or several."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, NoReturn

import pytest

from ludus.core.errors import BadInput
from ludus.core.rules import Player
from ludus.games.backgammon.position import CubeAction, Roll
from ludus.series.plan import Plan, Played
from ludus.series.run import Series, play

PLAN = Plan("checkers", ("easy", "random"), 6, seed=3)


def test_several_processes_play_the_same_games_in_the_same_order() -> None:
    assert list(play(PLAN, jobs=2)) == list(play(PLAN, jobs=1))


def test_closing_the_iterator_stops_the_processes() -> None:
    before = set(multiprocessing.active_children())
    pairs = play(PLAN._replace(games=10_000), jobs=2)
    next(pairs)
    pairs.close()  # type: ignore[attr-defined]  # a generator
    for worker in set(multiprocessing.active_children()) - before:
        worker.join(timeout=30)
    assert set(multiprocessing.active_children()) == before


def test_an_interruption_during_the_last_pair_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "woken"
    monkeypatch.setenv("WOKEN", str(mark))
    answers = iter(["the first pair"])
    monkeypatch.setattr(Future, "result", lambda _: next(answers, None) or interrupt())
    with pytest.raises(KeyboardInterrupt):
        list(play(PLAN._replace(contenders=("contestants:sleeper", "random"), games=4), jobs=2))
    assert not mark.exists()


def interrupt() -> NoReturn:
    raise KeyboardInterrupt


def test_an_error_in_a_process_is_the_error_of_the_series() -> None:
    with pytest.raises(BadInput, match="contestants:cheat made an illegal move"):
        list(play(PLAN._replace(contenders=("easy", "contestants:cheat")), jobs=2))


def test_a_process_that_dies_is_an_error_not_an_endless_wait() -> None:
    with pytest.raises(BrokenProcessPool):
        list(play(PLAN._replace(contenders=("easy", "contestants:crash")), jobs=2))


def test_an_unknown_contender_is_refused_before_anything_starts() -> None:
    with pytest.raises(BadInput, match="there is no player"):
        play(PLAN._replace(contenders=("easy", "nobody")), jobs=2)


def test_zero_processes_are_refused() -> None:
    with pytest.raises(BadInput, match="0 processes"):
        play(PLAN, jobs=0)


def rolls(played: Played) -> list[Any]:
    return [move for move in played.moves if isinstance(move, Roll)]


def test_both_games_of_a_pair_have_the_same_dice() -> None:
    one, two = Series(Plan("backgammon", ("easy", "random"), 2, seed=4)).play(0)
    both = list(zip(rolls(one), rolls(two), strict=False))
    assert len(both) > 10
    assert all(a == b for a, b in both)
    assert one.moves != two.moves


def test_sides_are_swapped() -> None:
    pair = Series(Plan("checkers", ("easy", "random"), 2)).play(0)
    assert [played.player_of(0) for played in pair] == [Player.FIRST, Player.SECOND]
    assert [played.winner for played in pair] == [0, 0]
    assert [played.outcome.winner for played in pair] == [Player.FIRST, Player.SECOND]


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    plan = Plan(game, ("easy", "easy"), 4, seed=9)
    assert Series(plan).play(1) == Series(plan).play(1)
    assert Series(plan).play(1) != Series(plan).play(0)
    assert Series(plan._replace(seed=8)).play(1) != Series(plan).play(1)


def test_a_contenders_random_choices_do_not_change_the_dice() -> None:
    """Random players draw a number per move; playing the first legal move needs none."""
    games = [
        Series(Plan("backgammon", (name, name), 2, seed=4)).play(0)[0] for name in ("random", "contestants:first_move")
    ]
    assert rolls(games[0])[:20] == rolls(games[1])[:20]


def test_both_games_of_a_pair_have_the_same_random_opening() -> None:
    pairing = Series(Plan("checkers", ("contestants:first_move",) * 2, 4, opening=6))
    pairs = [pairing.play(number) for number in range(2)]
    assert pairs[0][0].moves[:6] == pairs[0][1].moves[:6]
    assert pairs[0][0].moves[:6] != pairs[1][0].moves[:6]


def test_nobody_doubles_in_a_random_opening() -> None:
    pairing = Series(Plan("backgammon", ("contestants:first_move",) * 2, 2, opening=20, variant="hypergammon+cube"))
    moves = pairing.play(0)[0].moves
    assert CubeAction.NO_DOUBLE in moves
    assert CubeAction.DOUBLE not in moves


def test_games_start_from_the_variant() -> None:
    played, _ = Series(Plan("backgammon", ("random", "random"), 2, variant="hypergammon")).play(0)
    assert len(played.moves) < 200
