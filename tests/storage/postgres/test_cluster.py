"""Two processes of a cluster on one PostgreSQL: they share the games, and either can do the other's work."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pytest
from tests.server.rooms.harness import RoomHarness, Tab
from tests.service.parts import FakeClock, first_play, redaction
from tests.service.platforms import (
    ANN,
    BEN,
    SECRET,
    FirstMove,
    NoteRecorder,
    enter,
    found_tenant,
    play,
    seated,
    settle,
    until,
    wanted,
)
from tests.service.test_lobby import agent
from tests.service.test_matches import registered

from ludus.bus.memory import MemoryBus
from ludus.service.agents import player_key
from ludus.service.clock import StoreClock
from ludus.service.cluster import Cluster, Role, Work
from ludus.service.commands import AskRematch, OfferDraw, Resign
from ludus.service.matches import Matches
from ludus.service.platform import Platform, Timeouts, new_member
from ludus.service.ports.bus import Note, PlayerSeated, TableChanged
from ludus.service.ports.store import Unavailable
from ludus.service.ports.writes import DropTable
from ludus.service.records import MEMBER_MS
from ludus.service.shards import SHARDS
from ludus.service.table import EventKind, Table
from ludus.service.tables import NotFound, StaleVersion
from ludus.storage import store_for
from ludus.storage.errors import BadDatabase

from ..conftest import fresh

pytestmark = pytest.mark.anyio
TIMEOUTS = Timeouts(bot_pause=0, settle=0)


class LinkedBus(MemoryBus):
    """Notifies another process too, unless the link is cut."""

    def __init__(self) -> None:
        super().__init__()
        self.other: LinkedBus | None = None

    @property
    def is_connected(self) -> bool:  # type: ignore[override]  # a plain bus always is
        return self.other is not None

    async def publish(self, note: Note) -> None:
        await super().publish(note)
        if self.other is not None:
            self.other.notify(note)


class Two:
    """Both are open; they do nothing by themselves."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.clock = FakeClock()
        self.buses = LinkedBus(), LinkedBus()
        self.platforms = [self._platform(folder, bus) for bus in self.buses]

    def _platform(self, folder: Path, bus: LinkedBus, role: Role = Role.BOTH) -> Platform:
        store = store_for(self.url, folder)
        cluster = Cluster(store, new_member(SECRET, role), is_sole=False)
        clock = StoreClock(self.clock)
        return Platform(store, bus, FirstMove(), SECRET, TIMEOUTS, clock=clock, rng=Random(1), cluster=cluster)

    async def open(self) -> None:
        self.link()
        for platform in self.platforms:
            await platform.open()
            await settle(platform)
        await found_tenant(self.platforms[0])
        await self.beat(*[self.platforms] * 2)

    def link(self) -> None:
        self.buses[0].other, self.buses[1].other = self.buses[1], self.buses[0]

    def cut(self) -> None:
        self.buses[0].other = self.buses[1].other = None

    async def drain(self) -> None:
        for bus in (*self.buses, *self.buses):
            await bus.drain()

    async def beat(self, *rounds: list[Platform], seconds: float = 0) -> None:
        """Each round, those who are in it have a heartbeat, look for deadlines and hear what happened."""
        for platforms in rounds:
            self.clock.wait(seconds)
            for platform in platforms:
                await platform._beat()
                if platform._has_gap:
                    await platform._read_changes()
                await platform.sweep()
                await asyncio.gather(*platform._resuming)
            await self.drain()


@pytest.fixture
async def two(postgres: str, tmp_path: Path) -> AsyncIterator[Two]:
    found = Two(await fresh(postgres), tmp_path)
    await found.open()
    yield found
    for platform in found.platforms:
        await platform.close()


async def pair(two: Two) -> Table:
    """Ann is connected to the first process, Ben to the second."""
    one, other = two.platforms
    assert await enter(one, await one.sessions.create(wanted())) is None
    table = await enter(other, await other.sessions.create(wanted(players=(BEN,))))
    assert table is not None
    await two.drain()
    ann = table.seat_of("acme/live/ann")
    assert ann is not None
    await one.presence.arrive(table.id, ann)
    await other.presence.arrive(table.id, 1 - ann)
    return table


async def now(platform: Platform, table: Table) -> Table:
    return (await platform.tables.load(table.id)).table


