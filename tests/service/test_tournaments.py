"""Tournaments on a platform whose clock is moved by hand."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from tests.service.mortal_store import Killed, MortalStore
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import SECRET, TIMEOUTS, FirstMove, settle, until, with_platform

from ludus.bus.memory import MemoryBus
from ludus.core.errors import InvalidInput, LudusError, UnknownOption
from ludus.service.commands import Abort, AcceptDraw, OfferDraw, Resign
from ludus.service.export import Exports
from ludus.service.platform import Platform
from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutEntrant, PutPerson, PutRating, PutTournament, Write
from ludus.service.ratings import fresh
from ludus.service.records import PairingRow, Person, Tournament
from ludus.service.retention import Days, Retention
from ludus.service.sessions import Forbidden
from ludus.service.table import SeatKind, Table
from ludus.service.tables import NotFound
from ludus.service.time_control import TimeControl
from ludus.service.tournaments.director import FORGOTTEN_MS, LONELY_MS
from ludus.service.tournaments.progress import LIVE, OVER
from ludus.service.tournaments.terms import (
    NotAdmitted,
    Terms,
    TooManyTournaments,
    TournamentClosed,
    TournamentFull,
)
from ludus.service.tournaments.tournaments import MOST_OPEN, TURNOVER, Applicant, View
from ludus.storage import store_for

OWNER = "person/owner"
TERMS = Terms("Friday", "checkers", "swiss", rounds=2)


def player(name: str, kind: str = "person") -> Applicant:
    return Applicant(f"{kind}/{name}", name, name.title(), kind)


async def made(platform: Platform, names: Sequence[str] = (), **changes: Any) -> str:
    tournament = await platform.tournaments.create(OWNER, TERMS._replace(**changes))
    for name in names:
        await platform.tournaments.join(tournament.id, player(name))
    return tournament.id


async def begun(platform: Platform, names: Sequence[str], **changes: Any) -> str:
    id = await made(platform, names, **changes)
    await platform.tournaments.start(id, OWNER)
    return id


async def view(platform: Platform, id: str) -> View:
    return await platform.tournaments.view(await platform.tournaments.get(id))


async def sweep(platform: Platform) -> None:
    await platform._heartbeat()
    await platform.sweep()
    await platform.director.sweep()


def live(seen: View) -> list[PairingRow]:
    return [row for row in seen.pairings if row.state == LIVE]


async def table_of(platform: Platform, row: PairingRow) -> Table:
    return (await platform.tables.load(row.tables[-1])).table


async def resign(platform: Platform, row: PairingRow, seat: int) -> None:
    await platform.tables.execute(row.tables[-1], Resign(seat))


async def resign_all(platform: Platform, id: str) -> None:
    """The lower seeds lose."""
    for row in live(await view(platform, id)):
        assert row.second is not None
        await resign(platform, row, int(row.first < row.second))


def names(seen: View) -> list[str]:
    return [place.entrant.name for place in seen.standings]


@with_platform
async def test_a_swiss_tournament_runs_from_round_to_round(platform: Platform) -> None:
    id = await begun(platform, ["ann", "ben", "cid", "dan", "eve"])
    first = await view(platform, id)
    assert first.tournament.state == "running" and first.tournament.round == 1 and first.rounds == 2
    assert [row.outcome for row in first.pairings] == ["", "", "bye"]
    seats = (await table_of(platform, first.pairings[0])).seats
    assert {seat.key for seat in seats} == {"person/ann", "person/cid"}
    for _ in range(2):
        await resign_all(platform, id)
        await sweep(platform)
    over = await view(platform, id)
    assert over.tournament.state == "finished"
    assert names(over)[0] == "Ann" and over.standings[0].score == 2
    assert sum(place.score for place in over.standings) == 6
    winners = await platform.tournaments.winners([first.tournament, over.tournament])
    assert [each and each.name for each in winners] == [None, "Ann"]
    ann = over.standings[0].entrant
    renamed = ann._replace(version=ann.version + 1, name="Deleted player")  # as an erasure does it
    newer = over.tournament._replace(version=over.tournament.version + 1)
    await platform.store.commit(PutTournament(newer), PutEntrant(renamed))
    assert await platform.tournaments.winners([newer]) == [renamed]


@with_platform
async def test_seeds_follow_the_ratings_at_the_start(platform: Platform) -> None:
    id = await made(platform, ["ann", "ben", "cid"])
    for name, rating in (("ben", 1400.0), ("cid", 1600.0)):
        await platform.store.commit(PutRating(fresh(f"person/{name}", "checkers", 0)._replace(rating=rating, games=1)))
    await platform.tournaments.start(id, OWNER)
    entrants = (await view(platform, id)).entrants
    assert [(each.seed, each.rating) for each in entrants] == [(1, 1500.0), (2, 1400.0), (0, 1600.0)]


@with_platform
async def test_a_person_finds_the_seat_of_a_tournament_game_by_a_session(platform: Platform) -> None:
    id = await begun(platform, ["ann", "ben"])
    table = await table_of(platform, (await view(platform, id)).pairings[0])
    session = await platform.sessions.get(str(table.seats[0].session))
    assert (session.status, session.table, session.tenant) == ("active", table.id, "page")
    assert {each["id"] for each in session.players} == {"ann", "ben"}
    ticket = platform.sessions.ticket(session, session.players[0])
    assert (await platform.sessions.admit(ticket.token))[0] == session
    await resign_all(platform, id)
    ended = await platform.sessions.get(session.id)
    assert ended.status == "ended" and ended.result is not None


@with_platform
async def test_people_agents_and_bots_meet_as_they_would_elsewhere(platform: Platform) -> None:
    id = await made(platform, ["ann"], system="round_robin", rounds=1, is_rated=True)
    for applicant in (player("ben"), player("claw", "agent"), player("pinch", "agent")):
        await platform.tournaments.join(id, applicant)
    await platform.tournaments.add_bot(id, OWNER, "easy")
    await platform.tournaments.start(id, OWNER)
    terms = {}
    while (seen := await view(platform, id)).tournament.state == "running":
        for row in live(seen):
            table = await table_of(platform, row)
            kinds = frozenset(seat.kind for seat in table.seats)
            terms[kinds] = (table.opening.channel, table.opening.mode, table.opening.is_rated)
            assert table.is_practice(0) is table.is_practice(1) is False
            with suppress(LudusError):  # the bot may be faster
                await resign(platform, row, 0)
        await sweep(platform)
    person, agent, bot = SeatKind.PERSON, SeatKind.AGENT, SeatKind.BOT
    assert terms == {
        frozenset({person}): ("rooms", "live", True),
        frozenset({person, agent}): ("rooms", "training", False),
        frozenset({person, bot}): ("rooms", "training", False),
        frozenset({agent}): ("arena", "fast", True),
        frozenset({agent, bot}): ("arena", "fast", True),
    }


@with_platform
async def test_bots_play_their_games_alone(platform: Platform) -> None:
    id = await made(platform, system="knockout", rounds=0)
    for level in ("easy", "medium"):
        await platform.tournaments.add_bot(id, OWNER, level)
    await platform.tournaments.start(id, OWNER)
    loaded = platform.tables.cached((await view(platform, id)).pairings[0].tables[0])
    assert loaded is not None
    await until(lambda: loaded.table.outcome is not None)


@with_platform
async def test_who_does_not_come_forfeits_and_is_paired_no_more(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben"])
    row = (await view(platform, id)).pairings[0]
    table = await table_of(platform, row)
    await platform.presence.arrive(table.id, 1)
    clock.wait(119)
    await sweep(platform)
    assert live(await view(platform, id))
    clock.wait(1)
    await sweep(platform)
    seen = await view(platform, id)
    assert (seen.pairings[0].outcome, seen.pairings[0].score) == ("forfeit", 0.0)
    assert [each.is_in for each in seen.entrants if each.player == table.seats[0].key] == [False]
    assert seen.tournament.state == "finished"


@with_platform
async def test_the_second_player_has_as_long_for_the_first_move(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben"])
    row = (await view(platform, id)).pairings[0]
    clock.wait(100)
    await platform.tables.execute(row.tables[0], first_play(await table_of(platform, row)))
    clock.wait(119)
    await sweep(platform)
    assert live(await view(platform, id))
    clock.wait(1)
    await sweep(platform)
    seen = await view(platform, id)
    assert (seen.pairings[0].outcome, seen.pairings[0].score) == ("forfeit", 1.0)


@with_platform
async def test_if_nobody_comes_nobody_scores(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben"])
    clock.wait(120)
    await sweep(platform)
    seen = await view(platform, id)
    assert seen.pairings[0].outcome == "double_forfeit"
    assert [place.score for place in seen.standings] == [0, 0]
    assert not any(each.is_in for each in seen.entrants)
    assert await platform.tournaments.winners([seen.tournament]) == [None]


@with_platform
async def test_a_game_that_broke_off_is_played_again_and_halved_in_the_end(platform: Platform) -> None:
    id = await begun(platform, ["ann", "ben"], rounds=1)
    for _ in range(3):
        row = (await view(platform, id)).pairings[0]
        await platform.tables.execute(row.tables[-1], Abort(None, "cancelled"))
        await sweep(platform)
    seen = await view(platform, id)
    assert len(seen.pairings[0].tables) == 3 and seen.pairings[0].outcome == "halved"
    assert [place.score for place in seen.standings] == [0.5, 0.5]


@with_platform
async def test_a_draw_in_a_knockout_is_replayed_with_sides_swapped(platform: Platform) -> None:
    id = await begun(platform, ["ann", "ben"], system="knockout", rounds=0)
    firsts = []
    for _ in range(3):
        row = (await view(platform, id)).pairings[0]
        firsts.append(row.first)
        await platform.tables.execute(row.tables[-1], OfferDraw(0))
        await platform.tables.execute(row.tables[-1], AcceptDraw(1))
        await sweep(platform)
    seen = await view(platform, id)
    assert firsts == [0, 1, 0] and seen.tournament.state == "finished" and seen.pairings[0].score == 0.5
    assert names(seen) == ["Ann", "Ben"]


@with_platform
async def test_who_withdraws_loses_the_games_to_come(platform: Platform) -> None:
    id = await begun(platform, ["ann", "ben", "cid"], system="round_robin", rounds=1)
    await platform.tournaments.withdraw(id, "person/cid")
    while live(await view(platform, id)):
        await resign_all(platform, id)
        await sweep(platform)
    seen = await view(platform, id)
    assert seen.tournament.state == "finished"
    assert sum(row.outcome == "forfeit" for row in seen.pairings) >= 1
    assert names(seen)[-1] == "Cid"


@with_platform
async def test_entrants_are_those_who_are_in_until_the_start_and_then_all_who_have_played(platform: Platform) -> None:
    id = await made(platform, ["ann", "ben", "cid"], system="arena", rounds=0)

    async def count() -> int:
        return (await platform.tournaments.get(id)).entrants

    await platform.tournaments.withdraw(id, "person/cid")
    assert await count() == 2
    await platform.tournaments.start(id, OWNER)
    await platform.tournaments.withdraw(id, "person/ben")
    assert await count() == 2
    for name in ("ben", "cid"):
        await platform.tournaments.join(id, player(name))
    assert await count() == 3


@with_platform
async def test_only_so_many_players_can_come_and_go(platform: Platform) -> None:
    id = await made(platform, most_entrants=2)
    for number in range(TURNOVER * 2):
        await platform.tournaments.join(id, player(f"p{number}"))
        await platform.tournaments.withdraw(id, f"person/p{number}")
    with pytest.raises(TournamentFull):
        await platform.tournaments.join(id, player("one-more"))
    assert (await platform.tournaments.join(id, player("p0"))).is_in


@with_platform
@pytest.mark.parametrize(("system", "may_return"), [("arena", True), ("swiss", True), ("round_robin", False)])
async def test_who_has_left_can_return_as_long_as_players_may_enter(
    platform: Platform, system: str, may_return: bool
) -> None:
    id = await made(platform, ["ann", "ben", "cid"], system=system, rounds=0)
    for is_begun in (False, True):
        await platform.tournaments.withdraw(id, "person/cid")
        if is_begun and not may_return:
            with pytest.raises(TournamentClosed):
                await platform.tournaments.join(id, player("cid"))
            return
        assert (await platform.tournaments.join(id, player("cid"))).is_in
        await platform.tournaments.start(id, OWNER)


@with_platform
async def test_an_arena_pairs_those_who_are_free_until_its_time_is_up(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben", "cid"], system="arena", rounds=0, minutes=5)
    met = set()
    for _ in range(3):
        (row,) = live(await view(platform, id))
        met.add(frozenset((row.first, row.second)))
        await resign(platform, row, int(row.first < (row.second or 0)))
        clock.wait(5)
        await sweep(platform)
    assert len(met) == 3
    await platform.tournaments.join(id, player("dan"))
    clock.wait(5)
    await sweep(platform)
    assert len(live(await view(platform, id))) == 2
    clock.wait(300)
    for row in live(await view(platform, id)):
        await platform.presence.arrive(row.tables[0], 0)
    await sweep(platform)
    await sweep(platform)
    seen = await view(platform, id)
    assert seen.tournament.state == "finished" and not live(seen)
    assert names(seen)[0] == "Ann" and seen.standings[0].score >= 4


@with_platform
async def test_two_who_have_just_met_wait_for_somebody_else(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben", "cid", "dan"], system="arena", rounds=0)
    row, other = live(await view(platform, id))
    await resign(platform, row, 0)
    clock.wait(4)
    await sweep(platform)
    assert len(live(await view(platform, id))) == 1
    await resign(platform, other, 0)
    await sweep(platform)
    again = live(await view(platform, id))
    assert len(again) == 2
    assert {frozenset(each[4:6]) for each in again}.isdisjoint({frozenset(row[4:6]), frozenset(other[4:6])})


@with_platform
async def test_looking_at_a_tournament_in_which_nothing_happens_is_no_new_version(
    platform: Platform, clock: FakeClock
) -> None:
    id = await begun(platform, ["ann", "ben", "cid", "dan"], system="arena", rounds=0)
    row, _ = live(await view(platform, id))
    await resign(platform, row, 0)
    await sweep(platform)
    before = await platform.tournaments.get(id)
    for _ in range(5):  # while two wait for somebody else than each other
        clock.wait(1)
        await sweep(platform)
    after = await platform.tournaments.get(id)
    assert after.version == before.version and after.due != before.due


@with_platform
async def test_of_a_tournament_that_has_not_changed_one_row_is_read(platform: Platform) -> None:
    id, store = await begun(platform, ["ann", "ben"]), cast("Any", platform.store)
    read = []

    async def pairings(id: str) -> Any:
        read.append(id)
        return await type(store).pairings(store, id)

    store.pairings = pairings
    assert await view(platform, id) == await view(platform, id)
    assert read == [id]
    await platform.tournaments.withdraw(id, "person/ben")
    assert not (await view(platform, id)).entrants[1].is_in
    assert read == [id, id]


@with_platform
async def test_every_change_of_a_pairing_is_a_new_version(platform: Platform) -> None:
    changes: dict[str, int] = {}

    async def note(tournament: Tournament, change: str) -> list[Write]:
        changes[change] = tournament.version
        return []

    platform.director.hooks.append(note)
    id = await begun(platform, ["ann", "ben", "cid", "dan"])
    seen, versions = await view(platform, id), []
    assert seen.tournament.version == changes["round_started"] + 2, "two tables were opened"
    for row in live(seen):
        await platform.tournaments.cancel(id, OWNER)
        await resign(platform, row, 0)
        versions.append((await platform.tournaments.get(id)).version)
    assert seen.tournament.version < versions[0] < versions[1]


@with_platform
async def test_results_that_were_not_taken_in_are_found_within_a_minute(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben", "cid", "dan"])
    platform.tables.hooks.remove(platform.director.on_decision)  # as in a process that knows no tournaments
    clock.wait(60)
    await sweep(platform)
    await resign_all(platform, id)
    clock.wait(59)
    await sweep(platform)
    assert len(live(await view(platform, id))) == 2
    clock.wait(1)
    await sweep(platform)
    seen = await view(platform, id)
    assert [row.outcome for row in seen.pairings if row.round == 1] == ["played"] * 2 and seen.tournament.round == 2


@with_platform
async def test_games_are_not_loaded_each_time_that_players_wait(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben", "cid", "dan"], system="arena", rounds=0)
    row, other = live(await view(platform, id))
    clock.wait(60)
    await sweep(platform)
    await resign(platform, other, 0)
    await sweep(platform)
    platform.tables.hooks.remove(platform.director.on_decision)
    await resign(platform, row, 0)
    for _ in range(10):
        clock.wait(1)
        await sweep(platform)
    assert row in live(await view(platform, id))


@with_platform
async def test_a_tournament_starts_at_its_time_or_when_it_is_full(platform: Platform, clock: FakeClock) -> None:
    timed = await made(platform, ["ann", "ben"], starts_at=clock.now() + 60_000)
    full = await made(platform, ["ann"], starts_when_full=True, most_entrants=2)
    lonely = await made(platform, ["ann"], starts_at=clock.now() + 60_000)
    await sweep(platform)
    assert [(await view(platform, id)).tournament.state for id in (timed, full, lonely)] == ["created"] * 3
    await platform.tournaments.join(full, player("ben"))
    clock.wait(60)
    await sweep(platform)
    states = [(await view(platform, id)).tournament.state for id in (timed, full, lonely)]
    assert states == ["running", "running", "cancelled"]


@with_platform
async def test_a_tournament_that_cannot_go_on_is_tried_less_and_less_often(
    platform: Platform, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = await made(platform, ["ann", "ben"], starts_at=clock.now() + 1000)
    other = await made(platform, ["ann", "ben"], starts_at=clock.now() + 1000)
    advance, tries = platform.director.advance, []

    async def fail(id: str) -> None:
        if id != broken:
            return await advance(id)
        tries.append(clock.now())
        raise AssertionError("on purpose")

    monkeypatch.setattr(platform.director, "advance", fail)
    for _ in range(40):
        clock.wait(1)
        await sweep(platform)
    assert [later - earlier for earlier, later in pairwise(tries)] == [2000, 4000, 8000, 16000]
    assert (await platform.tournaments.get(other)).state == "running"
    monkeypatch.undo()
    clock.wait(32)
    await sweep(platform)
    assert (await platform.tournaments.get(broken)).state == "running"


@with_platform
async def test_a_tournament_that_nobody_starts_is_called_off(platform: Platform, clock: FakeClock) -> None:
    id = await made(platform, ["ann", "ben"])
    clock.wait(FORGOTTEN_MS / 1000 - 1)
    await sweep(platform)
    assert (await view(platform, id)).tournament.state == "created"
    clock.wait(2)
    await sweep(platform)
    assert (await view(platform, id)).tournament.state == "cancelled"


@with_platform
async def test_a_tournament_that_hardly_anybody_enters_is_called_off_after_a_day_or_at_its_start(
    platform: Platform, clock: FakeClock
) -> None:
    async def states() -> list[str]:
        return [(await view(platform, id)).tournament.state for id in (empty, lonely, planned)]

    planned = await made(platform, ["ann"], starts_at=clock.now() + 2 * LONELY_MS)
    empty, lonely = await made(platform), await made(platform, ["ann"])
    clock.wait(LONELY_MS / 1000 - 1)
    await sweep(platform)
    assert await states() == ["created"] * 3
    clock.wait(2)
    await sweep(platform)
    assert await states() == ["cancelled", "cancelled", "created"]
    clock.wait(LONELY_MS / 1000)
    await sweep(platform)
    assert await states() == ["cancelled"] * 3


@with_platform
async def test_games_of_a_cancelled_tournament_go_on(platform: Platform) -> None:
    id = await begun(platform, ["ann", "ben", "cid", "dan"])
    assert (await platform.tournaments.cancel(id, OWNER)).state == "cancelled"
    await resign_all(platform, id)
    await sweep(platform)
    seen = await view(platform, id)
    assert seen.tournament.state == "cancelled" and seen.tournament.round == 1
    assert all(row.state == OVER for row in seen.pairings)


@with_platform
async def test_what_is_not_allowed_is_refused(platform: Platform, clock: FakeClock) -> None:
    tournaments = platform.tournaments
    id = await made(platform, ["ann", "ben"], most_entrants=2, admits=("person", "bot"))
    for refused, error in (
        (tournaments.join(id, player("cid")), TournamentFull),
        (tournaments.join(id, player("claw", "agent")), NotAdmitted),
        (tournaments.start(id, "person/ann"), Forbidden),
        (tournaments.cancel(id, "person/ann"), Forbidden),
        (tournaments.add_bot(id, "person/ann", "easy"), Forbidden),
        (tournaments.add_bot(id, OWNER, "nobody"), UnknownOption),
        (tournaments.withdraw(id, "person/cid"), NotFound),
        (tournaments.get("none"), NotFound),
        (tournaments.get(id, "acme"), NotFound),
    ):
        with pytest.raises(error):
            await refused
    await tournaments.start(id, OWNER)
    await tournaments.start(id, OWNER)
    await tournaments.cancel(id, OWNER)
    await tournaments.cancel(id, OWNER)
    for late in (
        tournaments.join(id, player("cid")),
        tournaments.start(id, OWNER),
        tournaments.withdraw(id, "person/ann"),
    ):
        with pytest.raises(TournamentClosed):
            await late
    for _ in range(MOST_OPEN):
        await made(platform)
    with pytest.raises(TooManyTournaments):
        await made(platform)


@with_platform
async def test_old_tournaments_are_deleted_with_old_games(platform: Platform, clock: FakeClock) -> None:
    id = await begun(platform, ["ann", "ben"])
    open_one = await made(platform)
    await platform.tournaments.cancel(id, OWNER)
    clock.wait(86_400)
    retention = Retention(platform.store, clock, Days(games=1))
    assert not await retention.delete_old()
    assert await platform.store.tournament(id) is not None
    clock.wait(1)
    await retention.delete_old()
    assert await platform.store.tournament(id) is None and await platform.store.entrants(id) == []
    assert await platform.store.tournament(open_one) is not None


@with_platform
async def test_an_export_has_the_tournaments_of_a_player(platform: Platform) -> None:
    id = await made(platform, ["ann"])
    exports = Exports(platform.store, lambda: 0)
    for name in ("ann", "owner"):
        person = Person(name, 1, name, "red", {}, 0, 0)
        await platform.store.commit(PutPerson(person))
        document = json.loads(b"".join([part async for part in await exports.person(person)]))
        (found,) = document["tournaments" if name == "ann" else "ownTournaments"]
        assert (found["id"], found["system"], found.get("enteredAs")) == (id, "swiss", "Ann" if name == "ann" else None)


@pytest.mark.parametrize(
    "changes",
    [
        {"system": "ladder"},
        {"rounds": 16},
        {"rounds": -1},
        {"minutes": 10},
        {"system": "arena", "rounds": 0, "minutes": 4},
        {"system": "arena", "rounds": 3},
        {"system": "knockout", "rounds": 3},
        {"most_entrants": 1},
        {"most_entrants": 257},
        {"admits": ()},
        {"admits": ("people",)},
        {"starts_at": 1},
        {"time_control": TimeControl.read_text("none")},
        {"system": "arena", "rounds": 0, "time_control": TimeControl.read_text("2d/move")},
    ],
)
def test_terms_that_make_no_sense_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    @with_platform
    async def refused(platform: Platform) -> None:
        with pytest.raises(InvalidInput):
            await made(platform, **changes)

    refused(tmp_path=tmp_path)


async def killed_at(folder: Path, commits: int, *, does_last: bool) -> tuple[View, bool]:
    """A tournament whose process is killed at one of its commits; returns whether it was."""
    clock, was_killed, tournament = FakeClock(), False, cast("Tournament | None", None)
    for _ in range(2):
        store = MortalStore(store_for("", folder))
        platform = Platform(
            cast("Store", store), MemoryBus(), FirstMove(), SECRET, TIMEOUTS, clock=clock, rng=Random(1)
        )
        await platform.open()
        await settle(platform)
        if tournament is None:
            id = await made(platform, ["ann", "ben", "cid"])
            tournament = await platform.tournaments.get(id)
            store.commits_left, store.does_last = commits, does_last
        try:
            for _ in range(9):
                with suppress(LudusError):
                    await platform.tournaments.start(tournament.id, OWNER)
                await resign_all(platform, tournament.id)
                clock.wait(1)
                await sweep(platform)
        except Killed:
            was_killed = True
            await platform.store.close()
            continue
        seen = await view(platform, tournament.id)
        keys = [f"person/{name}" for name in ("ann", "ben", "cid")]
        tables = {row.id for key in keys for row in await platform.store.tables_of(key, 99)}
        assert tables == {table for row in seen.pairings for table in row.tables}
        assert not await platform.store.live_tables()
        await platform.close()
        return seen, was_killed
    raise AssertionError("killed twice")


def test_a_kill_at_any_commit_changes_nothing(tmp_path: Path) -> None:
    """No pairing is lost or opened twice, no result is lost or counted twice: the same games, the same standings."""
    whole, _ = asyncio.run(killed_at(tmp_path / "whole", 10**6, does_last=True))
    assert whole.tournament.state == "finished" and whole.tournament.round == 2
    expected = [(place.entrant.name, place.score, place.games) for place in whole.standings]
    shapes = [row._replace(tournament="", tables=(), over=None) for row in whole.pairings]
    kills = 0
    for commits in range(100):
        for does_last in (False, True):
            folder = tmp_path / f"{commits}-{does_last}"
            seen, was_killed = asyncio.run(killed_at(folder, commits, does_last=does_last))
            kills += was_killed
            assert [(place.entrant.name, place.score, place.games) for place in seen.standings] == expected
            assert [row._replace(tournament="", tables=(), over=None) for row in seen.pairings] == shapes
        if not was_killed:
            break
    assert kills >= 10
