"""Storage of tournaments: terms, entrants and pairings."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.service.ports.store import FIRST_PAGE, NEWEST, Conflict, Cursor, Store, upcoming_cursor
from ludus.service.ports.writes import (
    DropTournament,
    PutEntrant,
    PutPairing,
    PutTournament,
    ScheduleTournament,
    WakeTournament,
)
from ludus.service.records import Entrant, PairingKey, PairingRow, Tournament
from ludus.service.time_control import TimeControl

pytestmark = pytest.mark.anyio

NOW = 1_700_000_000_000
CONTROL = TimeControl.read_text("5+3")


def tournament(id: str = "t0", version: int = 1, **changes: Any) -> Tournament:
    whole = Tournament(
        id, version, "page", "training", "person/ann", "Friday", "checkers", "standard", CONTROL, False, "swiss", 5, 0,
        ("person", "bot"), 64, False, NOW + 60_000, "created", 0, 0, NOW,
    )  # fmt: skip
    return whole._replace(**changes)


def entrant(number: int, player: str, version: int = 1, **changes: Any) -> Entrant:
    whole = Entrant("t0", number, version, player, player, player.title(), "person", "", 1500.0, -1, True, NOW)
    return whole._replace(**changes)


async def test_a_tournament_is_compared_and_set(store: Store) -> None:
    await store.commit(PutTournament(tournament()))
    assert await store.tournament("t0") == tournament()
    running = tournament(version=2, state="running", starts_at=None, started_at=NOW, ends_due=NOW + 5, round=1, due=7)
    await store.commit(PutTournament(running))
    with pytest.raises(Conflict):
        await store.commit(PutTournament(tournament(version=2, state="cancelled")))
    assert await store.tournament("t0") == running
    assert await store.tournament("none") is None


async def test_waking_a_running_tournament_beats_a_write_that_is_based_on_the_version_before(store: Store) -> None:
    await store.commit(PutTournament(tournament(state="running", due=None)))
    await store.commit(WakeTournament("t0"), WakeTournament("t0"), WakeTournament("none"))
    assert await store.tournament("t0") == tournament(version=3, state="running", due=0)
    with pytest.raises(Conflict):
        await store.commit(PutTournament(tournament(version=2, state="running", due=None)))
    await store.commit(PutTournament(tournament(version=4, state="cancelled", ended_at=NOW)))
    await store.commit(WakeTournament("t0"))
    assert await store.tournament("t0") == tournament(version=5, state="cancelled", ended_at=NOW)


async def test_the_next_look_is_planned_without_a_new_version_unless_something_has_changed(store: Store) -> None:
    await store.commit(PutTournament(tournament(state="running", due=0)))
    await store.commit(ScheduleTournament("t0", 1, 500))
    assert await store.tournament("t0") == tournament(state="running", due=500)
    await store.commit(WakeTournament("t0"))
    with pytest.raises(Conflict):
        await store.commit(ScheduleTournament("t0", 1, 600))
    assert await store.tournament("t0") == tournament(version=2, state="running", due=0)


async def test_a_player_enters_once(store: Store) -> None:
    await store.commit(PutTournament(tournament()), PutEntrant(entrant(1, "ann")))
    for again in (entrant(2, "ann"), entrant(1, "ben")):
        with pytest.raises(Conflict):
            await store.commit(PutEntrant(again))
    await store.commit(PutEntrant(entrant(2, "ben")), PutEntrant(entrant(1, "ann", 2, is_in=False, seed=3)))
    assert await store.entrants("t0") == [entrant(1, "ann", 2, is_in=False, seed=3), entrant(2, "ben")]
    assert await store.entrant("t0", "ben") == entrant(2, "ben")
    assert await store.entrant("t0", "cid") is None


async def test_a_pairing_gets_its_table_and_its_result_once(store: Store) -> None:
    waiting = PairingRow("t0", 1, 1, 1, 0, 1, "waiting")
    bye = PairingRow("t0", 1, 2, 1, 2, None, "over", (), "bye", 1.0, NOW)
    await store.commit(PutPairing(bye), PutPairing(waiting))
    live = waiting._replace(version=2, state="live", tables=("x",))
    await store.commit(PutPairing(live))
    with pytest.raises(Conflict):
        await store.commit(PutPairing(live._replace(tables=("y",))))
    with pytest.raises(Conflict):
        await store.commit(PutPairing(waiting))
    over = live._replace(version=3, state="over", outcome="played", score=0.5, over=NOW + 1)
    await store.commit(PutPairing(over))
    assert await store.pairings("t0") == [over, bye]
    assert await store.pairing(PairingKey("t0", 1, 2)) == bye
    assert await store.pairing(PairingKey("t0", 2, 1)) is None


async def test_tournaments_are_listed_by_state_newest_first(store: Store) -> None:
    made = [tournament(f"t{number}", made_at=NOW + number) for number in range(3)]
    made.append(tournament("t3", state="running", made_at=NOW + 3, owner="agent/x"))
    made.append(tournament("t4", tenant="acme", made_at=NOW + 4))
    await store.commit(*map(PutTournament, made))
    found = await store.tournaments("page", ("created", "running"), NEWEST, 3)
    assert [each.id for each in found] == ["t3", "t2", "t1"]
    rest = await store.tournaments("page", ("created", "running"), Cursor(found[-1].made_at, found[-1].id), 3)
    assert [each.id for each in rest] == ["t0"]
    assert [each.id for each in await store.tournaments("acme", ("created",), NEWEST, 3)] == ["t4"]
    assert await store.open_tournaments("page") == 4
    assert await store.open_tournaments_of("person/ann") == 4
    assert [each.id for each in await store.tournaments_owned("person/ann", "t0", 2)] == ["t1", "t2"]


async def test_tournaments_of_one_mode_are_listed_however_many_of_another_there_are(store: Store) -> None:
    modes = ["test", "live", "test", "live", "test"]
    made = [tournament(f"t{at}", tenant="acme", mode=mode, made_at=NOW + at) for at, mode in enumerate(modes)]
    await store.commit(*map(PutTournament, made))
    found = await store.tournaments("acme", ("created", "running"), NEWEST, 2, "live")
    assert [each.id for each in found] == ["t3", "t1"]
    rest = await store.tournaments("acme", ("created",), Cursor(NOW + 3, "t3"), 2, "live")
    assert [each.id for each in rest] == ["t1"]
    assert len(await store.tournaments("acme", ("created",), NEWEST, 9)) == 5


async def test_upcoming_tournaments_are_listed_by_their_start_and_those_without_one_last(store: Store) -> None:
    starts = [None, NOW + 9, NOW + 5, None, NOW + 5]
    made = [tournament(f"t{number}", starts_at=at) for number, at in enumerate(starts)]
    made += [tournament("t5", state="running", starts_at=NOW), tournament("t6", tenant="acme", starts_at=NOW)]
    await store.commit(*map(PutTournament, made))
    for most in range(1, 6):
        found: list[str] = []
        after = FIRST_PAGE
        while page := await store.upcoming_tournaments("page", after, most):
            found += [each.id for each in page]
            after = upcoming_cursor(page[-1])
        assert found == ["t2", "t4", "t1", "t3", "t0"]


async def test_due_tournaments_are_found_by_uptime_and_by_their_start(store: Store) -> None:
    await store.commit(
        PutTournament(tournament("a1", starts_at=NOW)),
        PutTournament(tournament("a2", starts_at=None)),
        PutTournament(tournament("a3", state="running", starts_at=NOW, due=500)),
        PutTournament(tournament("a4", state="running", due=600)),
        PutTournament(tournament("a5", starts_at=NOW + 1)),
    )
    assert await store.tournaments_due(500, NOW, 9) == ["a3", "a1"]
    assert await store.tournaments_due(499, NOW - 1, 9) == []
    assert await store.tournaments_due(600, NOW + 1, 9, shards=("1", "4")) == ["a4", "a1"]
    assert await store.tournaments_due(600, NOW + 1, 9, shards=()) == []


async def test_a_deleted_tournament_leaves_nothing_behind(store: Store) -> None:
    await store.commit(
        PutTournament(tournament(state="finished", ended_at=NOW)),
        PutTournament(tournament("t1", state="finished", ended_at=NOW + 1)),
        PutEntrant(entrant(1, "ann")),
        PutEntrant(entrant(1, "ann", tournament="t1")),
        PutPairing(PairingRow("t0", 1, 1, 1, 0, None, "over", (), "bye", 1.0, NOW)),
    )
    assert await store.tournaments_ended(NOW + 1, 9) == ["t0"]
    assert [each.tournament for each in await store.tournaments_with("ann", "", 9)] == ["t0", "t1"]
    await store.commit(DropTournament("t0"))
    assert await store.tournament("t0") is None
    assert await store.pairings("t0") == []
    assert [each.tournament for each in await store.tournaments_with("ann", "", 9)] == ["t1"]