async def kinds(platform: Platform, table: Table) -> list[str]:
    return [event.kind for event in (await platform.tables.load(table.id)).events[1:]]


async def test_players_at_opposite_processes_play_a_game(two: Two) -> None:
    one, other = two.platforms
    table = await pair(two)
    for number in range(1, 21):
        mover = two.platforms[number % 2]
        await mover.tables.execute(table.id, first_play(await now(mover, table)))
        await two.drain()
        assert (await now(one, table)).moves == (await now(other, table)).moves == number


async def test_a_command_on_an_old_version_is_decided_on_the_new_one(two: Two) -> None:
    one, other = two.platforms
    table = await pair(two)
    await other.tables.load(table.id)
    two.cut()  # the second process hears nothing
    await play(one, table.id, 3)
    before = other.tables.cached(table.id)
    assert before is not None and before.table.moves == 0
    await other.tables.execute(table.id, OfferDraw(1))
    assert [event.kind for event in before.events[1:]] == [EventKind.PLAYED] * 3 + [EventKind.DRAW_OFFERED]
    await one.tables.execute(table.id, first_play(await now(other, table)), expected=5)
    with pytest.raises(StaleVersion):
        await other.tables.execute(table.id, OfferDraw(1), expected=5)


async def test_of_two_moves_at_once_one_is_stored(two: Two) -> None:
    table = await pair(two)
    for _ in range(10):
        command = first_play(await now(two.platforms[0], table))
        done = await asyncio.gather(
            *[each.tables.execute(table.id, command) for each in two.platforms], return_exceptions=True
        )
        assert sum(not isinstance(each, Exception) for each in done) == 1
        await two.drain()


async def test_two_who_join_different_processes_at_once_are_paired_once(two: Two) -> None:
    one, other = two.platforms
    heard = NoteRecorder(one)
    tickets = [await each.sessions.create(wanted(players=(who,))) for each, who in ((one, ANN), (other, BEN))]
    done = await asyncio.gather(*[enter(each, ticket) for each, ticket in zip(two.platforms, tickets, strict=True)])
    await two.beat(two.platforms)
    tables = {table.id for table in done if table is not None}
    assert len(tables) == 1
    (id,) = tables
    assert [note.table for note in heard.notes if isinstance(note, PlayerSeated)] in ([id], [id, id])
    assert len(await one.store.live_tables()) == 1
    assert await one.store.pools() == []


async def test_a_player_with_connections_to_two_processes_is_there_until_the_last_closes(two: Two) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)
    await other.presence.arrive(table.id, 0)
    await one.presence.depart(table.id, 0, "tab-1")
    assert await kinds(one, table) == []
    await other.presence.depart(table.id, 0, "tab-2")
    await two.drain()
    assert await kinds(one, table) == [EventKind.LEFT]


async def test_who_changes_the_process_in_one_moment_is_there_in_the_end(two: Two) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)
    for _ in range(10):
        two.clock.wait(3)
        await asyncio.gather(one.presence.depart(table.id, 0, "old"), other.presence.arrive(table.id, 0))
        await two.drain()
        assert (await now(one, table)).away == (await now(other, table)).away == (None, None)
        one, other = other, one


