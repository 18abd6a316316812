from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from tests.service.houses import housed

from ludus.core.errors import IllegalMove
from ludus.service.agents import Agents, player_key
from ludus.service.house import House
from ludus.service.lobby import OPEN, Guest
from ludus.service.matches import Matches, NotAPlayer, Seated, StaleSequence
from ludus.service.records import Agent, TableRow
from ludus.service.table import Seat, SeatKind, folded


async def registered(house: House, name: str) -> Agent:
    secrets = iter(f"{name}-{number}" for number in range(9))
    agents = Agents(house.store, house.clock._clock, lambda: name, lambda: next(secrets), lambda: "0" * 16)
    return (await agents.register(name, None)).agent


async def pair(house: House, matches: Matches) -> tuple[Seated, Agent]:
    """A match of two, as the one to move sees it, and the other agent."""
    agents = [await registered(house, name) for name in ("Ada", "Bob")]
    await matches.queue(agents[0], "checkers", "fast")
    found = await matches.queue(agents[1], "checkers", "fast")
    assert found.table is not None
    seats = [await matches.seat(found.table.id, agent) for agent in agents]
    first = next(index for index, at in enumerate(seats) if at.table.mover == at.seat)
    return seats[first], agents[1 - first]


@housed
async def test_agents_meet_however_far_their_ratings_are_apart(house: House) -> None:
    matches = Matches(house, 20)
    strong, weak = await registered(house, "Strong"), await registered(house, "Weak")
    guest = await matches._guest(strong, "checkers", "fast")
    await house.lobby.join(guest._replace(rating=2600.0))
    assert (await matches.queue(weak, "checkers", "fast")).table is not None


@housed
async def test_who_asks_for_a_bot_leaves_the_line(house: House) -> None:
    matches = Matches(house, 20)
    agent = await registered(house, "Ada")
    await matches.queue(agent, "checkers", "standard")
    found = await matches.queue(agent, "checkers", "standard", "easy")
    assert found.table is not None
    assert await house.store.waiting("checkers") == 0
    assert (await matches.status(agent, "checkers")).table is not None


@housed
async def test_of_many_requests_at_once_one_opens_a_match(house: House) -> None:
    matches = Matches(house, 20)
    agent = await registered(house, "Ada")
    found = await asyncio.gather(*(matches.queue(agent, "checkers", "fast", "easy") for _ in range(8)))
    assert len({place.table.id for place in found if place.table}) == 1
    assert len(await house.store.live_tables_of(player_key(agent.id))) == 1


@housed
async def test_who_asks_again_while_being_seated_has_one_match(house: House) -> None:
    matches = Matches(house, 20)
    agents = [await registered(house, f"agent {number}") for number in range(20)]

    async def ask_until_seated(agent: Agent) -> str:
        for _ in range(1000):
            found = await matches.queue(agent, "checkers", "fast")
            if found.table is not None:
                return found.table.id
        raise AssertionError("left over: another one has two seats")

    told = await asyncio.gather(*map(ask_until_seated, agents))
    live = [[row.id for row in await house.store.live_tables_of(player_key(agent.id))] for agent in agents]
    assert live == [[match] for match in told]
    assert await house.store.waiting("checkers") == 0


@housed
async def test_who_is_seated_while_asking_for_a_bot_has_one_match(house: House) -> None:
    matches = Matches(house, 20)
    for number in range(10):
        one, two = await registered(house, f"one {number}"), await registered(house, f"two {number}")
        await matches.queue(one, "checkers", "fast")
        await asyncio.gather(matches.queue(two, "checkers", "fast"), matches.queue(one, "checkers", "fast", "easy"))
        assert len(await house.store.live_tables_of(player_key(one.id))) == 1
        await matches.leave(two, "checkers")


