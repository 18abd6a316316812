"""Analyses: one at a time, so many waiting, kept; and what they say of the moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.server.rest.office import Hands
from tests.storage.examples import play

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines.engine import Limit, Line, roll
from ludus.engines.review import Verdict, review
from ludus.games import GAMES
from ludus.server import analysis
from ludus.server.analysis import Analyses, Busy, NotOver, Report, turns
from ludus.server.web_analysis import NAMES
from ludus.service.ports import Store
from ludus.storage.sqlite.store import SqliteStore

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


class House:
    """A store with a table for every name that is asked for, and the analyses of its games."""

    def __init__(self, store: Store, analyst: Analyst) -> None:
        self.store, self.analyst = store, analyst
        self.reopen()

    def reopen(self) -> None:
        """Nothing of the former life is left but what was stored."""
        self.analyses = Analyses(self.analyst.analyse, self.store, Hands())

    async def start(self, id: str, game: Game[Any, Any]) -> Report:
        if await self.store.table(id) is None:
            await play(self.store, id)
        return await self.analyses.start(id, game.rules.name, game)

    async def report(self, id: str, game: Game[Any, Any]) -> Report | None:
        return await self.analyses.report(id, game.rules.name, game)

    async def finish(self, id: str, game: Game[Any, Any]) -> Report:
        report = await self.start(id, game)
        async with asyncio.timeout(60):
            while report.state not in ("done", "failed"):
                await asyncio.sleep(0.001)
        return report


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    store = SqliteStore(tmp_path / "ludus.sqlite3")
    await store.open()
    house = House(store, Analyst())
    yield house
    await house.analyses.stop()
    await store.close()


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_every_move_of_the_players_is_judged(name: str, house: House) -> None:
    game = played(name, 6)
    assert (await house.start("a", game)).state == "waiting"
    report = await house.finish("a", game)
    assert (report.state, report.total, len(report.moves)) == ("done", len(turns(game)), len(turns(game)))
    assert {each.cost for each in report.moves} == {0.0}, "they played what the engine likes best"
    assert house.analyst.pasts == sorted(house.analyst.pasts, reverse=True), "the engine is told what came before"


async def test_what_is_worse_than_the_best_is_told_with_its_price(house: House) -> None:
    game = played("checkers", 4, pick=2)
    places = [game.rules.moves(game.position_at(ply)).index(game.move_at(ply)) for ply in range(4)]
    assert max(places) == 2
    losses = [each.cost for each in (await house.finish("a", game)).moves]
    assert losses == pytest.approx([0.1 * place for place in reversed(places)])


async def test_a_move_beyond_the_lines_is_worth_what_follows_it(house: House) -> None:
    last, first = (await house.finish("a", played("checkers", 2, pick=6))).moves
    assert first.value == -0.5, "what the next position is worth to the other side"
    assert last.value == pytest.approx(0.3), "nothing follows: no better than the worst that was compared"


async def test_a_game_is_analysed_once_however_many_ask(house: House) -> None:
    game = played("checkers", 3)
    await play(house.store, "a")
    first, second = await asyncio.gather(house.start("a", game), house.start("a", game))
    assert first is second
    await house.finish("a", game)
    assert (await house.start("a", game)).state == "done"
    assert len(house.analyst.asked) == 3


async def test_one_at_a_time_and_not_too_many_wait(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_WAITING", 2)
    game = played("checkers", 2)
    house.analyst.may_go.clear()
    await house.start("a", game)
    await asyncio.sleep(0)
    states = [(await house.start(id, game)).state for id in ("a", "b", "c")]
    assert states == ["running", "waiting", "waiting"]
    with pytest.raises(Busy):
        await house.start("d", game)
    house.analyst.may_go.set()
    assert (await house.finish("c", game)).state == "done"
    assert (await house.finish("d", game)).state == "done"


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_an_analysis_outlives_the_house(name: str, house: House) -> None:
    game = played(name, 12, pick=2)
    before = (await house.finish("a", game)).moves
    asked = len(house.analyst.asked)
    house.reopen()
    shared = await house.report("a", game)
    assert shared is not None and (shared.state, shared.total) == ("done", len(before))
    assert [_told(each) for each in shared.moves] == [_told(each) for each in before]
    assert (await house.start("a", game)).state == "done"
    assert len(house.analyst.asked) == asked, "nothing is thought about again"


def _told(verdict: Verdict) -> Verdict:
    """Without what nobody is told: how far and how long the engine looked."""
    return verdict._replace(best=verdict.best._replace(depth=0, nodes=0))


async def test_a_game_without_a_move_is_known_as_well(house: House) -> None:
    game = played("checkers", 0)
    await house.finish("a", game)
    house.reopen()
    assert await house.report("a", game) == Report(0, "done", [])


async def test_another_engine_thinks_for_itself(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    game = played("checkers", 3)
    await house.finish("a", game)
    house.reopen()
    monkeypatch.setattr(analysis, "signature", lambda name: "a newer one")
    assert await house.report("a", game) is None
    assert (await house.start("a", game)).state == "waiting"
    await house.finish("a", game)
    assert len(house.analyst.asked) == 6
    kept = await house.store.analysis("a")
    assert kept is not None and kept.engine == "a newer one"


async def test_what_is_unfinished_is_not_kept(house: House) -> None:
    house.analyst.fails = True
    assert (await house.finish("a", played("checkers", 3))).state == "failed"
    assert await house.store.analysis("a") is None


async def test_what_cannot_be_kept_is_shown_all_the_same(house: House) -> None:
    game = played("checkers", 3)
    report = await house.analyses.start("no such table", "checkers", game)
    while report.state in ("waiting", "running"):
        await asyncio.sleep(0.001)
    assert (report.state, len(report.moves)) == ("done", 3)


async def test_many_analyses_are_not_held_in_memory(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_AT_HAND", 2)
    game = played("checkers", 1)
    reports = [await house.finish(id, game) for id in ("a", "b", "c")]
    assert await house.report("c", game) is reports[2]
    again = await house.report("a", game)
    assert again is not None and again is not reports[0], "it is read again from the store"
    assert (again.state, len(house.analyst.asked)) == ("done", 3)


async def test_a_failure_is_told_and_may_be_tried_again(house: House) -> None:
    game = played("checkers", 2)
    house.analyst.fails = True
    assert (await house.finish("a", game)).state == "failed"
    house.analyst.fails = False
    assert (await house.finish("a", game)).state == "done"


async def test_a_game_that_goes_on_is_not_analysed(house: House) -> None:
    with pytest.raises(NotOver):
        await house.start("a", Game(GAMES["checkers"]))


async def test_closing_the_house_ends_what_is_under_way(house: House) -> None:
    house.analyst.may_go.clear()
    await house.start("a", played("checkers", 2))
    await asyncio.sleep(0)
    await house.analyses.stop()
    assert house.analyst.asked == []


async def test_passes_are_no_choice() -> None:
    game = played("backgammon", 30)
    assert all(game.move_at(ply) != game.rules.pass_move for ply in turns(game))


async def test_the_page_and_the_command_line_give_the_same_verdicts(house: House) -> None:
    game = played("checkers", 8, pick=2)

    def ask(position: Any, past: Sequence[Any], lines: int) -> list[Line[Any]]:
        return [Line(move, 0.5 - 0.1 * i) for i, move in enumerate(game.rules.moves(position)[:lines])]

    assert (await house.finish("a", game)).moves == list(review(game, ask))


async def test_only_the_first_moves_of_an_endless_game_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MOST_MOVES", 3)
    assert turns(played("checkers", 5)) == [0, 1, 2]


@pytest.mark.parametrize(("sign", "name"), [("", None), ("?!", "doubtful"), ("?", "mistake"), ("??", "blunder")])
async def test_every_sign_of_an_engine_has_a_name(sign: str, name: str | None) -> None:
    assert NAMES[sign] == name
