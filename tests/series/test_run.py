"""A whole series, by one process or by several."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import NoReturn

import pytest

from ludus.core.errors import BadInput
from ludus.series.plan import Plan
from ludus.series.run import play

PLAN = Plan("checkers", ("easy", "random"), 6, seed=3)


def test_several_processes_play_the_same_games_in_the_same_order() -> None:
    assert list(play(PLAN, jobs=2)) == list(play(PLAN, jobs=1))


def test_who_stops_asking_stops_the_processes() -> None:
    before = set(multiprocessing.active_children())
    pairs = play(PLAN._replace(games=10_000), jobs=2)
    next(pairs)
    pairs.close()  # type: ignore[attr-defined]
    for worker in set(multiprocessing.active_children()) - before:
        worker.join(timeout=30)
    assert set(multiprocessing.active_children()) == before


def test_an_interruption_during_the_last_pair_waits_for_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
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
    with pytest.raises(BadInput, match="contestants:cheat answered with no legal move"):
        list(play(PLAN._replace(contenders=("easy", "contestants:cheat")), jobs=2))


def test_a_process_that_dies_is_an_error_and_no_wait_without_end() -> None:
    with pytest.raises(BrokenProcessPool):
        list(play(PLAN._replace(contenders=("easy", "contestants:crash")), jobs=2))


def test_an_unknown_contender_is_refused_before_anything_starts() -> None:
    with pytest.raises(BadInput, match="there is no player"):
        play(PLAN._replace(contenders=("easy", "nobody")), jobs=2)


def test_no_process_plays_no_games() -> None:
    with pytest.raises(BadInput, match="0 processes"):
        play(PLAN, jobs=0)
