"""Ratings cannot be bought: what a finished game changes depends on how it was played, and by whom."""

from __future__ import annotations

from typing import Any

import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import advance, enter, play, play_to_rated, seated, wanted, with_platform

from ludus.games import ABOUT
from ludus.service.address_marks import AddressMarks, is_local
from ludus.service.commands import AcceptDraw, OfferDraw, Resign
from ludus.service.lobby import AGENTS, ARENA, Seeker
from ludus.service.platform import Platform
from ludus.service.ports.writes import PutAddressMark, PutAgent, PutChallenge, PutRating
from ludus.service.ratings import START, fresh
from ludus.service.records import AddressMark, Agent, Challenge, Rating
from ludus.service.retention import DAY, Days, Retention
from ludus.service.table import Seat, SeatKind, Table

ENOUGH = 2 * ABOUT["checkers"].rated_moves
GAME = "checkers"


async def register(platform: Platform, name: str, owner: str | None = None, **rating: Any) -> Seat:
    """A registered agent; with `rating`, one whose rating is settled unless overridden."""
    key = f"agent/{name}"
    agent = Agent(name, 1, name, name, None, f"key-{name}", "code", owner, 0)
    await platform.store.commit(PutAgent(agent))
    if rating:
        settled = {"deviation": 60.0, "games": 1, "opponents": 5, **rating}
        await platform.store.commit(PutRating(fresh(key, GAME, platform.clock.moment().at)._replace(**settled)))
        for games in range(2, 11):  # rows are versioned by their number of games
            await platform.store.commit(
                PutRating(fresh(key, GAME, platform.clock.moment().at)._replace(**{**settled, "games": games}))
            )
    return Seat(key, name, name, SeatKind.AGENT)


async def pair(platform: Platform, *seats: Seat) -> Table:
    table = None
    for seat in seats:
        seeker = Seeker(seat, GAME, "fast", AGENTS[0], 1500.0, True, None, channel=ARENA, is_rated=True)
        table = (await platform.lobby.join(seeker)).table
    assert table is not None
    return table


async def win(platform: Platform, winner: Seat, loser: Seat, moves: int = ENOUGH) -> Table:
    """A game that the loser resigns after so many moves."""
    table = await pair(platform, winner, loser)
    await play(platform, table.id, moves)
    seat = table.seat_of(loser.key)
    assert seat is not None
    return (await platform.tables.execute(table.id, Resign(seat))).table


async def rating(platform: Platform, seat: Seat) -> Rating:
    return await platform.rating_of(seat.key, GAME)


@pytest.mark.parametrize("moves", [0, 1, ENOUGH - 1])
@with_platform
async def test_a_game_that_is_left_early_is_no_win(platform: Platform, moves: int) -> None:
    ada, bob = await register(platform, "ada"), await register(platform, "bob")
    table = await win(platform, ada, bob, moves)
    winner, loser = await rating(platform, ada), await rating(platform, bob)
    assert (winner.games, winner.wins, winner.rating) == (0, 0, START[0])
    assert await platform.store.rating_change(table.id, ada.key) is None
    assert await platform.rating_updates.badges_of(ada.key) == []
    assert (loser.games, loser.wins) == (1, 0) and loser.rating < START[0]


@with_platform
async def test_leaving_early_costs_as_much_as_losing_late(platform: Platform) -> None:
    pairs = [[await register(platform, f"{name}{n}", rating=1500.0) for name in ("ada", "bob")] for n in (1, 2)]
    for (winner, loser), moves in zip(pairs, (0, ENOUGH), strict=True):
        await win(platform, winner, loser, moves)
    early, late = [(await rating(platform, each[1])).rating for each in pairs]
    assert early == late < 1500


@with_platform
async def test_a_game_with_enough_moves_is_rated_for_both(platform: Platform) -> None:
    ada, bob = await register(platform, "ada"), await register(platform, "bob")
    table = await win(platform, ada, bob)
    assert (await rating(platform, ada)).rating > START[0] > (await rating(platform, bob)).rating
    assert await platform.store.rating_change(table.id, ada.key) is not None


