"""Analyses: one at a time, so many waiting, kept; and what they say of the moves."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.engine import Limit, Line, roll
from ludus.engines.review import review
from ludus.games import GAMES
from ludus.server import analysis
from ludus.server.analysis import Analyses, Busy, NotOver, turns
from ludus.server.web_analysis import NAMES

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Analyst:
    """Thinks that the first move is worth 0.5 and each next one 0.1 less; may be held up, or fail."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[Any] = []
        self.pasts: list[int] = []
        self.may_go = asyncio.Event()
        self.may_go.set()
        self.fails = fails

    async def analyse(
        self, game: str, position: Any, limit: Limit, past: Sequence[Any], lines: int
    ) -> tuple[Line[Any], ...]:
        await self.may_go.wait()
        if self.fails:
            raise RuntimeError("this engine fails on purpose")
        self.asked.append(position)
        self.pasts.append(len(past))
        return tuple(Line(move, 0.5 - 0.1 * i) for i, move in enumerate(GAMES[game].moves(position)[:lines]))


def played(name: str, moves: int, pick: int = 0) -> Game[Any, Any]:
    """A game in which a player resigns after so many moves, each the one of that number where there are so many."""
    game: Game[Any, Any] = Game(GAMES[name])
    rng = Random(1)
    while moves:
        if game.rules.chances(game.position):
            game.play(roll(game.rules, game.position, rng))
        else:
            legal = game.legal_moves()
            game.play(legal[min(pick, len(legal) - 1)])
            moves -= 1
    game.resign(Player.FIRST)
    return game


async def finished(analyses: Analyses, id: str) -> analysis.Report:
    for _ in range(1000):
        report = analyses.report(id)
        assert report
        if report.state in ("done", "failed"):
            return report
        await asyncio.sleep(0)
    raise AssertionError("it does not end")


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_every_move_of_the_players_is_judged(name: str) -> None:
    analyst, game = Analyst(), played(name, 6)
    analyses = Analyses(analyst.analyse)
    assert analyses.start("a", name, game).state == "waiting"
    report = await finished(analyses, "a")
    assert (report.state, report.total, len(report.moves)) == ("done", len(turns(game)), len(turns(game)))
    assert {each.cost for each in report.moves} == {0.0}, "they played what the engine likes best"
    assert analyst.pasts == sorted(analyst.pasts, reverse=True), "the engine is told what came before"


async def test_what_is_worse_than_the_best_is_told_with_its_price() -> None:
    analyses = Analyses(Analyst().analyse)
    game = played("checkers", 4, pick=2)
    analyses.start("a", "checkers", game)
    places = [game.rules.moves(game.position_at(ply)).index(game.move_at(ply)) for ply in range(4)]
    assert max(places) == 2
    losses = [each.cost for each in (await finished(analyses, "a")).moves]
    assert losses == pytest.approx([0.1 * place for place in reversed(places)])


async def test_a_move_beyond_the_lines_is_worth_what_follows_it() -> None:
    analyses = Analyses(Analyst().analyse)
    analyses.start("a", "checkers", played("checkers", 2, pick=6))
    last, first = (await finished(analyses, "a")).moves
    assert first.value == -0.5, "what the next position is worth to the other side"
    assert last.value == pytest.approx(0.3), "nothing follows: no better than the worst that was compared"


async def test_a_game_is_analysed_once_however_many_ask() -> None:
    analyst, game = Analyst(), played("checkers", 3)
    analyses = Analyses(analyst.analyse)
    assert analyses.start("a", "checkers", game) is analyses.start("a", "checkers", game)
    await finished(analyses, "a")
    assert analyses.start("a", "checkers", game).state == "done"
    assert len(analyst.asked) == 3


async def test_one_at_a_time_and_not_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_WAITING", 2)
    analyst, game = Analyst(), played("checkers", 2)
    analyst.may_go.clear()
    analyses = Analyses(analyst.analyse)
    analyses.start("a", "checkers", game)
    await asyncio.sleep(0)
    states = [analyses.start(id, "checkers", game).state for id in ("a", "b", "c")]
    assert states == ["running", "waiting", "waiting"]
    with pytest.raises(Busy):
        analyses.start("d", "checkers", game)
    analyst.may_go.set()
    assert (await finished(analyses, "c")).state == "done"
    assert analyses.start("d", "checkers", game).state == "waiting"
    await finished(analyses, "d")


async def test_old_analyses_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_KEPT", 2)
    analyses, game = Analyses(Analyst().analyse), played("checkers", 1)
    for id in ("a", "b", "c"):
        analyses.start(id, "checkers", game)
        await finished(analyses, id)
    assert analyses.report("a") is None and analyses.report("c") is not None


async def test_a_failure_is_told_and_may_be_tried_again() -> None:
    analyst, game = Analyst(fails=True), played("checkers", 2)
    analyses = Analyses(analyst.analyse)
    analyses.start("a", "checkers", game)
    assert (await finished(analyses, "a")).state == "failed"
    analyst.fails = False
    analyses.start("a", "checkers", game)
    assert (await finished(analyses, "a")).state == "done"


async def test_a_game_that_goes_on_is_not_analysed() -> None:
    with pytest.raises(NotOver):
        Analyses(Analyst().analyse).start("a", "checkers", Game(GAMES["checkers"]))


async def test_closing_the_house_ends_what_is_under_way() -> None:
    analyst = Analyst()
    analyst.may_go.clear()
    analyses = Analyses(analyst.analyse)
    analyses.start("a", "checkers", played("checkers", 2))
    await asyncio.sleep(0)
    await analyses.stop()
    assert analyst.asked == []


async def test_passes_are_no_choice() -> None:
    game = played("backgammon", 30)
    assert all(game.move_at(ply) != game.rules.pass_move for ply in turns(game))


async def test_the_page_and_the_command_line_give_the_same_verdicts() -> None:
    analyst, game = Analyst(), played("checkers", 8, pick=2)
    analyses = Analyses(analyst.analyse)
    analyses.start("a", "checkers", game)

    def ask(position: Any, past: Sequence[Any], lines: int) -> list[Line[Any]]:
        return [Line(move, 0.5 - 0.1 * i) for i, move in enumerate(game.rules.moves(position)[:lines])]

    assert (await finished(analyses, "a")).moves == list(review(game, ask))


async def test_only_the_first_moves_of_an_endless_game_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_MOVES", 3)
    assert turns(played("checkers", 5)) == [0, 1, 2]


@pytest.mark.parametrize(("sign", "name"), [("", None), ("?!", "doubtful"), ("?", "mistake"), ("??", "blunder")])
async def test_every_sign_of_an_engine_has_a_name(sign: str, name: str | None) -> None:
    assert NAMES[sign] == name
