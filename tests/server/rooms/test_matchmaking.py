from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.server.rooms.harness import RoomHarness, Tab, open_harness, with_harness
from tests.service.parts import FakeClock
from tests.service.platforms import BEN

from ludus.service.ports.writes import Append, PutRating, TakeEntry, Write
from ludus.service.ratings import fresh

every_moment = pytest.mark.parametrize("moment", ["before", "after"])


def at_pairing(harness: RoomHarness, moment: str, act: Callable[[], Awaitable[Any]]) -> list[asyncio.Task[Any]]:
    """Runs something just before or just after the next pair is stored."""
    real, begun = harness.platform.store.commit, list[asyncio.Task[Any]]()

    async def begin() -> None:
        begun.append(asyncio.ensure_future(act()))
        await asyncio.sleep(0.02)  # lets it get as far as it can

    async def commit(*writes: Write) -> None:
        is_pair = {TakeEntry, Append} <= {type(write) for write in writes} and not begun
        if is_pair and moment == "before":
            await begin()
        await real(*writes)
        if is_pair and moment == "after":
            await begin()

    harness.platform.store.commit = commit  # type: ignore[method-assign]  # something else happens meanwhile
    return begun


async def tables_of(harness: RoomHarness, id: str) -> list[str]:
    rows = await harness.platform.store.live_tables()
    return [row.id for row in rows if id in {player["id"] for player in row.players}]


async def left_there(harness: RoomHarness, id: str, table: str) -> bool:
    """Whether the platform counts the player as away."""
    live = (await harness.platform.tables.load(table)).table
    return live.away[[seat.id for seat in live.seats].index(id)] is not None


@with_harness
async def test_a_waiting_player_gets_the_position_in_the_queue(harness: RoomHarness) -> None:
    tab = await harness.connect((await harness.session("ann")).token)
    answer = await tab.emit("matchmaking:join", {"username": "Ann"})
    assert answer == {"ok": True, "playerId": "ann", "position": 1}
    assert tab.received == [("matchmaking:waiting", {"playerId": "ann", "position": 1})]
    assert harness.gateway.waiting == 1


