"""What is older than the operator wants to keep is deleted, and nothing else is."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import seated, until, wanted, with_platform

from ludus.server.app import Server
from ludus.server.settings import Settings
from ludus.service import retention as retention_module
from ludus.service.commands import Resign
from ludus.service.lobby import Seeker
from ludus.service.platform import Platform
from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutCode, PutDelivery, PutTenant
from ludus.service.records import Delivery, OneTimeCode, Session, Tenant
from ludus.service.retention import BATCH, DAY, GAMES, Days, Retention
from ludus.service.table import Seat, SeatKind, Table
from ludus.service.tables import NotFound
from ludus.service.webhooks.delivery import replayed
from ludus.storage import store_for

NOW = 1_700_000_000_000
PATIENCE = 90.0
"""Seconds until a test gives up on what should have happened."""


class Still:
    def now(self) -> int:
        return NOW

    def monotonic(self) -> int:
        return 0


def delivery(id: str, state: str, age: int) -> Delivery:
    """One that was written so many milliseconds ago."""
    due = NOW if state == "waiting" else None
    return Delivery(id, "a", "s", "game.move", "https://a.example", "{}", state, 0, due, NOW - age)


def go(folder: Path, scenario: Callable[[Store], Awaitable[None]]) -> None:
    async def work() -> None:
        store = store_for("", folder)
        await store.open()
        await store.commit(PutTenant(Tenant("a", "a", 0)))
        await scenario(store)
        await store.close()

    asyncio.run(work())


async def left(store: Store) -> set[str]:
    return {each.id for state in ("waiting", "delivered", "dead") for each in await store.deliveries(state, most=1000)}


async def until_left(store: Store, ids: set[str]) -> None:
    async with asyncio.timeout(PATIENCE):
        while await left(store) != ids:
            await asyncio.sleep(0.005)


def test_deliveries_that_are_done_go_after_their_days_and_waiting_ones_stay(tmp_path: Path) -> None:
    async def scenario(store: Store) -> None:
        old = [delivery(state, state, 30 * DAY + 1) for state in ("waiting", "delivered", "dead")]
        young = [delivery(f"young {state}", state, 30 * DAY) for state in ("waiting", "delivered", "dead")]
        await store.commit(*map(PutDelivery, old + young))
        assert not await Retention(store, Still(), Days(webhooks=30)).delete_old()
        assert await left(store) == {"waiting", "young waiting", "young delivered", "young dead"}
        assert await store.deliveries("dead", "a") == [young[2]]

    go(tmp_path, scenario)


def test_only_a_few_go_at_once(tmp_path: Path) -> None:
    async def scenario(store: Store) -> None:
        await store.commit(*(PutDelivery(delivery(f"d{n}", "delivered", 2 * DAY)) for n in range(2 * BATCH + 3)))
        retention = Retention(store, Still(), Days(webhooks=1))
        assert [(await retention.delete_old(), len(await left(store))) for _ in range(4)] == [
            (True, BATCH + 3),
            (True, 3),
            (False, 0),
            (False, 0),
        ]

    go(tmp_path, scenario)


class Reviving:
    """A store whose dead delivery is replayed just after it was read as done."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def deliveries_done(self, before: int, most: int) -> Sequence[str]:
        done = await self._store.deliveries_done(before, most)
        dead = await self._store.delivery("dead")
        assert dead
        await self._store.commit(PutDelivery(replayed(dead, NOW)))
        return done


def test_a_delivery_that_is_replayed_meanwhile_is_not_lost(tmp_path: Path) -> None:
    async def scenario(store: Store) -> None:
        await store.commit(*(PutDelivery(delivery(state, state, 9 * DAY)) for state in ("delivered", "dead")))
        await Retention(Reviving(store), Still(), Days(webhooks=1)).delete_old()
        assert await left(store) == {"delivered", "dead"}
        await Retention(store, Still(), Days(webhooks=1)).delete_old()
        assert await store.deliveries("waiting") == [replayed(delivery("dead", "dead", 9 * DAY), NOW)]
        assert await left(store) == {"dead"}

    go(tmp_path, scenario)