@housed
async def test_between_the_line_and_the_table_there_is_no_gap(house: House) -> None:
    matches = Matches(house, 20)
    for number in range(10):
        one, two = await registered(house, f"one {number}"), await registered(house, f"two {number}")
        await matches.queue(one, "checkers", "fast")
        seating = asyncio.create_task(matches.queue(two, "checkers", "fast"))
        while not seating.done():
            found = await matches.status(one, "checkers")
            assert found.table is not None or found.position
        assert (await matches.status(one, "checkers")).table is not None


@housed
async def test_who_has_a_match_is_told_of_it_though_still_in_the_line_of_another_lane(house: House) -> None:
    matches = Matches(house, 20)
    one, two = await registered(house, "one"), await registered(house, "two")
    for lane in ("fast", "standard"):
        await matches.queue(one, "checkers", lane)
    match = (await matches.queue(two, "checkers", "standard")).table
    found = await matches.status(one, "checkers")
    assert match and found.table and (found.table.id, found.position) == (match.id, 0)


@housed
async def test_a_match_that_ends_while_it_is_looked_for_is_not_told(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    matches = Matches(house, 20)
    at, other = await pair(house, matches)
    look = house.store.live_tables_of

    async def resigned_meanwhile(player: str) -> Sequence[TableRow]:
        rows = await look(player)
        await matches.act(at, at.sequence, None, "resign")
        return rows

    monkeypatch.setattr(house.store, "live_tables_of", resigned_meanwhile)
    assert (await matches.status(other, "checkers")).table is None


@housed
async def test_who_plays_with_a_person_is_sent_back_to_that_match(house: House) -> None:
    matches = Matches(house, 20)
    agent = await registered(house, "Ada")
    await matches.queue(agent, "checkers", "fast", meets_people=True)
    person = Seat("person/ann", "ann", "Ann", SeatKind.PERSON)
    table = (await house.lobby.join(Guest(person, "checkers", "live", OPEN, 1500.0, True, None))).table
    assert table is not None
    again = await matches.queue(agent, "checkers", "fast", meets_people=True)
    assert again.table is not None and again.table.id == table.id
    assert (await matches.queue(agent, "checkers", "standard")).position == 1


@housed
async def test_an_answer_to_an_old_turn_is_stale_and_a_repeated_one_is_not(house: House) -> None:
    matches = Matches(house, 20)
    at, other = await pair(house, matches)
    move = at.table.game.legal_moves()[0]
    first = await matches.act(at, at.sequence, lambda _: move, "a")
    assert first.event is not None
    again = await matches.seat(at.table.id, Agent(at.table.seats[at.seat].id, 1, "", "", None, "", "", None, 0))
    assert (await matches.act(again, at.sequence, lambda _: move, "a")).version == first.version
    with pytest.raises(StaleSequence):
        await matches.act(await matches.seat(at.table.id, other), at.sequence, lambda _: move, "b")


@housed
async def test_who_is_refused_too_often_forfeits(house: House) -> None:
    matches = Matches(house, 3)
    at, _ = await pair(house, matches)

    def illegal(_: object) -> object:
        raise IllegalMove("no")

    for number in range(3):
        with pytest.raises(IllegalMove):
            await matches.act(at, at.sequence, illegal, f"try {number}")
    outcome = (await matches.table(at.table.id)).outcome
    assert outcome is not None
    assert folded(await house.store.events(at.table.id)).refusals[at.seat] == 2  # as after a restart
    assert (outcome.winner, outcome.reason) == (1 - at.seat, "invalid_actions")


@housed
async def test_nobody_sits_in_another_s_match(house: House) -> None:
    matches = Matches(house, 20)
    at, _ = await pair(house, matches)
    with pytest.raises(NotAPlayer):
        await matches.seat(at.table.id, await registered(house, "Eve"))


@housed
async def test_bots_begin_with_the_rating_of_their_level(house: House) -> None:
    levels = ("bot/easy", "bot/medium", "test-bot/hard", "agent/easy")
    assert [(await house.rating_of(key, "checkers")).rating for key in levels] == [1300.0, 1500.0, 1700.0, 1500.0]