async def test_the_players_of_a_process_that_dies_are_away_and_their_deadlines_fire_once(two: Two) -> None:
    one, other = two.platforms
    table = await pair(two)
    dead = table.seat_of("acme/live/ben")
    assert dead is not None
    for _ in range(MEMBER_MS // 1000):
        await two.beat([one], seconds=1)
    assert (await now(one, table)).away == (None, None)  # it may only be slow
    await two.beat([one], seconds=1)
    assert (await now(one, table)).away[dead] is not None
    for _ in range(TIMEOUTS.reconnect // 1000 + 1):
        await two.beat([one], seconds=1)
    assert (await kinds(one, table)).count(EventKind.TIMED_OUT) == 1
    del other


async def test_both_look_for_deadlines_and_each_fires_once(two: Two) -> None:
    tables = [(await seated(two.platforms[number % 2]))[0] for number in range(6)]
    for _ in range(TIMEOUTS.idle // 1000 + 2):
        await two.beat(two.platforms, seconds=1)
    for table in tables:
        assert (await kinds(two.platforms[0], table)).count(EventKind.TIMED_OUT) == 1


async def test_a_process_that_stood_still_joins_again_with_its_players(two: Two) -> None:
    one, other = two.platforms
    table = await pair(two)
    for _ in range(20):
        await two.beat([one], seconds=1)
    assert None in (await now(one, table)).away and (await now(one, table)).away != (None, None)
    assert other.cluster.id not in one.cluster.members
    await two.beat([other], two.platforms, two.platforms)
    assert (await now(one, table)).away == (None, None)
    assert sorted(one.cluster.shards[Work.SWEEP] | other.cluster.shards[Work.SWEEP]) == sorted(SHARDS)
    assert len(other.cluster.shards[Work.SWEEP]) == 8
    assert abs(one.clock.moment().clock - other.clock.moment().clock) < 10  # it has missed nothing


async def test_downtime_is_when_no_process_works(two: Two) -> None:
    one, other = two.platforms
    began = one.clock.confirmed
    for number in range(20):  # each stands still now and then, but never both
        working, resting = two.platforms if number // 5 % 2 else reversed(two.platforms)
        await two.beat([working, resting] if number % 5 == 4 else [working], seconds=1)
    await two.beat(two.platforms)
    assert one.clock.confirmed - began == other.clock.confirmed - began == 20_000
    two.clock.wait(600)
    await two.beat(two.platforms)
    assert one.clock.confirmed - began == 20_000


async def test_the_bots_of_a_process_that_dies_play_on_elsewhere(two: Two) -> None:
    one, other = two.platforms
    ticket = await other.sessions.create(wanted(match_type="bot"))
    table = await enter(other, ticket)
    assert table is not None and other.cluster.has(Work.BOTS, table.id)  # where its player is
    await other.bots.stop()
    await one.tables.execute(table.id, first_play(await now(one, table)))
    assert (await now(one, table)).moves == 1
    for _ in range(MEMBER_MS // 1000 + 2):
        await two.beat([one], seconds=1)
    live = await one.tables.load(table.id)
    await until(lambda: live.table.moves == 2)


async def test_nobody_is_paired_with_a_player_of_a_process_that_died(two: Two) -> None:
    one, other = two.platforms
    assert await enter(other, await other.sessions.create(wanted())) is None
    for _ in range(MEMBER_MS // 1000 + 2):
        await two.beat([one], seconds=1)
    assert await one.store.pools() == []
    assert await enter(one, await one.sessions.create(wanted(players=(BEN,)))) is None


async def test_without_the_bus_changes_are_found_in_the_store(two: Two) -> None:
    one, other = two.platforms
    table = await pair(two)
    two.cut()
    await other.tables.load(table.id)
    await play(one, table.id, 5)
    heard = NoteRecorder(other)
    await two.beat([other], seconds=1)
    assert heard.notes == [TableChanged(table.id, 6)]
    assert (await now(other, table)).moves == 5


async def test_tables_that_nobody_here_asks_for_are_forgotten(two: Two) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)
    await other.tables.load(table.id)
    assert len(other.tables) == 1
    await play(one, table.id)
    await two.drain()
    other.tables.evict_unused()
    assert len(other.tables) == 0
    assert (await now(other, table)).moves == 1


async def test_a_sole_server_and_a_cluster_do_not_mix(two: Two, tmp_path: Path) -> None:
    sole = Platform(store_for(two.url, tmp_path), MemoryBus(), FirstMove(), SECRET, TIMEOUTS, rng=Random(1))
    with pytest.raises(BadDatabase):
        await sole.open()


async def test_the_wall_clock_of_a_process_may_be_wrong(two: Two) -> None:
    one, other = two.platforms
    await two.beat(two.platforms)
    two.clock.jump(-86_400)
    await two.beat(two.platforms, two.platforms)
    assert abs(one.clock.moment().at - other.clock.moment().at) < 1000
    assert abs(one.clock.moment().at - two.clock.time) > 80_000_000


async def test_a_game_that_one_process_deletes_is_shown_by_none(two: Two) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)
    await one.tables.execute(table.id, Resign(0))
    await two.drain()
    row = await one.store.table(table.id)
    assert row is not None and (await now(other, table)).outcome
    await one.store.commit(DropTable(row))
    await one.tables.note_deleted(table.id)
    await two.drain()
    with pytest.raises(NotFound):
        await other.tables.load(table.id)


async def test_a_name_that_one_process_erases_is_shown_by_none_even_without_the_bus(two: Two) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)
    await one.tables.execute(table.id, Resign(0))
    await two.drain()
    assert (await now(other, table)).seats == table.seats
    two.cut()
    await one.tables.redact(table.id, redaction(await one.tables.load(table.id)))
    await two.beat([other], seconds=1)
    assert (await now(other, table)).seats == (await now(one, table)).seats != table.seats


async def test_a_rematch_moves_the_players_of_both_processes(two: Two) -> None:
    table = await pair(two)
    one, other = two.platforms
    await one.tables.execute(table.id, Resign(0))
    await one.tables.execute(table.id, AskRematch(0, "00000000-0000-7000-8000-000000000001"))
    await two.drain()
    await other.tables.execute(table.id, AskRematch(1, "00000000-0000-7000-8000-000000000002"))
    await two.drain()
    ended = await now(one, table)
    assert ended.rematch is not None
    again = await now(one, (await one.tables.load(ended.rematch)).table)
    for platform in two.platforms:  # neither takes the other's player for gone before they had time to arrive
        await platform.presence.reconcile(again.id)
    assert (await now(one, again)).away == (None, None)
    for _ in range(6):
        await two.beat(two.platforms, seconds=1)
    assert None not in (await now(other, again)).away


async def test_who_asks_how_things_stand_sees_what_another_process_has_acknowledged(two: Two) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)
    await other.tables.load(table.id)
    two.cut()
    for moves in range(1, 4):
        await play(one, table.id)
        assert (await other.tables.current(table.id)).table.moves == moves


async def test_the_rows_of_a_process_that_has_joined_again_stay(two: Two) -> None:
    one, other = two.platforms
    table = await pair(two)
    for _ in range(6):
        await two.beat([one], seconds=1)
    assert other.cluster.id not in one.cluster.members
    await other._beat()  # joins again, and the first has not looked since
    await one.presence.sweep_orphans()
    await two.drain()
    assert other.cluster.id in {row.member for row in await one.store.connections_at(table.id)}


async def test_rows_that_could_not_be_stored_are_stored_later(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two.platforms
    table = await pair(two)
    for _ in range(6):
        await two.beat([one], seconds=1)

    async def fail(*_: object) -> None:
        raise Unavailable("the database is away")

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(other.store, "commit", fail)
        await other._beat()
    await two.beat(two.platforms, two.platforms)
    assert other.cluster.id in {row.member for row in await one.store.connections_at(table.id)}
    assert (await now(one, table)).away == (None, None)


async def test_an_arrival_that_fails_leaves_no_connection_behind(two: Two, monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = two.platforms
    table, *_ = await seated(one)

    async def fail(*_: object) -> None:
        raise Unavailable("the database is away")

    with monkeypatch.context() as patch, pytest.raises(Unavailable):
        patch.setattr(other.tables, "execute", fail)
        await other.presence.arrive(table.id, 0)
    await one.presence.depart(table.id, 0, "tab")
    await two.beat(two.platforms, two.platforms, seconds=3)
    assert (await now(one, table)).away[0] is not None


async def waits_at_both(two: Two) -> tuple[Tab, Tab, RoomHarness]:
    """Ann's tabs, first at the first process and then at the second, whose entry is stored; and the first's rooms."""
    one, other = [RoomHarness(platform) for platform in two.platforms]
    token = (await one.session("ann")).token
    tabs = await one.connect(token), await other.connect(token)
    for tab in tabs:
        assert (await tab.emit("matchmaking:join", {}))["position"] == 1
    return *tabs, one


async def test_who_connects_elsewhere_keeps_waiting_when_the_old_connection_is_lost(two: Two) -> None:
    before, now, one = await waits_at_both(two)
    await before.drop()
    ben = await one.enter("ben")
    await two.drain()
    assert now.room == ben.room


async def test_who_waits_at_two_processes_does_so_until_the_last_connection_is_lost(two: Two) -> None:
    before, now, one = await waits_at_both(two)
    await now.drop()
    assert await two.platforms[0].store.pools() == []
    await two.beat(two.platforms)
    ben = await one.enter("ben")
    await two.drain()
    assert before.room == ben.room


async def test_who_leaves_the_queue_leaves_it_at_whichever_process_the_entry_is(two: Two) -> None:
    before, now, _ = await waits_at_both(two)
    assert await before.emit("matchmaking:leave", {}) == {"ok": True}
    assert await two.platforms[0].store.pools() == []
    await two.beat(two.platforms)
    assert len(await two.platforms[0].store.pools()) == 1  # the other tab still waits
    await now.emit("matchmaking:leave", {})
    await two.beat(two.platforms)
    assert await two.platforms[0].store.pools() == []


async def test_who_waits_with_a_session_that_has_ended_is_not_queued_again(two: Two) -> None:
    before, now, one = await waits_at_both(two)
    two.cut()
    (session,) = await one.platform.store.sessions_due(one.platform.clock.moment().clock + 10**9, 10)
    await now.drop()
    await one.platform.sessions.expire(session)
    await two.beat(two.platforms)
    assert before.names[-1] == "matchmaking:left"
    assert await one.platform.store.pools() == []


async def test_a_process_removes_its_own_players_who_have_left(two: Two) -> None:
    one, other = two.platforms
    if one.cluster.has(Work.SWEEP, "checkers/acme/live"):
        one, other = other, one  # the second pairs the players of this pool
    assert await enter(one, await one.sessions.create(wanted())) is None
    one.lobby.is_waiting = lambda _player: False
    await two.beat([other])
    assert len(await one.store.pools()) == 1
    await two.beat([one])
    assert await one.store.pools() == []


@pytest.mark.parametrize("levels", [("easy", "easy"), ("easy", None), (None, None)])
async def test_an_agent_that_asks_two_processes_at_once_has_one_seat(two: Two, levels: tuple[str | None, ...]) -> None:
    matches = [Matches(platform, 20) for platform in two.platforms]
    store = two.platforms[0].store
    for number in range(5):
        asking = await registered(two.platforms[0], f"asking {number}")
        for other in range(2 * (levels == (None, None))):  # opponents, who would give it two games
            await matches[other].queue(
                await registered(two.platforms[0], f"{number} waits {other}"), "checkers", "fast"
            )
        await asyncio.gather(
            *[each.queue(asking, "checkers", "fast", level) for each, level in zip(matches, levels, strict=True)]
        )
        key = player_key(asking.id)
        assert len(await store.live_tables_of(key)) + len(await store.entries_of(key)) == 1


async def test_an_agent_that_is_seated_elsewhere_while_it_asks_has_one_seat(two: Two) -> None:
    one, other = two.platforms
    found: list[Table] = []

    async def seated() -> Table | None:
        """Finds nothing at first, and then another process opens a table."""
        if found:
            return found[0]
        found.append(await other.lobby.play_bot(agent("ada"), "easy"))
        return None

    answer = await one.lobby.join(agent("ada"), seated)
    assert (answer.table, answer.is_new) == (found[0], False)
    assert len(await one.store.live_tables_of("agent/ada")) == 1
    assert await one.store.pools() == []


async def test_nobody_is_paired_with_an_agent_that_may_be_seated_already(two: Two) -> None:
    one, other = two.platforms
    asked: list[Table | None] = []

    async def seated() -> None:
        if asked:  # it is reserved by now
            asked.append((await other.lobby.join(agent("bob"))).table)
            await two.beat([other])
        asked.append(None)

    answer = await one.lobby.join(agent("ada"), seated)
    assert asked == [None, None, None]
    assert answer.table is not None
    assert {seat.id for seat in answer.table.seats} == {"ada", "bob"}
    assert await one.store.pools() == []


async def test_the_reservation_of_an_agent_whose_request_failed_is_removed(two: Two) -> None:
    one, other = two.platforms
    asked: list[None] = []

    async def seated() -> None:
        asked.append(None)
        if len(asked) == 2:
            raise Unavailable("the store fails on purpose")

    with pytest.raises(Unavailable):
        await one.lobby.join(agent("ada"), seated)
    assert len(await one.store.pools()) == 1
    assert (await other.lobby.join(agent("bob"))).table is None
    await two.beat([one])
    assert await one.store.entries_of("agent/ada") == []
    assert (await one.lobby.join(agent("ada"))).table is not None
