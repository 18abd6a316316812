from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import open_platform, with_platform

from ludus.core.errors import GameIsOver, IllegalMove, InvalidInput, LudusError
from ludus.service.agents import Agents, player_key
from ludus.service.decisions import NotYourTurn, StaleSequence
from ludus.service.lobby import OPEN, Seeker
from ludus.service.matches import Matches, MatchSeat, NotAPlayer, match_seat
from ludus.service.platform import Platform
from ludus.service.records import Agent, TableRow
from ludus.service.table import Seat, SeatKind, Table, folded
from ludus.wire import codec


async def registered(platform: Platform, name: str) -> Agent:
    secrets = iter(f"{name}-{number}" for number in range(9))
    agents = Agents(platform.store, platform.clock._clock, lambda: name, lambda: next(secrets), lambda: "0" * 16)
    return (await agents.register(name, None)).agent


async def pair(platform: Platform, matches: Matches) -> tuple[MatchSeat, Agent]:
    """A match of two, as the one to move sees it, and the other agent."""
    agents = [await registered(platform, name) for name in ("Ada", "Bob")]
    await matches.queue(agents[0], "checkers", "fast")
    found = await matches.queue(agents[1], "checkers", "fast")
    assert found.table is not None
    seats = [match_seat(found.table, agent) for agent in agents]
    first = next(index for index, at in enumerate(seats) if at.table.mover == at.seat)
    return seats[first], agents[1 - first]


@with_platform
async def test_agents_meet_however_far_their_ratings_are_apart(platform: Platform) -> None:
    matches = Matches(platform, 20)
    strong, weak = await registered(platform, "Strong"), await registered(platform, "Weak")
    seeker = await matches._seeker(strong, "checkers", "fast")
    await platform.lobby.join(seeker._replace(rating=2600.0))
    assert (await matches.queue(weak, "checkers", "fast")).table is not None


@with_platform
async def test_asking_for_a_bot_leaves_the_queue(platform: Platform) -> None:
    matches = Matches(platform, 20)
    agent = await registered(platform, "Ada")
    await matches.queue(agent, "checkers", "standard")
    found = await matches.queue(agent, "checkers", "standard", "easy")
    assert found.table is not None
    assert await platform.store.pools() == []
    assert (await matches.status(agent, "checkers")).table is not None


@with_platform
async def test_of_many_requests_at_once_one_opens_a_match(platform: Platform) -> None:
    matches = Matches(platform, 20)
    agent = await registered(platform, "Ada")
    found = await asyncio.gather(*(matches.queue(agent, "checkers", "fast", "easy") for _ in range(8)))
    assert len({place.table.id for place in found if place.table}) == 1
    assert len(await platform.store.live_tables_of(player_key(agent.id))) == 1


@with_platform
async def test_who_asks_again_while_being_seated_has_one_match(platform: Platform) -> None:
    matches = Matches(platform, 20)
    agents = [await registered(platform, f"agent {number}") for number in range(20)]

    async def ask_until_seated(agent: Agent) -> str:
        for _ in range(1000):
            found = await matches.queue(agent, "checkers", "fast")
            if found.table is not None:
                return found.table.id
        raise AssertionError("left over: another one has two seats")

    seated_at = await asyncio.gather(*map(ask_until_seated, agents))
    live = [[row.id for row in await platform.store.live_tables_of(player_key(agent.id))] for agent in agents]
    assert live == [[match] for match in seated_at]
    assert await platform.store.pools() == []


@with_platform
async def test_who_is_seated_while_asking_for_a_bot_has_one_match(platform: Platform) -> None:
    matches = Matches(platform, 20)
    for number in range(10):
        one, two = await registered(platform, f"one {number}"), await registered(platform, f"two {number}")
        await matches.queue(one, "checkers", "fast")
        await asyncio.gather(matches.queue(two, "checkers", "fast"), matches.queue(one, "checkers", "fast", "easy"))
        assert len(await platform.store.live_tables_of(player_key(one.id))) == 1
        await matches.leave(two, "checkers")


@with_platform
async def test_an_agent_is_always_queued_or_seated(platform: Platform) -> None:
    matches = Matches(platform, 20)
    for number in range(10):
        one, two = await registered(platform, f"one {number}"), await registered(platform, f"two {number}")
        await matches.queue(one, "checkers", "fast")
        seating = asyncio.create_task(matches.queue(two, "checkers", "fast"))
        while not seating.done():
            found = await matches.status(one, "checkers")
            assert found.table is not None or found.position
        assert (await matches.status(one, "checkers")).table is not None