@pytest.mark.parametrize(("moves", "games"), [(0, 0), (ENOUGH, 1)])
@with_platform
async def test_a_draw_that_is_agreed_early_is_not_rated(platform: Platform, moves: int, games: int) -> None:
    table, *_ = await seated(platform)
    await play(platform, table.id, moves)
    await platform.tables.execute(table.id, OfferDraw(0))
    await platform.tables.execute(table.id, AcceptDraw(1))
    assert [(await platform.rating_of(seat.key, GAME)).games for seat in table.seats] == [games, games]


@with_platform
async def test_running_out_of_time_early_costs_the_one_who_did(platform: Platform, clock: FakeClock) -> None:
    table, *_ = await seated(platform)
    await advance(platform, clock, 91)
    games = [(await platform.rating_of(seat.key, GAME)).games for seat in table.seats]
    assert games == [1, 0]


@with_platform
async def test_sixty_accomplices_that_resign_at_once_are_worth_nothing(platform: Platform) -> None:
    boss = await register(platform, "boss")
    for number in range(60):
        await win(platform, boss, await register(platform, f"friend{number}"), moves=0)
    assert await platform.store.rating(boss.key, GAME) is None
    assert await platform.store.leaders(GAME, platform.clock.moment().at, 100) == []


@with_platform
async def test_one_partner_counts_less_each_time(platform: Platform, clock: FakeClock) -> None:
    ada, bob = await register(platform, "ada", rating=1500.0), await register(platform, "bob", rating=1500.0)
    gains = []
    for _ in range(4):
        before = (await rating(platform, ada)).rating
        await win(platform, ada, bob)
        gains.append((await rating(platform, ada)).rating - before)
    assert gains[1] < 0.52 * gains[0] and gains[3] < 0.27 * gains[0]
    assert (await rating(platform, ada)).opponents == 5 + 1
    clock.wait(60 * 24 * 3600)
    before = (await rating(platform, ada)).rating
    await win(platform, ada, bob)
    assert (await rating(platform, ada)).rating - before > 0.6 * gains[0]


@pytest.mark.parametrize(("owners", "marks"), [(("Eve", "eve "), "ab"), ((None, None), "aa"), (("Eve", "Eve"), "aa")])
@with_platform
async def test_agents_of_one_owner_or_address_move_each_other_little(
    platform: Platform, owners: tuple[str | None, str | None], marks: str
) -> None:
    strangers = [await register(platform, name, rating=1500.0) for name in ("ada", "bob")]
    related = [
        await register(platform, name, owner, rating=1500.0) for name, owner in zip(("cid", "dee"), owners, strict=True)
    ]
    for seat, mark in zip(related, marks, strict=True):
        await platform.store.commit(PutAddressMark(AddressMark(seat.key, f"address/{mark}", 0)))
    await win(platform, strangers[0], strangers[1])
    await win(platform, related[0], related[1])
    one, two = await rating(platform, strangers[0]), await rating(platform, related[0])
    assert 0 < two.rating - 1500 < 0.11 * (one.rating - 1500)
    assert (one.opponents, two.opponents) == (6, 5)


@with_platform
async def test_many_accounts_at_one_address_are_one_opponent(platform: Platform) -> None:
    boss = await register(platform, "boss", rating=1500.0, opponents=0)
    gains = []
    for number in range(4):
        friend = await register(platform, f"friend{number}", rating=1500.0)
        await platform.store.commit(PutAddressMark(AddressMark(friend.key, "address/farm", 0)))
        before = (await rating(platform, boss)).rating
        await win(platform, boss, friend)
        gains.append((await rating(platform, boss)).rating - before)
    assert gains[3] < 0.27 * gains[0]
    assert (await rating(platform, boss)).opponents == 1


