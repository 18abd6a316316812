from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.service.parts import Parts, first_play, opening, parts, random_play, redaction

from ludus.service.commands import AskRematch, Play, Resign, Tick
from ludus.service.decisions import Decision, NotOver
from ludus.service.ports.bus import TableChanged
from ludus.service.ports.store import Conflict, Unavailable, Unreadable
from ludus.service.ports.writes import DropTable, Write
from ludus.service.records import Event
from ludus.service.table import EventKind, Table, erased, folded
from ludus.service.tables import LONG, NotFound, Tables
from ludus.service.time_control import Kind, TimeControl

NEW = "11111111-1111-4111-8111-111111111111"


def twin_of(platform: Parts) -> Tables:
    """The tables of another process on the same store."""
    return Tables(platform.store, platform.bus, platform.clock, lambda: NEW, lambda: b"\7" * 32)


def test_an_unknown_table_is_not_found(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            with pytest.raises(NotFound):
                await platform.tables.execute("nowhere", Resign(0))

    asyncio.run(play())


def test_two_processes_serve_one_table(tmp_path: Path) -> None:
    """Whoever is behind reads what the other has stored, and decides again."""

    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())
            other = twin_of(platform)
            await other.load(table.id)
            await platform.tables.execute(table.id, Play(0, "11-16"))
            result = await other.execute(table.id, Play(1, "22-18"))
            assert result.version == 3
            assert (await platform.tables.execute(table.id, Play(0, "16-20"))).version == 4
            assert [event.version for event in await platform.store.events(table.id)] == [1, 2, 3, 4]

    asyncio.run(play())