@with_harness
async def test_two_players_are_seated_and_each_gets_their_own_copy(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    assert (one.last("game:started")["color"], two.last("game:started")["color"]) == ("red", "black")
    assert {one.id, two.id} == {"ann", "ben"}
    assert one.room == two.room
    assert harness.gateway.waiting == 0


@with_harness
async def test_asking_again_keeps_the_place(harness: RoomHarness) -> None:
    ann = await harness.enter("ann")
    assert (await ann.emit("matchmaking:join", {}))["position"] == 1
    ben = await harness.enter("ben")
    assert ann.names.count("game:started") == 1
    assert ann.room == ben.room


@with_harness
async def test_all_tabs_of_a_player_join_the_table(harness: RoomHarness) -> None:
    token = (await harness.session("ann")).token
    tabs = [await harness.connect(token) for _ in range(3)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    await tabs[0].drop()
    ben = await harness.enter("ben")
    assert {tab.room for tab in tabs[1:]} == {ben.room}
    await tabs[1].drop()
    assert not await harness.away(tabs[2])
    await tabs[2].drop()
    assert await harness.away(tabs[2])


@with_harness
async def test_a_player_who_left_the_queue_or_disconnected_is_not_paired(harness: RoomHarness) -> None:
    ann, cid = await harness.enter("ann"), await harness.enter("cid", mode="test")
    assert await ann.emit("matchmaking:leave", {"playerId": "ann"}) == {"ok": True}
    assert ann.received[-1] == ("matchmaking:left", {})
    await cid.drop()
    await harness.enter("ben")
    await harness.enter("dan", mode="test")
    assert not await harness.platform.store.live_tables()
    assert harness.gateway.waiting == 2


@with_harness
async def test_it_is_too_late_to_leave_when_the_game_has_started(harness: RoomHarness) -> None:
    one, _ = await harness.pair()
    assert await one.emit("matchmaking:leave", {}) == {"ok": True, "roomId": one.room}
    assert one.received[-1] == ("matchmaking:already_started", {"roomId": one.room})


@every_moment
@with_harness
async def test_leaving_during_pairing_is_in_time_or_too_late_but_not_both(harness: RoomHarness, moment: str) -> None:
    ann = await harness.enter("ann")
    begun = at_pairing(harness, moment, lambda: ann.emit("matchmaking:leave", {}))
    ben = await harness.enter("ben")
    await asyncio.gather(*begun)
    found = await tables_of(harness, "ann")
    if "matchmaking:left" in ann.names:
        assert not found
        assert "game:started" not in ann.names
        assert ben.last("matchmaking:waiting") == {"playerId": "ben", "position": 1}
    else:
        assert [ann.room, ben.room] == found * 2
        assert ann.last("matchmaking:already_started") == {"roomId": ann.room}


@every_moment
@with_harness
async def test_a_player_lost_during_pairing_is_away_at_the_table(harness: RoomHarness, moment: str) -> None:
    ann = await harness.enter("ann")
    begun = at_pairing(harness, moment, ann.drop)
    ben = await harness.enter("ben")
    await asyncio.gather(*begun)
    for table in await tables_of(harness, "ann"):
        assert await left_there(harness, "ann", table)
        assert ben.room == table
    assert not await harness.platform.store.entry_of("checkers", "acme/live", "acme/live/ann")


@every_moment
@with_harness
async def test_a_player_lost_while_joining_is_away_at_the_table(harness: RoomHarness, moment: str) -> None:
    ann = await harness.enter("ann")
    ben = await harness.connect((await harness.session("ben")).token)
    begun = at_pairing(harness, moment, ben.drop)
    await ben.emit("matchmaking:join", {})
    await asyncio.gather(*begun)
    for table in await tables_of(harness, "ben"):
        assert await left_there(harness, "ben", table)
        assert not await left_there(harness, "ann", table)
        assert ann.last("player:disconnected")["playerId"] == "ben"
    assert not await harness.platform.store.entry_of("checkers", "acme/live", "acme/live/ben")


@with_harness
async def test_a_player_lost_while_entering_the_queue_does_not_stay_in_it(harness: RoomHarness) -> None:
    ann = await harness.connect((await harness.session("ann")).token)
    real, begun = harness.platform.store.commit, list[asyncio.Task[None]]()

    async def commit(*writes: Write) -> None:
        begun.append(asyncio.create_task(ann.drop()))
        await asyncio.sleep(0.02)
        await real(*writes)

    harness.platform.store.commit = commit  # type: ignore[method-assign]  # something else happens meanwhile
    await ann.emit("matchmaking:join", {})
    await asyncio.gather(*begun)
    assert not await harness.platform.store.pools()
    assert harness.gateway.waiting == 0


@every_moment
@with_harness
async def test_a_player_who_asks_for_a_bot_during_pairing_plays_one_game(harness: RoomHarness, moment: str) -> None:
    gus, gil = await harness.connect(), await harness.connect()
    await gus.emit("matchmaking:join", {"username": "Gus"})
    begun = at_pairing(harness, moment, lambda: gus.emit("matchmaking:join", {"wantsBot": True}))
    await gil.emit("matchmaking:join", {"username": "Gil"})
    await asyncio.gather(*begun)
    assert await tables_of(harness, gus.id) == [gus.room]
    assert gus.names.count("game:started") == 1


@with_harness
async def test_friends_meet_in_their_room_whatever_their_ratings(harness: RoomHarness) -> None:
    strong = fresh("acme/live/ann", "checkers", 0)._replace(rating=2600.0, games=1)
    await harness.platform.store.commit(PutRating(strong))
    room = await harness.session("ann", match_type="private")
    friend = await harness.platform.sessions.join("acme", "checkers", str(room.session.room_code), BEN)
    tabs = [await harness.connect(ticket.token) for ticket in (room, friend)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    assert tabs[0].room == tabs[1].room
    assert not harness.platform.lobby._locks  # a room is used once, so nothing may be kept


@with_harness
async def test_strangers_of_very_different_ratings_are_not_paired(harness: RoomHarness) -> None:
    strong = fresh("acme/live/ann", "checkers", 0)._replace(rating=2600.0, games=1)
    await harness.platform.store.commit(PutRating(strong))
    await harness.enter("ann")
    assert (await harness.enter("ben")).names == ["matchmaking:waiting"]


@with_harness
async def test_a_bot_session_starts_at_once_and_a_matchmaking_one_on_request(harness: RoomHarness) -> None:
    ann = await harness.enter("ann", match_type="bot")
    assert [player["isBot"] for player in ann.last("game:started")["players"]] == [False, True]
    ben = await harness.connect((await harness.session("ben")).token)
    await ben.emit("matchmaking:join", {})
    await ben.emit("matchmaking:join", {"wantsBot": True, "botDifficulty": "hard"})
    assert ben.last("game:started")["players"][1]["id"] == "bot-hard"
    assert not await harness.platform.store.pools()


@pytest.mark.parametrize(("named", "asked", "bot"), [
    ("", {"wantsBot": True, "botDifficulty": "easy"}, "bot-easy"),
    ("", {"botDifficulty": "hard"}, "bot-hard"),
    ("", {}, "bot-medium"),
    ("hard", {"wantsBot": True, "botDifficulty": "easy"}, "bot-hard"),
])  # fmt: skip
@with_harness
async def test_a_level_in_the_join_beats_a_default_that_the_tenant_did_not_name(
    harness: RoomHarness, named: str, asked: dict[str, Any], bot: str
) -> None:
    ann = await harness.connect((await harness.session("ann", match_type="bot", bot_level=named)).token)
    await ann.emit("matchmaking:join", {"username": "Ann", **asked})
    assert ann.last("game:started")["players"][1]["id"] == bot


@pytest.mark.parametrize(("is_optional", "asked", "has_limit"), [
    (True, {"afkTimeoutEnabled": False}, False),
    (True, {"afkTimeoutEnabled": True}, True),
    (True, {}, True),
    (False, {"afkTimeoutEnabled": False}, True),
])  # fmt: skip
@with_harness
async def test_the_idle_limit_can_be_turned_off_in_the_join_unless_the_tenant_named_it(
    harness: RoomHarness, is_optional: bool, asked: dict[str, bool], has_limit: bool
) -> None:
    ticket = await harness.session("ann", match_type="bot", is_afk_limit_optional=is_optional)
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {"username": "Ann", **asked})
    started = ann.last("game:started")
    assert (started["afkTimeoutEnabled"], started["afkTimeoutSeconds"] is not None) == (has_limit, has_limit)


@with_harness
async def test_without_auto_pass_a_player_who_cannot_move_passes_with_an_empty_move(harness: RoomHarness) -> None:
    ann = await harness.enter("ann", game="backgammon", has_auto_pass=False)
    ben = await harness.enter("ben", game="backgammon")
    seats = {seat.id: seat.has_auto_pass for seat in (await harness.table(ann)).seats}
    assert seats == {"ann": False, "ben": True}
    tabs, asked = {"ann": ann, "ben": ben}, 0
    while not ann.all("game:over"):
        table = await harness.table(ann)
        assert table.mover is not None
        tab = tabs[table.seats[table.mover].id]
        moves = (await tab.act("game:get_moves"))["moves"]
        asked += not moves
        assert moves or tab is ann, "the other never has to pass"
        assert (await tab.act("game:move", move={"moves": moves[-1] if moves else []}))["ok"]
    passed = [made["playerId"] for made in ann.all("game:move:made") if made["passed"]]
    assert passed.count("ann") == asked


@with_harness
async def test_guests_have_fresh_ids_and_private_tokens(harness: RoomHarness) -> None:
    one, two = await harness.guests()
    assert one.room == two.room
    assert one.id != two.id
    tokens = {tab.last("game:started")["reconnectToken"] for tab in (one, two)}
    assert len(tokens) == 2
    third = await harness.connect()
    await third.emit("matchmaking:join", {"username": "Gil", "playerId": one.id})
    assert third.last("matchmaking:waiting")["playerId"] != one.id


@with_harness
async def test_guests_are_not_rated(harness: RoomHarness) -> None:
    one, _ = await harness.guests()
    seats = (await harness.table(one)).seats
    await one.act("game:resign")
    assert [await harness.platform.store.rating(seat.key, "checkers") for seat in seats] == [None, None]


@with_harness
async def test_a_guest_whose_game_is_over_may_play_another_on_the_same_connection(harness: RoomHarness) -> None:
    one, two = await harness.guests()
    before = one.room, one.id
    assert (await one.emit("matchmaking:join", {}))["roomId"] == before[0]  # still in progress
    await two.act("game:resign")
    assert (await one.emit("matchmaking:join", {"username": "Gus"}))["position"] == 1
    three = await harness.connect()
    await three.emit("matchmaking:join", {})
    assert one.room == three.room != before[0]
    assert one.id != before[1]


def test_guests_can_be_disabled(tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_harness(tmp_path, FakeClock(), has_guests=False) as harness:
            tab = await harness.connect()
            refusal = (await tab.emit("matchmaking:join", {}))["error"]
            assert refusal["code"] == "unauthorized"
            assert refusal["message"] == "this server does not accept guests; connect with a session's token"
            assert "ann" in [(await harness.pair())[number].id for number in (0, 1)]

    asyncio.run(tell())


@pytest.mark.parametrize("payload", [{"playerId": "ben"}, {"sessionId": "another"}])
@with_harness
async def test_players_cannot_join_for_others(harness: RoomHarness, payload: dict[str, str]) -> None:
    tab = await harness.connect((await harness.session("ann")).token)
    assert (await tab.emit("matchmaking:join", payload))["error"]["code"] == "forbidden"
    assert not await harness.platform.store.pools()


@with_harness
async def test_players_cannot_leave_for_others(harness: RoomHarness) -> None:
    ann = await harness.enter("ann")
    ben: Tab = await harness.enter("ben", mode="test")
    assert (await ben.emit("matchmaking:leave", {"playerId": "ann"}))["error"]["code"] == "forbidden"
    assert harness.gateway.waiting == 2
    assert ann.names == ["matchmaking:waiting"]


@with_harness
async def test_a_player_with_a_game_resumes_it(harness: RoomHarness) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tabs = [await harness.connect(ticket.token) for _ in range(2)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    assert tabs[1].names == ["game:reconnected"]
    assert tabs[1].last("game:reconnected")["roomId"] == tabs[0].room


@with_harness
async def test_a_session_that_expired_while_connected_cannot_join(harness: RoomHarness) -> None:
    ticket = await harness.session("ann")
    tab = await harness.connect(ticket.token)
    await harness.platform.sessions.expire(ticket.session)
    assert (await tab.emit("matchmaking:join", {}))["error"]["code"] == "expired"


@with_harness
async def test_no_one_can_join_the_queue_while_the_server_stops(harness: RoomHarness) -> None:
    tab, guest = await harness.connect((await harness.session("ann")).token), await harness.connect()
    harness.platform.lobby.is_stopping = True
    for payload in ({"username": "Ann"}, {"username": "Ann", "wantsBot": True}):
        assert (await tab.emit("matchmaking:join", payload))["error"]["code"] == "stopping"
        assert (await guest.emit("matchmaking:join", payload))["error"]["code"] == "stopping"
    assert {name for name, _ in tab.received + guest.received} == {"game:error"}
    assert not await harness.platform.store.pools()
    assert not await harness.platform.store.live_tables()


@with_harness
async def test_no_rematch_starts_while_the_server_stops(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    await one.act("game:resign")
    assert (await two.act("game:rematch"))["ok"]
    harness.platform.lobby.is_stopping = True
    answer = await one.act("game:rematch")
    assert (answer["ok"], answer["error"]["code"]) == (False, "stopping")
    assert one.names.count("game:started") == two.names.count("game:started") == 1
    assert not await harness.platform.store.live_tables()


@with_harness
async def test_the_newer_of_two_sessions_of_a_player_counts(harness: RoomHarness) -> None:
    old, new = await harness.enter("ann"), await harness.enter("ann")
    ben = await harness.enter("ben")
    assert new.room == ben.room
    assert "game:started" not in old.names
    assert old.all("matchmaking:left") == [{}]
    sessions = {seat.session for seat in (await harness.table(ben)).seats}
    assert new.last("game:started")["sessionId"] in sessions


@with_harness
async def test_two_tabs_that_ask_for_the_bot_at_once_play_one_game(harness: RoomHarness) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tabs = [await harness.connect(ticket.token) for _ in range(2)]
    answers = await asyncio.gather(*(tab.emit("matchmaking:join", {"username": "Ann"}) for tab in tabs))
    assert [answer["ok"] for answer in answers] == [True, True]
    assert answers[0]["roomId"] == answers[1]["roomId"]
