"""Advice about a move before it is made, for people who practise against a bot."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play, opening
from tests.service.platforms import FirstMove, open_platform
from tests.service.test_hints import every_game, late_answer, practice

from ludus.core.errors import BadMove
from ludus.engines.engine import Limit, Line
from ludus.engines.review import Assessment
from ludus.games import GAMES
from ludus.service.commands import Payload
from ludus.service.decisions import NotYourTurn, OnlyInPractice
from ludus.service.engine_pool import EngineFailed
from ludus.service.platform import Platform
from ludus.service.ports.bus import AdviceFound, AdviceWanted, Note
from ludus.service.table import Table
from ludus.wire import codec


class Opinions(FirstMove):
    """Thinks that each move is worth 0.1 less than the one before it; tells of so many at most."""

    most = 40
    fails = False

    async def assess(
        self,
        game: str,
        position: Any,
        limit: Limit,
        past: Sequence[Any] = (),
        lines: int = 5,
        roll: tuple[Any, Any] | None = None,
        owner: str = "",
    ) -> Assessment:
        if self.fails:
            raise EngineFailed("this engine fails on purpose")
        assert limit.nodes is not None and owner == "address", "the cost is bounded, and shared fairly"
        moves = GAMES[game].moves(position)[: min(lines, self.most)]
        return Assessment([Line(move, 0.5 - 0.1 * i) for i, move in enumerate(moves)])


def payload(table: Table, number: int) -> Payload:
    move = table.game.legal_moves()[number]
    return Payload("rooms", codec(table.opening.game).rooms.move(table.game.position, move))


async def found(platform: Platform, table: Table, number: int) -> AdviceFound:
    """Asks about a legal move twice, as an impatient person does."""
    heard: list[AdviceFound] = []

    async def listen(note: Note) -> None:
        if isinstance(note, AdviceFound):
            heard.append(note)

    platform.bus.subscribe(listen)
    for _ in range(2):
        await platform.tutor.ask(table, 0, payload(table, number), "address")
    while not heard:
        await asyncio.sleep(0)
    await platform.bus.drain()
    [advice] = heard
    return advice


@every_game
def test_a_move_is_compared_with_the_best_one(game: str, tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock(), Opinions()) as platform:
            table = await practice(platform, game)
            write = table.game.rules.notation.write_move
            first, second = (write(table.game.position, move) for move in table.game.legal_moves()[:2])
            good = await found(platform, table, 0)
            assert good == (table.id, 0, table.version, first, first, 0.0)
            bad = await found(platform, table, 1)
            assert (bad.move, bad.best) == (second, first)
            assert bad.loss == pytest.approx(0.1)

    asyncio.run(happen())


def test_a_move_beyond_the_engine_s_lines_is_worth_what_follows_it(tmp_path: Path) -> None:
    async def happen() -> None:
        engine = Opinions()
        engine.most = 1
        async with open_platform(tmp_path, FakeClock(), engine) as platform:
            table = await practice(platform, "checkers")
            assert (await found(platform, table, 1)).loss == pytest.approx(0.5 + 0.5), "0.5 is the other side's then"

    asyncio.run(happen())


def test_advice_asked_for_while_no_process_has_the_bots_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock(), Opinions()) as platform:
            table = await practice(platform, "checkers")
            ask = partial(platform.tutor.ask, table, 0, payload(table, 1), "address")
            advice = await late_answer(platform, monkeypatch, AdviceFound, ask)
            assert advice.version == table.version
            assert advice.loss == pytest.approx(0.1)

    asyncio.run(happen())


def test_an_engine_that_fails_has_no_advice(tmp_path: Path) -> None:
    async def happen() -> None:
        engine = Opinions()
        async with open_platform(tmp_path, FakeClock(), engine) as platform:
            table = await practice(platform, "checkers")
            engine.fails = True
            assert (await found(platform, table, 1)).best == ""

    asyncio.run(happen())


def test_advice_is_for_the_player_to_move_in_a_practice_game(tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock(), Opinions()) as platform:
            table = await practice(platform, "checkers")
            between_people = await platform.tables.open(opening("checkers"))
            rated = await platform.tables.open(opening("checkers")._replace(seats=table.opening.seats, is_rated=True))
            for other in (between_people, rated):
                with pytest.raises(OnlyInPractice):
                    await platform.tutor.ask(other, 0, payload(other, 0), "address")
            with pytest.raises(OnlyInPractice):
                await platform.tutor.ask(table, 1, payload(table, 0), "address")
            with pytest.raises(BadMove):
                await platform.tutor.ask(table, 0, Payload("rooms", {"from": 0, "to": 1}), "address")
            asked = payload(table, 0)
            moved = (await platform.tables.execute(table.id, first_play(table))).table
            with pytest.raises(NotYourTurn):
                await platform.tutor.ask(moved, 0, asked, "address")

    asyncio.run(happen())


def test_advice_for_a_position_that_is_gone_is_empty(tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock(), Opinions()) as platform:
            table = await practice(platform, "checkers")
            heard: list[AdviceFound] = []

            async def listen(note: Note) -> None:
                if isinstance(note, AdviceFound):
                    heard.append(note)

            platform.bus.subscribe(listen)
            await platform.bus.publish(AdviceWanted(table.id, 0, table.version + 5, "address", "11-15"))
            while not heard:
                await asyncio.sleep(0)
            assert heard == [AdviceFound(table.id, 0, table.version + 5, "11-15", "", 0.0)]

    asyncio.run(happen())
