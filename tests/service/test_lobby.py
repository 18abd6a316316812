from __future__ import annotations

import asyncio
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from tests.service.parts import limits, parts, seeker

from ludus.service.lobby import Lobby, Seeker, Stopping
from ludus.service.ports.bus import PlayerSeated
from ludus.service.table import Seat, SeatKind


def test_two_of_one_pool_are_seated_together(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            first = await platform.lobby.join(seeker("ann"))
            assert first.table is None
            assert first.position == 1
            second = await platform.lobby.join(seeker("ben"))
            assert second.table is not None
            assert {seat.id for seat in second.table.seats} == {"ann", "ben"}
            await platform.bus.drain()
            assert PlayerSeated("tenant/live/ann", second.table.id) in platform.notes
            assert not await platform.store.pools()

    asyncio.run(play())


def test_others_of_another_pool_do_not_meet(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann", pool="live"))
            assert (await platform.lobby.join(seeker("ben", pool="test"))).table is None

    asyncio.run(play())


def test_players_are_not_paired_with_themselves(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann"))
            again = await platform.lobby.join(seeker("ann"))
            assert (again.table, again.position) == (None, 1)
            await platform.lobby.sweep()
            assert len(await platform.store.entries("checkers", "live")) == 1

    asyncio.run(play())


def test_the_nearest_rating_comes_first(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("far", 1300))
            await platform.lobby.join(seeker("near", 1560))
            table = (await platform.lobby.join(seeker("ann", 1500))).table
            assert table is not None
            assert {seat.id for seat in table.seats} == {"ann", "near"}

    asyncio.run(play())


def test_far_ratings_meet_after_waiting(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann", 1500))
            await platform.lobby.join(seeker("ben", 1900))
            platform.wall.wait(9.9)
            await platform.lobby.sweep()
            assert len(await platform.store.entries("checkers", "live")) == 2
            platform.wall.wait(0.2)  # 400 points apart: 200 at once, 20 more each second
            await platform.lobby.sweep()
            assert not await platform.store.entries("checkers", "live")
            assert sum(isinstance(note, PlayerSeated) for note in platform.notes) == 2

    asyncio.run(play())


def test_a_hundred_who_come_at_once_make_fifty_tables(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await asyncio.gather(*(platform.lobby.join(seeker(f"p{number}")) for number in range(100)))
            rows = await platform.store.live_tables()
            seated = [player["id"] for row in rows for player in row.players]
            assert len(rows) == 50
            assert len(set(seated)) == 100

    asyncio.run(play())


def test_a_player_who_leaves_is_not_paired(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann"))
            assert await platform.lobby.leave("checkers", "live", "tenant/live/ann")
            assert not await platform.lobby.leave("checkers", "live", "tenant/live/ann")
            assert (await platform.lobby.join(seeker("ben"))).table is None

    asyncio.run(play())


def test_expired_entries_are_removed(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            due = platform.clock.moment().clock + 1000
            await platform.lobby.join(seeker("ann")._replace(due=due))
            platform.wall.wait(1)
            await platform.lobby.sweep()
            assert not await platform.store.pools()

    asyncio.run(play())


def test_a_person_against_a_bot_moves_first(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            table = await platform.lobby.play_bot(seeker("ann"), "hard")
            assert [seat.kind for seat in table.seats] == [SeatKind.PERSON, SeatKind.BOT]
            assert table.seats[1].level == "hard"
            assert table.mover == 0

    asyncio.run(play())


@pytest.mark.parametrize(("one", "two", "has_limit"), [(True, False, True), (False, False, False)])
def test_the_afk_limit_holds_unless_both_do_without(tmp_path: Path, one: bool, two: bool, has_limit: bool) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann", has_afk_limit=one))
            table = (await platform.lobby.join(seeker("ben", has_afk_limit=two))).table
            assert table is not None
            assert (table.opening.limits.idle is not None) == has_limit

    asyncio.run(play())


def test_a_stopping_platform_pairs_no_one(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann"))
            platform.lobby.is_stopping = True
            with pytest.raises(Stopping):
                await platform.lobby.join(seeker("ben"))
            with pytest.raises(Stopping):
                await platform.lobby.play_bot(seeker("ben"), "easy")
            assert not await platform.store.live_tables()

    asyncio.run(play())


def agent(name: str) -> Seeker:
    seat = Seat(f"agent/{name}", name, name, SeatKind.AGENT)
    seeker = Seeker(seat, "checkers", "fast", "arena/fast", 1500.0, True, None, channel="arena", is_rated=True)
    return seeker._replace(meets_people=True)


def test_a_person_who_asks_for_an_agent_meets_one_on_their_own_terms(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(seeker("ann", pool="open"))
            assert (await platform.lobby.join(seeker("ben", pool="open"))).table is None
            table = (await platform.lobby.join(agent("bond"))).table
            assert table is not None
            assert {seat.kind for seat in table.seats} == {SeatKind.PERSON, SeatKind.AGENT}
            opening = table.opening
            assert (opening.channel, opening.mode, opening.is_rated, opening.limits.warn) == (
                "rooms",
                "live",
                False,
                60_000,
            )

    asyncio.run(play())


def test_an_agent_that_waits_is_found_by_a_person_who_comes_later(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(agent("bond"))
            table = (await platform.lobby.join(seeker("ann", pool="open"))).table
            assert table is not None
            assert table.opening.channel == "rooms"

    asyncio.run(play())


def test_people_and_agents_who_missed_each_other_are_paired_by_the_sweep(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(agent("bond")._replace(rating=2500.0))
            await platform.lobby.join(seeker("ann", pool="open"))
            platform.wall.wait(60)
            await platform.lobby.sweep()
            assert not await platform.store.pools()
            assert len(await platform.store.live_tables()) == 1

    asyncio.run(play())


def test_an_agent_that_did_not_agree_to_it_meets_no_people(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            shy = agent("bond")._replace(meets_people=False)
            assert (await platform.lobby.join(seeker("ann", pool="open"))).table is None
            assert (await platform.lobby.join(shy)).table is None
            platform.wall.wait(60)
            await platform.lobby.sweep()
            assert not await platform.store.live_tables()
            table = (await platform.lobby.join(agent("smart"))).table
            assert table is not None and {seat.id for seat in table.seats} != {"ann"}

    asyncio.run(play())


def test_an_agent_may_change_its_mind_about_people_and_keeps_its_place(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            await platform.lobby.join(agent("bond")._replace(meets_people=False))
            since = (await platform.store.entries("checkers", "arena/fast"))[0].since
            platform.wall.wait(5)
            assert (await platform.lobby.join(agent("bond"))).position == 1
            (entry,) = await platform.store.entries("checkers", "arena/fast")
            assert (entry.since, entry.seat["meets_people"]) == (since, True)
            table = (await platform.lobby.join(seeker("ann", pool="open"))).table
            assert table is not None and {seat.kind for seat in table.seats} == {SeatKind.PERSON, SeatKind.AGENT}

    asyncio.run(play())


def test_an_agent_that_waits_too_long_meets_the_bot_nearest_in_strength(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            lobby = Lobby(
                platform.store,
                platform.bus,
                platform.tables,
                platform.clock,
                limits,
                platform.cluster,
                Random(1),
                bot_fallback=20_000,
            )
            await lobby.join(agent("bond")._replace(rating=1800.0))
            platform.wall.wait(19)
            await lobby.sweep()
            assert not await platform.store.live_tables()
            platform.wall.wait(2)
            await lobby.sweep()
            (row,) = await platform.store.live_tables()
            assert {player["key"] for player in row.players} == {"agent/bond", "bot/hard"}

    asyncio.run(play())


def test_agents_who_meet_again_change_seats(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            first = []
            for _ in range(4):
                await platform.lobby.join(agent("one"))
                table = (await platform.lobby.join(agent("two"))).table
                assert table is not None
                first.append(table.seats[0].id)
                platform.wall.wait(1)
            assert sorted(first) == ["one", "one", "two", "two"]
            assert all(one != two for one, two in pairwise(first))

    asyncio.run(play())


def test_agents_change_seats_with_a_bot_too(tmp_path: Path) -> None:
    async def play() -> None:
        async with parts(tmp_path) as platform:
            first = []
            for _ in range(6):
                first.append((await platform.lobby.play_bot(agent("one"), "easy")).seats[0].id)
                platform.wall.wait(1)
            assert sorted(first) == ["bot-easy"] * 3 + ["one"] * 3
            assert all(one != two for one, two in pairwise(first))

    asyncio.run(play())
