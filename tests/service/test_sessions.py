from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from tests.service.parts import FakeClock, opening
from tests.service.platforms import ANN, BEN, CID, advance, enter, found_tenant, play, seated, wanted, with_platform

from ludus.core.rules import Outcome, Player
from ludus.service.clock import Moment
from ludus.service.commands import AskRematch, Resign
from ludus.service.decisions import open_table, rematch_session
from ludus.service.platform import Platform
from ludus.service.ports.store import Conflict
from ludus.service.ports.writes import PutTenant
from ludus.service.records import Session, Tenant
from ludus.service.sessions import (
    CODE_LENGTH,
    CODE_LETTERS,
    PAGE_TENANT,
    Expired,
    Forbidden,
    RoomFull,
    Sessions,
    player_key,
    pool_of,
    public_players,
    public_result,
    room_reason,
    seat_at,
)
from ludus.service.table import Seat, SeatKind
from ludus.service.tables import NotFound
from ludus.service.tokens import Claims

NEW = "11111111-1111-4111-8111-111111111111"
PRIVATE = wanted(match_type="private")


def with_codes(platform: Platform, codes: str) -> Sessions:
    """Sessions whose room codes are these letters, six at a time."""
    characters: Iterator[str] = iter(codes)
    return Sessions(
        platform.store,
        platform.clock,
        platform.tokens,
        platform.tables.new_id,
        lambda _: next(characters),
        300_000,
        600_000,
        86_400_000,
    )