class Failing(Reviving):
    """A store that cannot be read the first time."""

    is_well = False

    async def deliveries_done(self, before: int, most: int) -> Sequence[str]:
        if not self.is_well:
            self.is_well = True
            raise OSError("the disk is gone")
        return await self._store.deliveries_done(before, most)


def test_it_goes_on_by_itself_until_all_is_done_and_after_trouble(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention_module, "POLL_SECONDS", 0.01)

    async def scenario(store: Store) -> None:
        await store.commit(*(PutDelivery(delivery(f"d{n}", "dead", 2 * DAY)) for n in range(BATCH + 1)))
        retention = Retention(Failing(store), Still(), Days(webhooks=1))
        retention.start()
        await until_left(store, set())
        await store.commit(PutDelivery(delivery("later", "dead", 2 * DAY)))
        await until_left(store, set())
        await retention.stop()

    go(tmp_path, scenario)


def test_with_no_days_everything_is_kept(tmp_path: Path) -> None:
    async def scenario(store: Store) -> None:
        await store.commit(PutDelivery(delivery("d1", "delivered", 40_000 * DAY)))
        retention = Retention(store, Still(), Days(webhooks=0))
        retention.start()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        await retention.stop()
        assert await left(store) == {"d1"}

    go(tmp_path, scenario)


def test_a_server_keeps_deliveries_for_as_long_as_the_setting_says(tmp_path: Path) -> None:
    async def work() -> None:
        store = store_for("", tmp_path)
        await store.open()
        deliveries = [PutDelivery(delivery(id, "delivered", age)) for id, age in (("old", DAY + 1), ("young", DAY))]
        await store.commit(PutTenant(Tenant("a", "a", 0)), *deliveries)
        await store.close()
        server = Server(Settings(data=str(tmp_path), webhook_days=1), clock=Still())
        await server.open()
        await until_left(server.store, {"young"})
        await server.close()

    asyncio.run(work())


async def played(platform: Platform, clock: FakeClock, days: float) -> tuple[Table, Session]:
    """A rated game that ended so many days before the last one of the test."""
    table, one, _ = await seated(platform)
    await platform.tables.execute(table.id, Resign(0))
    clock.wait(days * 24 * 3600)
    return table, one


@with_platform
async def test_old_games_go_with_their_sessions_and_statistics_and_ratings_stay(
    platform: Platform, clock: FakeClock
) -> None:
    old = [await played(platform, clock, 1.0) for _ in range(GAMES + 1)]
    young = await played(platform, clock, 29.5)
    live, waiting, _ = await seated(platform)
    clock.wait(3600)
    store, deleted = platform.store, Counter[str]()
    tally, key = await store.tally("checkers"), old[0][0].seats[0].key
    rating = await platform.rating_of(key, "checkers")
    retention = Retention(
        store,
        clock,
        Days(games=30),
        on_table=platform.tables.note_deleted,
        on_deleted=lambda kind, number: deleted.update({kind: number}),
    )
    assert [await retention.delete_old() for _ in range(3)] == [True, False, False]
    assert deleted == {"games": GAMES + 1}
    for table, session in old:
        assert await store.table(table.id) is None and await store.session(session.id) is None
        with pytest.raises(NotFound):
            await platform.tables.load(table.id)
    assert await store.tally("checkers") == tally
    assert await platform.rating_of(key, "checkers") == rating
    assert await store.rating_change(old[0][0].id, key) is not None
    for table, session in (young, (live, waiting)):
        assert (await platform.tables.load(table.id)).table.id == table.id
        assert await store.session(session.id) is not None


@with_platform
async def test_ended_sessions_go_after_their_days_and_their_games_stay(platform: Platform, clock: FakeClock) -> None:
    table, session = await played(platform, clock, 2.0)
    live, active, _ = await seated(platform)
    pending = (await platform.sessions.create(wanted())).session
    clock.wait(24 * 3600)
    retention = Retention(platform.store, clock, Days(sessions=2))
    assert not await retention.delete_old()
    assert await platform.store.session(session.id) is None
    assert await platform.store.table(table.id) is not None
    for kept in (active, pending):
        assert await platform.store.session(kept.id) is not None
    clock.wait(24 * 3600)
    await retention.delete_old()
    for kept in (active, pending):  # old enough, but they have not ended
        assert await platform.store.session(kept.id) is not None
    assert (await platform.tables.load(live.id)).table.outcome is None


