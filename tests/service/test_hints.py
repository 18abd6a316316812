"""Hints for people who practise against a bot."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play, opening, person
from tests.service.platforms import FirstMove, open_platform

from ludus.games import GAMES
from ludus.service import repeated_notes
from ludus.service.commands import Play, TakeBack
from ludus.service.decisions import NotYourTurn, OnlyInPractice
from ludus.service.platform import Platform
from ludus.service.ports.bus import HintFound, HintWanted, Note
from ludus.service.table import Seat, SeatKind, Table

BOT = Seat("bot/easy", "bot-easy", "Easy bot", SeatKind.BOT, "easy")
every_game = pytest.mark.parametrize("game", GAMES)


async def practice(platform: Platform, game: str) -> Table:
    """A table at which the person is to move."""
    table = await platform.tables.open(opening(game)._replace(seats=(person("ann"), BOT)))
    await platform.bus.drain()
    while (table := (await platform.tables.load(table.id)).table).mover != 0:
        await asyncio.sleep(0)
    return table


async def late_answer(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, kind: type[Any], ask: Callable[[], Awaitable[None]]
) -> Any:
    """The answer to a request that comes while no process has the bots, as when a new worker takes them over."""
    monkeypatch.setattr(repeated_notes, "REPEAT_SECONDS", 0.01)
    heard: asyncio.Queue[Note] = asyncio.Queue()

    async def listen(note: Note) -> None:
        if isinstance(note, kind):
            heard.put_nowait(note)

    platform.bus.subscribe(listen)
    with monkeypatch.context() as nobody:
        nobody.setattr(platform.cluster, "has", lambda *_: False)
        await ask()
        await platform.bus.drain()
        assert heard.empty()
    return await heard.get()


async def found(platform: Platform, table: Table) -> HintFound:
    """Asks for a hint twice, as an impatient person does."""
    heard: list[Note] = []

    async def listen(note: Note) -> None:
        heard.append(note)

    platform.bus.subscribe(listen)
    for _ in range(2):
        await platform.hints.ask(table, 0, "address")
    while not any(isinstance(note, HintFound) for note in heard):
        await asyncio.sleep(0)
    await platform.bus.drain()
    [hint] = [note for note in heard if isinstance(note, HintFound)]
    return hint


@every_game
def test_a_hint_is_a_legal_move_for_the_version_it_was_asked_at(game: str, tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock()) as platform:
            table = await practice(platform, game)
            hint = await found(platform, table)
            assert hint[:3] == (table.id, 0, table.version)
            assert table.game.rules.notation.read_move(table.game.position, hint.move) in table.game.legal_moves()

    asyncio.run(happen())


def test_a_hint_asked_for_while_no_process_has_the_bots_comes_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock()) as platform:
            table = await practice(platform, "checkers")
            ask = partial(platform.hints.ask, table, 0, "address")
            hint = await late_answer(platform, monkeypatch, HintFound, ask)
            assert hint[:3] == (table.id, 0, table.version)
            assert hint.move

    asyncio.run(happen())


def test_an_engine_that_fails_gives_an_empty_hint(tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock(), FirstMove(failures=1)) as platform:
            assert (await found(platform, await practice(platform, "checkers"))).move == ""

    asyncio.run(happen())


def test_hints_are_for_the_player_to_move_in_a_practice_game(tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock()) as platform:
            table = await practice(platform, "checkers")
            between_people = await platform.tables.open(opening("checkers"))
            with pytest.raises(OnlyInPractice):
                await platform.hints.ask(between_people, 0, "address")
            with pytest.raises(OnlyInPractice):
                await platform.hints.ask(table, 1, "address")
            moved = (await platform.tables.execute(table.id, first_play(table))).table
            with pytest.raises(NotYourTurn):
                await platform.hints.ask(moved, 0, "address")

    asyncio.run(happen())


def test_a_hint_for_a_position_that_is_gone_is_empty(tmp_path: Path) -> None:
    async def happen() -> None:
        async with open_platform(tmp_path, FakeClock()) as platform:
            table = await practice(platform, "checkers")
            heard: list[HintFound] = []

            async def listen(note: Note) -> None:
                if isinstance(note, HintFound):
                    heard.append(note)

            platform.bus.subscribe(listen)
            await platform.bus.publish(HintWanted(table.id, 0, table.version + 5, "address"))
            while not heard:
                await asyncio.sleep(0)
            assert heard == [HintFound(table.id, 0, table.version + 5, "")]

    asyncio.run(happen())


class SlowEngine(FirstMove):
    """Thinks until it is released, and records what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.is_let_go = asyncio.Event()
        self.positions: list[object] = []

    async def answer(self, game: str, position: object, past: object) -> object:
        self.positions.append(position)
        await self.is_let_go.wait()
        return GAMES[game].moves(position)[0]


def test_a_bot_forgets_what_it_thought_about_a_move_that_was_taken_back(tmp_path: Path) -> None:
    async def happen() -> None:
        engine = SlowEngine()
        async with open_platform(tmp_path, FakeClock(), engine) as platform:
            table = await practice(platform, "checkers")
            await platform.tables.execute(table.id, Play(0, "11-15"))
            while not engine.positions:
                await asyncio.sleep(0)
            await platform.tables.execute(table.id, TakeBack(0))
            now = (await platform.tables.execute(table.id, Play(0, "9-14"))).table
            engine.is_let_go.set()
            while (await platform.tables.load(table.id)).table.moves < 2:
                await asyncio.sleep(0)
            assert engine.positions[-1] == now.game.position
            assert (await platform.tables.load(table.id)).table.game.position_at(1) == now.game.position

    asyncio.run(happen())