@with_platform
async def test_a_session_waits_five_minutes_for_its_player(platform: Platform, clock: FakeClock) -> None:
    session, token, claims = await platform.sessions.create(wanted(theme={"dark": True}))
    assert await platform.sessions.get(session.id) == session
    assert (session.status, session.version, session.room_code, session.table) == ("pending", 1, None, None)
    assert (session.due, session.created_at) == (clock.time + 300_000, clock.time)
    assert claims == Claims(session.id, "ann", clock.time // 1000 + 300)
    assert await platform.sessions.admit(token) == (session, claims)


@with_platform
async def test_a_private_room_has_a_code_and_ten_minutes(platform: Platform, clock: FakeClock) -> None:
    session = (await platform.sessions.create(PRIVATE)).session
    assert session.due == clock.time + 600_000
    assert session.room_code is not None
    assert len(session.room_code) == CODE_LENGTH
    assert set(session.room_code) <= set(CODE_LETTERS)
    assert not set("IO01") & set(CODE_LETTERS)


@with_platform
async def test_a_code_that_is_taken_is_drawn_again_and_nothing_is_stored_twice(platform: Platform) -> None:
    sessions = with_codes(platform, "AAAAAA" + "AAAAAA" + "BBBBBB")
    await sessions.create(PRIVATE)
    beside: list[str | None] = []

    def tenant(session: Session) -> list[PutTenant]:
        beside.append(session.room_code)
        return [PutTenant(Tenant(f"beside {session.room_code}", "", 0))]

    second = await sessions.create(PRIVATE._replace(game="backgammon"), tenant)
    assert second.session.room_code == "BBBBBB"
    assert beside == ["AAAAAA", "BBBBBB"]
    assert [found.id for found in await platform.store.tenants()] == ["acme", "beside BBBBBB"]


@with_platform
async def test_codes_differ_within_a_tenant_only(platform: Platform) -> None:
    await found_tenant(platform, "other")
    sessions = with_codes(platform, "AAAAAA" * 2)
    for tenant in ("acme", "other"):
        ticket = await sessions.create(PRIVATE._replace(tenant=tenant))
        assert ticket.session.room_code == "AAAAAA"
    with pytest.raises(NotFound):
        await sessions.join("third", "checkers", "AAAAAA", BEN)


@with_platform
async def test_a_code_is_free_again_when_its_room_is_gone(platform: Platform) -> None:
    sessions = with_codes(platform, "AAAAAA" * 2)
    await sessions.expire((await sessions.create(PRIVATE)).session)
    assert (await sessions.create(PRIVATE)).session.room_code == "AAAAAA"


@with_platform
async def test_running_out_of_room_codes_is_a_conflict(platform: Platform) -> None:
    sessions = with_codes(platform, "AAAAAA" * 100)
    await sessions.create(PRIVATE)
    with pytest.raises(Conflict):
        await sessions.create(PRIVATE)


@with_platform
async def test_a_friend_joins_and_may_ask_again(platform: Platform) -> None:
    room = (await platform.sessions.create(PRIVATE)).session
    code = str(room.room_code)
    first = await platform.sessions.join("acme", "checkers", code, BEN)
    again = await platform.sessions.join("acme", "checkers", code, BEN | {"displayName": "Benny"})
    assert first.session.players == again.session.players == (ANN, BEN)
    assert first.claims == again.claims == Claims(room.id, "ben", first.claims.expires_at)
    _, claims = await platform.sessions.admit(first.token)
    assert claims.player == "ben"


@with_platform
async def test_a_room_has_two_places_and_the_creator_has_one_of_them(platform: Platform) -> None:
    code = str((await platform.sessions.create(PRIVATE)).session.room_code)
    again = await platform.sessions.join("acme", "checkers", code, ANN)
    assert (again.claims.player, len(again.session.players)) == (ANN["id"], 1)
    await platform.sessions.join("acme", "checkers", code, BEN)
    with pytest.raises(RoomFull):
        await platform.sessions.join("acme", "checkers", code, CID)


@with_platform
async def test_of_many_who_join_at_once_one_gets_in(platform: Platform) -> None:
    room = (await platform.sessions.create(PRIVATE)).session
    code = str(room.room_code)
    joiners = [{"id": f"p{number}", "displayName": "P"} for number in range(8)]
    joins = [platform.sessions.join("acme", "checkers", code, each) for each in joiners]
    results = await asyncio.gather(*joins, return_exceptions=True)
    assert sum(isinstance(result, RoomFull) for result in results) == 7
    assert len((await platform.sessions.get(room.id)).players) == 2


@pytest.mark.parametrize(
    ("tenant", "game", "code"),
    [("other", "checkers", "AAAAAA"), ("acme", "backgammon", "AAAAAA"), ("acme", "checkers", "BBBBBB")],
)
@with_platform
async def test_a_code_opens_one_tenant_s_room_of_one_game(
    platform: Platform, tenant: str, game: str, code: str
) -> None:
    sessions = with_codes(platform, "AAAAAA")
    await sessions.create(PRIVATE)
    with pytest.raises(NotFound):
        await sessions.join(tenant, game, code, BEN)


@with_platform
async def test_a_room_closes_after_ten_minutes_also_before_anybody_has_swept(
    platform: Platform, clock: FakeClock
) -> None:
    code = str((await platform.sessions.create(PRIVATE)).session.room_code)
    clock.wait(599)
    await platform.sessions.join("acme", "checkers", code, BEN)
    clock.wait(1)
    with pytest.raises(NotFound):
        await platform.sessions.join("acme", "checkers", code, BEN)


@with_platform
async def test_a_friend_who_was_named_at_once_fetches_the_own_token(platform: Platform) -> None:
    room = await platform.sessions.create(PRIVATE._replace(players=(ANN, BEN)))
    ticket = await platform.sessions.join("acme", "checkers", str(room.session.room_code), BEN)
    assert (ticket.session, ticket.claims.player) == (room.session, "ben")
    with pytest.raises(RoomFull):
        await platform.sessions.join("acme", "checkers", str(room.session.room_code), CID)


@with_platform
async def test_a_token_is_for_the_players_of_its_session_only(platform: Platform) -> None:
    session, _, claims = await platform.sessions.create(wanted())
    stranger = platform.tokens.write(session._replace(players=(CID,)), claims._replace(player="cid"), 0)
    with pytest.raises(Forbidden):
        await platform.sessions.admit(stranger)
    nowhere = platform.tokens.write(session._replace(id=NEW), claims._replace(session=NEW), 0)
    with pytest.raises(NotFound):
        await platform.sessions.admit(nowhere)


@pytest.mark.parametrize("match_type", ["matchmaking", "private"])
@with_platform
async def test_an_expired_token_does_not_let_anybody_join(
    platform: Platform, clock: FakeClock, match_type: str
) -> None:
    token = (await platform.sessions.create(wanted(match_type=match_type))).token
    clock.wait(299)
    await platform.sessions.admit(token)
    clock.wait(1)
    with pytest.raises(Expired):
        await platform.sessions.admit(token)


@with_platform
async def test_a_session_that_ended_without_a_game_admits_no_one(platform: Platform) -> None:
    ticket = await platform.sessions.create(wanted())
    await platform.sessions.expire(ticket.session)
    with pytest.raises(Expired):
        await platform.sessions.admit(ticket.token)


@with_platform
async def test_an_expired_token_still_leads_back_to_the_game_and_to_its_result(
    platform: Platform, clock: FakeClock
) -> None:
    ticket = await platform.sessions.create(wanted(match_type="bot"))
    table = await enter(platform, ticket)
    assert table is not None
    clock.wait(3600)
    active, _ = await platform.sessions.admit(ticket.token)
    assert (active.status, active.table) == ("active", table.id)
    await platform.tables.execute(table.id, Resign(0))
    ended, _ = await platform.sessions.admit(ticket.token)
    assert ended.status == "ended"


@with_platform
async def test_a_session_goes_from_pending_over_active_to_ended(platform: Platform, clock: FakeClock) -> None:
    table, *sessions = await seated(platform)
    found = [await platform.sessions.get(session.id) for session in sessions]
    assert [(each.status, each.table, each.result) for each in found] == [("active", table.id, None)] * 2
    await play(platform, table.id, 3)
    clock.wait(12.4)
    await platform.tables.execute(table.id, Resign(1))
    result = {
        "winner": table.seats[0].id,
        "reason": "resignation",
        "duration": 12,
        "moveCount": 3,
        "points": 1,
    }
    for session in sessions:
        ended = await platform.sessions.get(session.id)
        assert (ended.status, ended.table, ended.result) == ("ended", table.id, result)
        assert ended.version == 3


@with_platform
async def test_a_room_s_two_players_share_its_session(platform: Platform) -> None:
    room = await platform.sessions.create(PRIVATE)
    friend = await platform.sessions.join("acme", "checkers", str(room.session.room_code), BEN)
    assert await enter(platform, room) is None
    table = await enter(platform, friend)
    assert table is not None
    assert [seat.session for seat in table.seats] == [room.session.id] * 2
    assert (await platform.sessions.get(room.session.id)).status == "active"
    await platform.tables.execute(table.id, Resign(0))
    ended = await platform.sessions.get(room.session.id)
    assert ended.result is not None
    assert ended.result["winner"] == table.seats[1].id


@with_platform
async def test_a_session_is_good_for_one_table(platform: Platform) -> None:
    ticket = await platform.sessions.create(wanted(match_type="bot"))
    table = await enter(platform, ticket)
    assert table is not None
    with pytest.raises(Conflict):
        await enter(platform, ticket)
    await platform.tables.execute(table.id, Resign(0))
    with pytest.raises(Conflict):
        await enter(platform, ticket)
    assert not await platform.store.live_tables()


@with_platform
async def test_of_two_tables_that_want_one_session_at_once_one_opens(platform: Platform) -> None:
    ticket = await platform.sessions.create(wanted(match_type="bot"))
    results = await asyncio.gather(*(enter(platform, ticket) for _ in range(4)), return_exceptions=True)
    assert sum(isinstance(result, Conflict) for result in results) == 3
    assert len(await platform.store.live_tables()) == 1


@with_platform
async def test_a_rematch_has_new_sessions_whose_ids_follow_from_the_old_ones(
    platform: Platform, clock: FakeClock
) -> None:
    table, *sessions = await seated(platform, theme={"dark": True})
    await platform.tables.execute(table.id, Resign(0))
    clock.wait(5)
    await platform.tables.execute(table.id, AskRematch(0, NEW))
    await platform.tables.execute(table.id, AskRematch(1, NEW))
    again = (await platform.tables.load(NEW)).table
    for session in sessions:
        new = await platform.sessions.get(str(rematch_session(NEW, session.id)))
        assert (new.status, new.table, new.result, new.version) == ("active", NEW, None, 1)
        assert (new.players, new.theme, new.created_at) == (session.players, session.theme, clock.time)
        assert new.id in {seat.session for seat in again.seats}
        old = await platform.sessions.get(session.id)
        assert (old.status, old.table) == ("ended", table.id)
    await platform.tables.execute(NEW, Resign(0))
    ended = await platform.store.sessions_of(NEW)
    assert [(each.status, each.result and each.result["winner"]) for each in ended] == [
        ("ended", again.seats[1].id)
    ] * 2


@with_platform
async def test_a_rematch_of_a_room_has_one_new_session_without_a_code(platform: Platform) -> None:
    room = await platform.sessions.create(PRIVATE)
    friend = await platform.sessions.join("acme", "checkers", str(room.session.room_code), BEN)
    await enter(platform, room)
    table = await enter(platform, friend)
    assert table is not None
    await platform.tables.execute(table.id, Resign(0))
    for seat in (0, 1):
        await platform.tables.execute(table.id, AskRematch(seat, NEW))
    (new,) = await platform.store.sessions_of(NEW)
    assert (new.room_code, new.players) == (None, (ANN, BEN))
    assert [seat.session for seat in (await platform.tables.load(NEW)).table.seats] == [new.id] * 2


@with_platform
async def test_a_session_that_is_not_joined_ends_without_a_result(platform: Platform, clock: FakeClock) -> None:
    ticket = await platform.sessions.create(wanted())
    await advance(platform, clock, 299)
    assert (await platform.sessions.get(ticket.session.id)).status == "pending"
    await advance(platform, clock, 1)
    ended = await platform.sessions.get(ticket.session.id)
    assert (ended.status, ended.table, ended.result) == ("ended", None, None)


@with_platform
async def test_a_session_whose_player_is_in_line_gets_more_time(platform: Platform, clock: FakeClock) -> None:
    ticket = await platform.sessions.create(wanted())
    await enter(platform, ticket)
    await advance(platform, clock, 301)
    waiting = await platform.sessions.get(ticket.session.id)
    assert waiting.status == "pending"
    assert waiting.due is not None
    assert waiting.due > platform.clock.moment().clock
    await platform.lobby.leave("checkers", pool_of(waiting), player_key(waiting, "ann"))
    await advance(platform, clock, 300)
    assert (await platform.sessions.get(ticket.session.id)).status == "ended"


@with_platform
async def test_a_player_who_outwaits_the_token_can_still_play(platform: Platform, clock: FakeClock) -> None:
    ticket = await platform.sessions.create(wanted())
    await enter(platform, ticket)
    await advance(platform, clock, 400)
    assert await enter(platform, await platform.sessions.create(wanted(players=(BEN,)))) is not None
    session, _ = await platform.sessions.admit(ticket.token)
    assert session.status == "active"


def session(**changes: Any) -> Session:
    return Session(
        "s", 1, "acme", "checkers", "live", "matchmaking", "pending", (ANN,), "easy", True, None, None, None, 1, 1
    )._replace(**changes)


def test_players_are_known_by_tenant_and_mode() -> None:
    assert player_key(session(), "ann") == "acme/live/ann"
    assert player_key(session(mode="test"), "ann") == "acme/test/ann"


def test_in_training_players_are_anonymous_and_share_a_pool() -> None:
    one, two = session(mode="training"), session(mode="training", tenant="other")
    assert player_key(one, "x") == player_key(two, "x") == "anonymous/x"
    assert pool_of(one) == pool_of(two)
    assert "acme" not in pool_of(one)


def test_a_player_of_the_page_is_the_same_person_in_every_mode() -> None:
    modes = [session(mode=mode, tenant=PAGE_TENANT) for mode in ("live", "training")]
    assert {player_key(each, "x") for each in modes} == {"person/x"}


def test_a_game_begun_before_the_page_had_people_is_still_its_players() -> None:
    seats = (Seat("anonymous/x", "x", "Ann", SeatKind.PERSON), Seat("anonymous/y", "y", "Ben", SeatKind.PERSON))
    table = open_table(opening()._replace(seats=seats), Moment(0, 0)).after
    one, other = (Seat(f"{kind}/y", "y", "Ben", SeatKind.PERSON) for kind in ("person", "acme/live"))
    assert (seat_at(table, one), seat_at(table, other), seat_at(table, seats[0])) == (1, None, 0)


def test_who_meets_whom_depends_on_tenant_and_mode_or_on_the_room() -> None:
    pools = [
        pool_of(session()),
        pool_of(session(mode="test")),
        pool_of(session(tenant="other")),
        pool_of(session(mode="training")),
        pool_of(session(match_type="private")),
        pool_of(session(match_type="private", id="s2")),
        pool_of(session(match_type="private", mode="training", id="s3")),
    ]
    assert len(set(pools)) == len(pools)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("no_pieces", "victory"),
        ("no_moves", "victory"),
        ("borne_off", "victory"),
        ("resignation", "resignation"),
        ("afk_timeout", "afk_timeout"),
        ("disconnect", "disconnect"),
        ("forty_moves", "draw"),
        ("repetition", "draw"),
        ("agreement", "draw"),
        ("board_full", "draw"),
        ("three_in_a_row", "victory"),
    ],
)
def test_rooms_know_five_reasons(reason: str, expected: str) -> None:
    assert room_reason(Outcome(None if expected == "draw" else Player.FIRST, reason)) == expected