@with_platform
async def test_new_accounts_are_no_different_opponents(platform: Platform) -> None:
    boss = await register(platform, "boss", rating=1500.0, opponents=0)
    await win(platform, boss, await register(platform, "new"))
    assert (await rating(platform, boss)).opponents == 0
    await win(platform, boss, await register(platform, "old", rating=1500.0))
    assert (await rating(platform, boss)).opponents == 1


@with_platform
async def test_a_bot_is_a_settled_opponent_from_its_first_game(platform: Platform) -> None:
    table = await enter(platform, await platform.sessions.create(wanted(match_type="bot")))
    assert table is not None
    await play_to_rated(platform, table.id)
    await platform.tables.execute(table.id, Resign(0))
    person, bot = [await platform.rating_of(seat.key, GAME) for seat in table.seats]
    assert (person.opponents, bot.wins) == (1, 1)
    assert bot.deviation < 90 and bot.rating - 1300 < 10


@with_platform
async def test_an_address_is_stored_as_a_keyed_hash_for_thirty_days(platform: Platform, clock: FakeClock) -> None:
    await platform.address_marks.note("agent/ada", "203.0.113.5")
    (mark,) = await platform.store.address_marks("agent/ada", 9)
    assert "203" not in mark.mark and mark.mark.startswith("address/") and len(mark.mark) == len("address/") + 32
    other = AddressMarks(platform.store, clock, b"another secret")
    await other.note("agent/bob", "203.0.113.5")
    assert (await platform.store.address_marks("agent/bob", 9))[0].mark != mark.mark
    retention = Retention(platform.store, clock, Days(encounters=30))
    clock.wait(30 * DAY / 1000)
    await retention.delete_old()
    assert len(await platform.store.address_marks("agent/ada", 9)) == 1
    clock.wait(1)
    await retention.delete_old()
    assert await platform.store.address_marks("agent/ada", 9) == []


@with_platform
async def test_an_address_is_written_once_a_day(platform: Platform, clock: FakeClock) -> None:
    for _ in range(3):
        await platform.address_marks.note("agent/ada", "203.0.113.5")
        clock.wait(1)
    (mark,) = await platform.store.address_marks("agent/ada", 9)
    clock.wait(24 * 3600)
    await platform.address_marks.note("agent/ada", "203.0.113.5")
    (later,) = await platform.store.address_marks("agent/ada", 9)
    assert later.seen_at > mark.seen_at and later.mark == mark.mark


@with_platform
async def test_local_addresses_tell_nothing(platform: Platform) -> None:
    for address in ("127.0.0.1", "10.1.2.3", "192.168.1.1", "::1/128", "fd00:1:2:3::/64", "", "unix"):
        assert is_local(address)
        await platform.address_marks.note("agent/ada", address)
    assert await platform.store.address_marks("agent/ada", 9) == []


@with_platform
async def test_challenges_are_deleted_after_a_month(platform: Platform, clock: FakeClock) -> None:
    old = Challenge("c1", 1, "ann", "ben", GAME, None, False, "declined", None, clock.now(), clock.now())
    clock.wait(31 * DAY / 1000)
    await platform.store.commit(PutChallenge(old), PutChallenge(old._replace(id="c2", made_at=clock.now())))
    await Retention(platform.store, clock, Days(encounters=30)).delete_old()
    assert await platform.store.challenges_before(clock.now() + 1, 9) == ["c2"]


@with_platform
async def test_encounters_are_deleted_after_a_month_without_a_game(platform: Platform, clock: FakeClock) -> None:
    ada, bob = await register(platform, "ada"), await register(platform, "bob")
    await win(platform, ada, bob)
    assert len(await platform.store.encounters(ada.key, GAME, [bob.key])) == 1
    clock.wait(31 * DAY / 1000)
    await Retention(platform.store, clock, Days(encounters=30)).delete_old()
    assert await platform.store.encounters(ada.key, GAME, [bob.key]) == []