@with_platform
async def test_status_reports_a_match_even_while_queued_in_another_lane(platform: Platform) -> None:
    matches = Matches(platform, 20)
    one, two = await registered(platform, "one"), await registered(platform, "two")
    for lane in ("fast", "standard"):
        await matches.queue(one, "checkers", lane)
    match = (await matches.queue(two, "checkers", "standard")).table
    found = await matches.status(one, "checkers")
    assert match and found.table and (found.table.id, found.position) == (match.id, 0)


@with_platform
async def test_status_leaves_out_a_match_that_has_just_ended(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = Matches(platform, 20)
    at, other = await pair(platform, matches)
    look = platform.store.live_tables_of

    async def resigned_meanwhile(player: str) -> Sequence[TableRow]:
        rows = await look(player)
        await matches.act(at, at.sequence, {"type": "resign"})
        return rows

    monkeypatch.setattr(platform.store, "live_tables_of", resigned_meanwhile)
    assert (await matches.status(other, "checkers")).table is None


@with_platform
async def test_who_plays_with_a_person_is_sent_back_to_that_match(platform: Platform) -> None:
    matches = Matches(platform, 20)
    agent = await registered(platform, "Ada")
    await matches.queue(agent, "checkers", "fast", meets_people=True)
    person = Seat("person/ann", "ann", "Ann", SeatKind.PERSON)
    table = (await platform.lobby.join(Seeker(person, "checkers", "live", OPEN, 1500.0, True, None))).table
    assert table is not None
    again = await matches.queue(agent, "checkers", "fast", meets_people=True)
    assert again.table is not None and again.table.id == table.id
    assert (await matches.queue(agent, "checkers", "standard")).position == 1


@with_platform
async def test_an_answer_to_an_old_turn_is_stale_and_a_repeated_one_is_not(platform: Platform) -> None:
    matches = Matches(platform, 20)
    at, other = await pair(platform, matches)
    action = first_action(at.table)
    first = await matches.act(at, at.sequence, action)
    assert first.event is not None
    table = await matches.table(at.table.id)
    assert (await matches.act(MatchSeat(table, at.seat), at.sequence, action)).version == first.version
    for late in (first_action(table), {"type": "resign"}, "no action"):
        with pytest.raises(StaleSequence):
            await matches.act(match_seat(table, other), at.sequence, late)
    assert (await matches.table(table.id)).refusals == (0, 0)


def first_action(table: Table) -> dict[str, Any]:
    return codec(table.opening.game).arena.action(table.game.position, table.game.legal_moves()[0])


ILLEGAL = {"type": "move", "from": 11, "to": 20}
MALFORMED = {"type": "move", "from": "11"}


@with_platform
async def test_out_of_turn_nothing_is_counted(platform: Platform) -> None:
    matches = Matches(platform, 3)
    at, other = await pair(platform, matches)
    for action in (ILLEGAL, MALFORMED):
        with pytest.raises(NotYourTurn):
            await matches.act(match_seat(at.table, other), at.sequence, action)
    assert (await matches.table(at.table.id)).refusals == (0, 0)


@pytest.mark.parametrize(("action", "error"), [(ILLEGAL, IllegalMove), (MALFORMED, InvalidInput)])
def test_who_is_refused_too_often_forfeits(tmp_path: Path, action: object, error: type[LudusError]) -> None:
    async def run() -> None:
        async with open_platform(tmp_path, FakeClock()) as platform:
            matches = Matches(platform, 3)
            at, _ = await pair(platform, matches)
            for _ in range(3):
                with pytest.raises(error):
                    await matches.act(at, at.sequence, action)
            with pytest.raises(GameIsOver):
                await matches.act(at, at.sequence, action)
            outcome = (await matches.table(at.table.id)).outcome
            assert outcome is not None
            assert folded(await platform.store.events(at.table.id)).refusals[at.seat] == 2  # as after a restart
            assert (outcome.winner, outcome.reason) == (1 - at.seat, "invalid_actions")

    asyncio.run(run())


@with_platform
async def test_a_stranger_has_no_seat_in_a_match(platform: Platform) -> None:
    matches = Matches(platform, 20)
    at, _ = await pair(platform, matches)
    with pytest.raises(NotAPlayer):
        match_seat(at.table, await registered(platform, "Eve"))


@with_platform
async def test_bots_begin_with_the_rating_of_their_level(platform: Platform) -> None:
    levels = ("bot/easy", "bot/medium", "test-bot/hard", "agent/easy")
    assert [(await platform.rating_of(key, "checkers")).rating for key in levels] == [1300.0, 1500.0, 1700.0, 1500.0]
