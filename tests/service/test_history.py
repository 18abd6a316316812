"""Finished games of the page's people: in their lists, and in their results."""

from __future__ import annotations

from typing import Any

import pytest
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import play, until, with_platform

from ludus.core.rules import Reason
from ludus.service.commands import Abort, AcceptDraw, OfferDraw, Resign
from ludus.service.lobby import ARENA, OPEN, Seeker
from ludus.service.platform import Platform
from ludus.service.ports.store import NEWEST
from ludus.service.records import Score
from ludus.service.table import Seat, SeatKind, Table

ANN, BEN = "person/ann", "person/ben"
GAME = "checkers"


def seeker(key: str, kind: str = SeatKind.PERSON, **changes: Any) -> Seeker:
    name = key.partition("/")[2]
    return Seeker(Seat(key, name, name, kind), GAME, "training", "training", 1500.0, True, None)._replace(**changes)


async def pair(platform: Platform, *seekers: Seeker) -> Table:
    table = None
    for each in seekers:
        table = (await platform.lobby.join(each)).table
    assert table is not None
    return table


async def lose(platform: Platform, table: Table, key: str) -> None:
    seat = table.seat_of(key)
    assert seat is not None
    await platform.tables.execute(table.id, Resign(seat))


async def lists(platform: Platform, key: str) -> tuple[list[str], list[str]]:
    """All of a person's games, and those that strangers see."""
    store = platform.store
    found = await store.history(key, NEWEST, 9), await store.public_history(key, NEWEST, 9)
    return [row.id for row in found[0]], [row.id for row in found[1]]


@with_platform
async def test_both_people_have_the_game_in_their_lists_and_results(platform: Platform) -> None:
    table = await pair(platform, seeker(ANN), seeker(BEN))
    await play(platform, table.id, 2)
    assert await lists(platform, ANN) == ([], [])
    await lose(platform, table, BEN)
    assert await lists(platform, ANN) == await lists(platform, BEN) == ([table.id], [table.id])
    assert await platform.store.scores_of(ANN) == [Score(ANN, "people", GAME, 1, 0, 0)]
    assert await platform.store.scores_of(BEN) == [Score(BEN, "people", GAME, 0, 0, 1)]
    assert await platform.store.scores_between(BEN, ANN) == [Score(BEN, ANN, GAME, 0, 0, 1)]


@with_platform
async def test_draws_count_for_both(platform: Platform) -> None:
    table = await pair(platform, seeker(ANN), seeker(BEN))
    await platform.tables.execute(table.id, OfferDraw(0))
    await platform.tables.execute(table.id, AcceptDraw(1))
    assert await platform.store.scores_between(ANN, BEN) == [Score(ANN, BEN, GAME, 0, 1, 0)]
    assert await platform.store.scores_between(BEN, ANN) == [Score(BEN, ANN, GAME, 0, 1, 0)]


@with_platform
async def test_games_come_in_the_order_of_their_end(platform: Platform, clock: FakeClock) -> None:
    tables = [await pair(platform, seeker(ANN), seeker(f"person/{name}")) for name in "xyz"]
    for table in (tables[1], tables[0], tables[2]):
        clock.wait(1)
        await lose(platform, table, ANN)
    assert (await lists(platform, ANN))[0] == [tables[2].id, tables[0].id, tables[1].id]


@with_platform
async def test_only_its_players_see_a_private_game(platform: Platform) -> None:
    table = await pair(platform, seeker(ANN, pool="room/1"), seeker(BEN, pool="room/1"))
    await lose(platform, table, ANN)
    assert await lists(platform, ANN) == ([table.id], [])
    assert [each.opponent for each in await platform.store.scores_of(ANN)] == ["private"]
    assert await platform.store.scores_between(ANN, BEN) == [Score(ANN, BEN, GAME, 0, 0, 1)]


@with_platform
async def test_a_game_with_a_bot_is_a_persons_own(platform: Platform) -> None:
    table = await platform.lobby.play_bot(seeker(ANN), "easy")
    await lose(platform, table, ANN)
    assert await lists(platform, ANN) == ([table.id], [])
    assert await platform.store.scores_of(ANN) == [Score(ANN, "bots", GAME, 0, 0, 1)]


@with_platform
async def test_a_game_with_an_agent_is_public(platform: Platform) -> None:
    agent = seeker("agent/a", SeatKind.AGENT, mode="fast", pool="arena/fast", channel=ARENA, meets_people=True)
    table = await pair(platform, agent, seeker(ANN, pool=OPEN))
    await lose(platform, table, "agent/a")
    assert await lists(platform, ANN) == ([table.id], [table.id])
    assert await platform.store.scores_of(ANN) == [Score(ANN, "agents", GAME, 1, 0, 0)]
    assert await platform.store.scores_of("agent/a") == []


@with_platform
async def test_a_cancelled_game_is_in_no_list(platform: Platform) -> None:
    table = await pair(platform, seeker(ANN), seeker(BEN))
    await platform.tables.execute(table.id, Abort(None, Reason.CANCELLED))
    assert await lists(platform, ANN) == ([], [])
    assert await platform.store.scores_of(ANN) == []


@pytest.mark.parametrize("key", ["guest/1", "anonymous/1", "acme/live/1"])
@with_platform
async def test_other_players_have_no_history(platform: Platform, key: str) -> None:
    table = await pair(platform, seeker(key), seeker(ANN))
    await lose(platform, table, ANN)
    assert await lists(platform, key) == ([], [])
    assert await platform.store.scores_of(key) == []
    assert (await lists(platform, ANN))[0] == [table.id]


@with_platform
async def test_a_game_won_by_the_rules_counts(platform: Platform) -> None:
    table = await platform.lobby.play_bot(seeker(ANN), "easy")

    def now() -> Table:
        loaded = platform.tables.cached(table.id)
        assert loaded is not None
        return loaded.table

    while now().outcome is None:
        await platform.tables.execute(table.id, first_play(now()))
        await until(lambda: now().mover == 0 or now().outcome is not None)
    assert (await lists(platform, ANN))[0] == [table.id]
    (score,) = await platform.store.scores_of(ANN)
    assert score.wins + score.draws + score.losses == 1