def test_results_have_points_where_wins_have_names() -> None:
    result = {"winner": "a", "reason": "victory", "duration": 1, "moveCount": 2, "points": 2}
    plain = {"winner": "a", "reason": "victory", "duration": 1, "moveCount": 2}
    assert public_result("checkers", {**result, "points": 1}) == plain
    assert public_result("backgammon", result) == {**plain, "points": 2, "result": "gammon"}


def test_players_are_shown_with_both_spellings_of_the_name_and_without_secrets() -> None:
    bot = Seat("bot/easy", "bot-easy", "Easy bot", SeatKind.BOT, "easy")
    seats = (opening().seats[0], bot)
    assert public_players(open_table(opening()._replace(seats=seats), Moment(0, 0)).after) == [
        {"id": "ann", "username": "Ann", "displayName": "Ann", "color": "red", "isBot": False},
        {"id": "bot-easy", "username": "Easy bot", "displayName": "Easy bot", "color": "black", "isBot": True},
    ]


@with_platform
async def test_a_game_in_which_the_clock_was_set_back_took_no_negative_time(
    platform: Platform, clock: FakeClock
) -> None:
    table, session, _ = await seated(platform)
    clock.jump(-3600)
    await platform.tables.execute(table.id, Resign(0))
    result = (await platform.sessions.get(session.id)).result
    assert result is not None
    assert result["duration"] == 0