def test_of_two_processes_that_see_a_flag_fall_one_ends_the_game(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            time_control = TimeControl(Kind.GAME, 10)
            wanted = opening()
            limits = wanted.limits.under(time_control)
            table = await platform.tables.open(wanted._replace(time_control=time_control, limits=limits))
            other = twin_of(platform)
            await other.load(table.id)
            assert await platform.store.tables_due(platform.clock.moment().clock, 10) == []
            platform.wall.wait(10)
            assert await platform.store.tables_due(platform.clock.moment().clock, 10) == [table.id]
            await asyncio.gather(*[tables.execute(table.id, Tick()) for tables in (platform.tables, other)])
            assert [event.kind for event in await platform.store.events(table.id)] == ["opened", "timed_out"]
            assert [(await each.load(table.id)).table.version for each in (platform.tables, other)] == [2, 2]

    asyncio.run(play())


class CountedReads:
    """A store that counts how often a table's events are read."""

    def __init__(self, store: Any) -> None:
        self._store = store
        self.reads = 0

    def __getattr__(self, name: str) -> Any:
        self.reads += name == "events"
        return getattr(self._store, name)


async def move_and_tell(platform: Parts, other: Tables, number: int, *, has_event: bool = True) -> None:
    """Plays the first legal move, and gives the other process the note."""
    table = (await platform.tables.load("t1")).table
    event = (await platform.tables.execute("t1", first_play(table))).event
    assert event is not None and event.version == number
    await other.on_note(TableChanged("t1", number, event=event if has_event else None))


def test_a_note_with_the_event_saves_the_read(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.tables.open(opening()._replace(table="t1"))
            other = twin_of(platform)
            counted: Any = CountedReads(platform.store)
            other._store = counted
            await other.load("t1")
            for number in (2, 3, 4):
                await move_and_tell(platform, other, number)
                assert (await other.load("t1")).table == (await platform.tables.load("t1")).table
            assert counted.reads == 1
            assert (await other.load("t1")).events == await platform.store.events("t1")
            await move_and_tell(platform, other, 5, has_event=False)
            await move_and_tell(platform, other, 6)  # not the next one: both are read
            assert (await other.load("t1")).table.version == 6
            assert counted.reads == 2

    asyncio.run(play())


def test_a_process_where_nobody_asks_for_a_table_does_not_follow_it(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.tables.open(opening()._replace(table="t1"))
            other = twin_of(platform)
            await other.load("t1")
            await move_and_tell(platform, other, 2)
            await move_and_tell(platform, other, 3)
            assert other.cached("t1") is None
            other.evict_unused()
            assert len(other) == 0
            assert (await other.load("t1")).table.version == 3

    asyncio.run(play())


def test_an_event_that_does_not_fit_is_read_from_the_store(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.tables.open(opening()._replace(table="t1"))
            other = twin_of(platform)
            await other.load("t1")
            table = (await platform.tables.load("t1")).table
            event = (await platform.tables.execute("t1", first_play(table))).event
            assert event is not None
            await other.on_note(TableChanged("t1", 2, event=event._replace(data={"move": "nonsense"})))
            assert (await other.load("t1")).events[-1] == event

    asyncio.run(play())


def test_of_many_who_resign_at_once_one_loses(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())
            twins = [platform.tables, *(twin_of(platform) for _ in range(4))]
            tries = [each.execute(table.id, Resign(number % 2)) for number, each in enumerate(twins * 4)]
            results = await asyncio.gather(*tries, return_exceptions=True)
            assert sum(not isinstance(result, BaseException) for result in results) == 1
            assert len(await platform.store.events(table.id)) == 2

    asyncio.run(play())


def test_what_is_stored_together_fails_together(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())

            async def refuse(_: Decision) -> Sequence[Write]:
                raise RuntimeError("the annex fails")

            platform.tables.hooks.append(refuse)
            with pytest.raises(RuntimeError):
                await platform.tables.execute(table.id, Resign(0))
            platform.tables.hooks.clear()
            assert (await platform.tables.load(table.id)).table.outcome is None
            assert (await platform.tables.execute(table.id, Play(0, "11-16"))).version == 2

    asyncio.run(play())


def test_a_commit_whose_end_was_not_seen_is_read_again(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())
            task = asyncio.create_task(platform.tables.execute(table.id, Play(0, "11-16")))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            result = await platform.tables.execute(table.id, Resign(1))
            stored = await platform.store.events(table.id)
            assert result.version == len(stored)
            assert (await platform.tables.load(table.id)).events == list(stored)

    asyncio.run(play())


def test_every_event_is_published_once(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())
            await platform.bus.drain()
            await platform.tables.execute(table.id, Play(0, "11-16"))
            await platform.bus.drain()
            await platform.tables.execute(table.id, Resign(1))
            await platform.bus.drain()
            assert platform.notes == [TableChanged(table.id, version) for version in (1, 2, 3)]

    asyncio.run(play())


def test_a_rematch_needs_both_and_swaps_the_seats(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening("backgammon"))
            with pytest.raises(NotOver):
                await platform.tables.execute(table.id, AskRematch(0, NEW))
            await platform.tables.execute(table.id, Resign(0))
            await platform.tables.execute(table.id, AskRematch(0, NEW))
            again = await platform.tables.execute(table.id, AskRematch(0, NEW))
            assert again.event is None
            agreed = await platform.tables.execute(table.id, AskRematch(1, NEW))
            assert agreed.event is not None
            assert agreed.event.kind == EventKind.REMATCHED
            new = (await platform.tables.load(NEW)).table
            assert new.seats == table.seats[::-1]
            assert new.opening.rematch_of == table.id
            late = await platform.tables.execute(table.id, AskRematch(0, NEW[:-1] + "2"))
            assert late.event is None

    asyncio.run(play())


def test_a_table_that_is_opened_twice_is_a_conflict(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            wanted = opening()
            await platform.tables.open(wanted)
            with pytest.raises(Conflict):
                await platform.tables.open(wanted)

    asyncio.run(play())


def test_a_table_that_a_shortage_keeps_from_being_read_can_be_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())
            tables = twin_of(platform)
            with monkeypatch.context() as patched:
                patched.setattr(platform.store, "events", out_of_memory)
                with pytest.raises(Unavailable):
                    await tables.execute(table.id, Resign(0))
            assert (await tables.execute(table.id, Resign(0))).event is not None

    asyncio.run(play())


async def out_of_memory(*_: object) -> None:
    raise MemoryError


def test_a_table_that_cannot_be_read_is_set_aside_and_reported_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table, other = await platform.tables.open(opening()), await platform.tables.open(opening())
            with closing(sqlite3.connect(tmp_path / "ludus.sqlite3")) as database:
                database.execute("""UPDATE events SET data = '{"seats": [' WHERE "table" = ?""", (table.id,))
                database.commit()
            tables = twin_of(platform)
            for _ in range(3):
                with pytest.raises(Unreadable):
                    await tables.execute(table.id, Resign(0))
            assert (await tables.execute(other.id, Resign(0))).event is not None

    asyncio.run(play())
    assert len(caplog.records) == 1
    assert "cannot be read and is set aside" in caplog.text
    assert "Traceback" not in caplog.text


@pytest.mark.parametrize("data", ['{"moves": ["99-100"]}', "{}", '"text"', "[]"])
def test_an_event_that_makes_no_sense_is_damage_too(tmp_path: Path, data: str) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening())
            await platform.tables.execute(table.id, first_play(table))
            with closing(sqlite3.connect(tmp_path / "ludus.sqlite3")) as database:
                database.execute("UPDATE events SET data = ? WHERE version = 2", (data,))
                database.commit()
            with pytest.raises(Unreadable):
                await twin_of(platform).load(table.id)

    asyncio.run(play())


def test_a_long_game_is_folded_once_for_all_who_ask_and_not_on_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def folding(events: Sequence[Event]) -> Table:
        threads.append(threading.current_thread())
        return folded(events)

    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.tables.open(opening("backgammon")._replace(table="long"))
            rng = Random(1)
            while table.outcome is None and table.version <= LONG:
                table = (await platform.tables.execute(table.id, random_play(table, rng))).table
            assert table.version > LONG
            other = twin_of(platform)
            monkeypatch.setattr("ludus.service.tables.folded", folding)
            loaded = await asyncio.gather(*[other.load(table.id) for _ in range(100)])
            assert len(threads) == 1 and threading.main_thread() not in threads
            assert {id(each) for each in loaded} == {id(loaded[0])}
            assert loaded[0].table.row() == table.row()

    asyncio.run(play())


def test_a_game_that_is_deleted_while_it_is_folded_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = (await platform.tables.open(opening())).id
            over = (await platform.tables.execute(table, Resign(0))).table
            other = twin_of(platform)
            read = platform.store.events

            async def deleting(id: str, after: int = 0) -> Sequence[Event]:
                found = await read(id, after)
                if found:
                    await platform.store.commit(DropTable(over.row()))
                    other.discard(table)
                return found

            monkeypatch.setattr(platform.store, "events", deleting)
            with pytest.raises(NotFound):
                await other.load(table)
            assert other.cached(table) is None

    asyncio.run(play())


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_change_that_is_heard_of_during_a_read_is_not_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_loaded: bool
) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = (await platform.tables.open(opening())).id
            other = twin_of(platform)
            if is_loaded:
                await other.load(table)
                await platform.tables.execute(table, Play(0, "11-16"))
                other.note_version(table, 2)
            read = platform.store.events

            async def slow(id: str, after: int = 0) -> Sequence[Event]:
                found = await read(id, after)
                monkeypatch.setattr(platform.store, "events", read)
                await platform.tables.execute(table, Resign(1))
                other.note_version(table, 3 if is_loaded else 2)
                return found

            monkeypatch.setattr(platform.store, "events", slow)
            await other.load(table)
            assert (await other.load(table)).table.outcome is not None

    asyncio.run(play())


@pytest.mark.parametrize("is_loaded", [True, False])
def test_a_version_that_was_never_stored_is_looked_for_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_loaded: bool
) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = (await platform.tables.open(opening())).id
            other, read, reads = twin_of(platform), platform.store.events, list[int]()
            if is_loaded:
                await other.load(table)
                assert other.note_version(table, 9)

            async def noting(id: str, after: int = 0) -> Sequence[Event]:
                reads.append(after)
                other.note_version(table, 9)
                return await read(id, after)

            monkeypatch.setattr(platform.store, "events", noting)
            for _ in range(3):
                assert (await other.load(table)).table.version == 1
            assert reads == ([1] if is_loaded else [0, 1])
            assert other.cached(table) is not None

    asyncio.run(play())


@pytest.mark.parametrize("is_known_to_be_over", [True, False])
def test_a_name_whose_erasure_was_not_heard_of_is_gone_after_a_catch_up(
    tmp_path: Path, is_known_to_be_over: bool
) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = (await platform.tables.open(opening())).id
            other, rewritten = twin_of(platform), list[str]()
            other.on_rewritten.append(rewritten.append)
            if not is_known_to_be_over:
                await other.load(table)
            over = (await platform.tables.execute(table, Resign(0))).table
            if is_known_to_be_over:
                await other.load(table)
            await platform.tables.redact(table, redaction(await platform.tables.load(table)))
            await other.catch_up()
            assert other.cached(table) is None
            loaded = await other.load(table)
            assert loaded.table.seats[0] == erased(over.seats[0], 0, None) != over.seats[0]
            assert loaded.table.outcome is not None
            assert other.cached(table) is loaded
            assert rewritten == [table]

    asyncio.run(play())


def test_ended_tables_that_nobody_asks_for_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            asked, unasked = [(await platform.tables.open(opening())).id for _ in range(2)]
            for table in (asked, unasked):
                await platform.tables.execute(table, Resign(0))
            rewritten, reads, read = list[str](), list[str](), platform.store.events
            platform.tables.on_rewritten.append(rewritten.append)

            async def noting(id: str, after: int = 0) -> Sequence[Event]:
                reads.append(id)
                return await read(id, after)

            monkeypatch.setattr(platform.store, "events", noting)
            for _ in range(3):
                await platform.tables.catch_up()
                await asyncio.gather(*[platform.tables.load(asked) for _ in range(9)])
            assert reads == [asked] * 3
            assert rewritten == []  # what was rendered is kept

    asyncio.run(play())


def test_a_catch_up_still_finds_the_changes_of_ended_tables(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = (await platform.tables.open(opening())).id
            await platform.tables.execute(table, Resign(0))
            for _ in range(2):
                await platform.tables.catch_up()
            await twin_of(platform).execute(table, AskRematch(0, NEW))
            await platform.bus.drain()
            platform.notes.clear()
            await platform.tables.catch_up()
            await platform.bus.drain()
            assert platform.notes == [TableChanged(table, 3)]
            assert (await platform.tables.load(table)).table.wants_rematch == (True, False)

    asyncio.run(play())


def test_a_name_that_is_erased_while_a_command_is_stored_is_not_kept(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = (await platform.tables.open(opening())).id
            over = (await platform.tables.execute(table, Resign(0))).table
            other = twin_of(platform)
            await other.load(table)

            async def erase(_: Decision) -> Sequence[Write]:
                await platform.tables.redact(table, redaction(await platform.tables.load(table)))
                other.discard(table)
                return []

            other.hooks.append(erase)
            await other.execute(table, AskRematch(1, NEW))
            loaded = await other.load(table)
            assert loaded.table.wants_rematch == (False, True)
            assert loaded.table.seats[0] == erased(over.seats[0], 0, None)

    asyncio.run(play())