async def guest_game(platform: Platform, moves: int, kind: str = "guest") -> str:
    """A finished game of a guest against a bot, after so many moves of the guest."""
    seat = Seat(f"{kind}/{moves}", "guest", "Guest", SeatKind.PERSON)
    table = await platform.lobby.play_bot(Seeker(seat, "checkers", "training", "training", 1500.0, True, None), "easy")
    live = await platform.tables.load(table.id)
    for number in range(moves):
        await platform.tables.execute(table.id, first_play(live.table))
        await until(lambda number=number: live.table.moves == 2 * number + 2)  # type: ignore[misc]  # mypy infers no lambda with a default
    await platform.tables.execute(table.id, Resign(0))
    return table.id


@pytest.mark.parametrize(
    ("days", "kept"),
    [(Days(), {"played", "unplayed"}), (Days(unplayed=30), {"played"}), (Days(guests=30), set())],
    ids=["forever", "unplayed", "all"],
)
@with_platform
async def test_games_of_guests_have_their_own_days(
    platform: Platform, clock: FakeClock, days: Days, kept: set[str]
) -> None:
    old = {"played": [await guest_game(platform, 1)], "unplayed": [await guest_game(platform, 0) for _ in range(9)]}
    own, _ = await played(platform, clock, 30.0)
    clock.wait(1)
    young = await guest_game(platform, 0)
    live = await platform.lobby.play_bot(
        Seeker(Seat("guest/live", "g", "G", SeatKind.PERSON), "checkers", "training", "training", 1500.0, True, None),
        "easy",
    )
    deleted = Counter[str]()
    retention = Retention(platform.store, clock, days, on_deleted=lambda kind, number: deleted.update({kind: number}))
    for _ in range(5):
        await retention.delete_old()
    found = {name for name, ids in old.items() for id in ids if await platform.store.table(id) is not None}
    assert found == kept
    assert deleted["games"] == sum(len(ids) for name, ids in old.items() if name not in kept)
    for id in (own.id, young, live.id):
        assert await platform.store.table(id) is not None


@with_platform
async def test_games_of_people_stay_when_those_of_guests_go(platform: Platform, clock: FakeClock) -> None:
    own, unplayed = await guest_game(platform, 1, "person"), await guest_game(platform, 0, "person")
    clock.wait(31 * 24 * 3600)
    retention = Retention(platform.store, clock, Days(guests=30, unplayed=30))
    await retention.delete_old()
    assert await platform.store.table(own) is not None
    assert await platform.store.table(unplayed) is None


@with_platform
async def test_games_that_stay_are_looked_at_once(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(retention_module, "PAGE", 4)
    for _ in range(9):
        await played(platform, clock, 0.0)
    last = await guest_game(platform, 0)
    clock.wait(31 * 24 * 3600)
    read, original = list[str](), platform.store.tables_ended

    async def note(*args: Any) -> Any:
        rows = await original(*args)
        read.extend(row.id for row in rows)
        return rows

    monkeypatch.setattr(platform.store, "tables_ended", note)
    retention = Retention(platform.store, clock, Days(unplayed=30))
    assert [await retention.delete_old() for _ in range(4)] == [True, True, False, False]
    assert len(read) == len(set(read)) == 10
    assert await platform.store.table(last) is None


def test_expired_codes_go_a_day_later(tmp_path: Path) -> None:
    codes = [OneTimeCode(str(age), 1, "login", "", None, NOW - age) for age in (DAY + 1, DAY, 0, -DAY)]

    async def scenario(store: Store) -> None:
        await store.commit(*map(PutCode, codes))
        assert not await Retention(store, Still(), Days(codes=1)).delete_old()
        assert [await store.code(each.id) for each in codes] == [None, *codes[1:]]

    go(tmp_path, scenario)
