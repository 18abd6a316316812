from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from tests.server.rooms.harness import Stage, Tab, open_stage, staged
from tests.service.parts import FakeClock
from tests.service.platforms import BEN

from ludus.service.ports import Append, PutRating, TakeEntry, Write
from ludus.service.ratings import fresh

every_moment = pytest.mark.parametrize("moment", ["before", "after"])


def at_pairing(stage: Stage, moment: str, act: Callable[[], Awaitable[Any]]) -> list[asyncio.Task[Any]]:
    """Lets something happen just before, or just after, the next pair is stored."""
    real, begun = stage.platform.store.commit, list[asyncio.Task[Any]]()

    async def begin() -> None:
        begun.append(asyncio.ensure_future(act()))
        await asyncio.sleep(0.02)  # so that it gets as far as it can

    async def commit(*writes: Write) -> None:
        is_pair = {TakeEntry, Append} <= {type(write) for write in writes} and not begun
        if is_pair and moment == "before":
            await begin()
        await real(*writes)
        if is_pair and moment == "after":
            await begin()

    stage.platform.store.commit = commit  # type: ignore[method-assign]
    return begun


async def tables_of(stage: Stage, id: str) -> list[str]:
    rows = await stage.platform.store.live_tables()
    return [row.id for row in rows if id in {player["id"] for player in row.players}]


async def left_there(stage: Stage, id: str, table: str) -> bool:
    """Whether the platform knows that the player is not there."""
    live = (await stage.platform.tables.load(table)).table
    return live.away[[seat.id for seat in live.seats].index(id)] is not None


@staged
async def test_whoever_waits_is_told_the_place_in_line(stage: Stage) -> None:
    tab = await stage.connect((await stage.session("ann")).token)
    answer = await tab.emit("matchmaking:join", {"username": "Ann"})
    assert answer == {"ok": True, "playerId": "ann", "position": 1}
    assert tab.heard == [("matchmaking:waiting", {"playerId": "ann", "position": 1})]
    assert stage.rooms.waiting == 1


@staged
async def test_two_players_are_seated_and_each_is_told_who_they_are(stage: Stage) -> None:
    one, two = await stage.pair()
    assert (one.last("game:started")["color"], two.last("game:started")["color"]) == ("red", "black")
    assert {one.id, two.id} == {"ann", "ben"}
    assert one.room == two.room
    assert stage.rooms.waiting == 0


@staged
async def test_asking_again_keeps_the_place(stage: Stage) -> None:
    ann = await stage.enter("ann")
    assert (await ann.emit("matchmaking:join", {}))["position"] == 1
    ben = await stage.enter("ben")
    assert ann.names.count("game:started") == 1
    assert ann.room == ben.room


@staged
async def test_all_tabs_of_a_player_come_to_the_table(stage: Stage) -> None:
    token = (await stage.session("ann")).token
    tabs = [await stage.connect(token) for _ in range(3)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    await tabs[0].drop()
    ben = await stage.enter("ben")
    assert {tab.room for tab in tabs[1:]} == {ben.room}
    await tabs[1].drop()
    assert not await stage.away(tabs[2])
    await tabs[2].drop()
    assert await stage.away(tabs[2])


@staged
async def test_whoever_leaves_the_line_or_is_gone_is_not_paired(stage: Stage) -> None:
    ann, cid = await stage.enter("ann"), await stage.enter("cid", mode="test")
    assert await ann.emit("matchmaking:leave", {"playerId": "ann"}) == {"ok": True}
    assert ann.heard[-1] == ("matchmaking:left", {})
    await cid.drop()
    await stage.enter("ben")
    await stage.enter("dan", mode="test")
    assert not await stage.platform.store.live_tables()
    assert stage.rooms.waiting == 2


@staged
async def test_leaving_comes_too_late_when_the_game_has_begun(stage: Stage) -> None:
    one, _ = await stage.pair()
    assert await one.emit("matchmaking:leave", {}) == {"ok": True, "roomId": one.room}
    assert one.heard[-1] == ("matchmaking:already_started", {"roomId": one.room})


@every_moment
@staged
async def test_leaving_while_a_pair_is_made_is_in_time_or_too_late_but_not_both(stage: Stage, moment: str) -> None:
    ann = await stage.enter("ann")
    begun = at_pairing(stage, moment, lambda: ann.emit("matchmaking:leave", {}))
    ben = await stage.enter("ben")
    await asyncio.gather(*begun)
    found = await tables_of(stage, "ann")
    if "matchmaking:left" in ann.names:
        assert not found
        assert "game:started" not in ann.names
        assert ben.last("matchmaking:waiting") == {"playerId": "ben", "position": 1}
    else:
        assert [ann.room, ben.room] == found * 2
        assert ann.last("matchmaking:already_started") == {"roomId": ann.room}


@every_moment
@staged
async def test_whoever_is_lost_while_a_pair_is_made_is_missed_at_the_table(stage: Stage, moment: str) -> None:
    ann = await stage.enter("ann")
    begun = at_pairing(stage, moment, ann.drop)
    ben = await stage.enter("ben")
    await asyncio.gather(*begun)
    for table in await tables_of(stage, "ann"):
        assert await left_there(stage, "ann", table)
        assert ben.room == table
    assert not await stage.platform.store.entry_of("checkers", "acme/live", "acme/live/ann")


@every_moment
@staged
async def test_whoever_is_lost_while_joining_is_missed_at_the_table(stage: Stage, moment: str) -> None:
    ann = await stage.enter("ann")
    ben = await stage.connect((await stage.session("ben")).token)
    begun = at_pairing(stage, moment, ben.drop)
    await ben.emit("matchmaking:join", {})
    await asyncio.gather(*begun)
    for table in await tables_of(stage, "ben"):
        assert await left_there(stage, "ben", table)
        assert not await left_there(stage, "ann", table)
        assert ann.last("player:disconnected")["playerId"] == "ben"
    assert not await stage.platform.store.entry_of("checkers", "acme/live", "acme/live/ben")


@staged
async def test_whoever_is_lost_on_the_way_into_the_line_does_not_stay_in_it(stage: Stage) -> None:
    ann = await stage.connect((await stage.session("ann")).token)
    real, begun = stage.platform.store.commit, list[asyncio.Task[None]]()

    async def commit(*writes: Write) -> None:
        begun.append(asyncio.create_task(ann.drop()))
        await asyncio.sleep(0.02)
        await real(*writes)

    stage.platform.store.commit = commit  # type: ignore[method-assign]
    await ann.emit("matchmaking:join", {})
    await asyncio.gather(*begun)
    assert not await stage.platform.store.pools()
    assert stage.rooms.waiting == 0


@every_moment
@staged
async def test_who_asks_for_a_bot_while_a_pair_is_made_plays_one_game(stage: Stage, moment: str) -> None:
    gus, gil = await stage.connect(), await stage.connect()
    await gus.emit("matchmaking:join", {"username": "Gus"})
    begun = at_pairing(stage, moment, lambda: gus.emit("matchmaking:join", {"wantsBot": True}))
    await gil.emit("matchmaking:join", {"username": "Gil"})
    await asyncio.gather(*begun)
    assert await tables_of(stage, gus.id) == [gus.room]
    assert gus.names.count("game:started") == 1


@staged
async def test_friends_meet_in_their_room_however_strong_they_are(stage: Stage) -> None:
    strong = fresh("acme/live/ann", "checkers", 0)._replace(rating=2600.0, games=1)
    await stage.platform.store.commit(PutRating(strong))
    room = await stage.session("ann", match_type="private")
    friend = await stage.platform.sessions.join("acme", "checkers", str(room.session.room_code), BEN)
    tabs = [await stage.connect(ticket.token) for ticket in (room, friend)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    assert tabs[0].room == tabs[1].room
    assert not stage.platform.lobby._locks  # a room is used once, so nothing of it may stay


@staged
async def test_strangers_of_different_strength_wait_for_better_ones(stage: Stage) -> None:
    strong = fresh("acme/live/ann", "checkers", 0)._replace(rating=2600.0, games=1)
    await stage.platform.store.commit(PutRating(strong))
    await stage.enter("ann")
    assert (await stage.enter("ben")).names == ["matchmaking:waiting"]


@staged
async def test_a_bot_session_begins_at_once_and_a_matchmaking_one_on_request(stage: Stage) -> None:
    ann = await stage.enter("ann", match_type="bot")
    assert [player["isBot"] for player in ann.last("game:started")["players"]] == [False, True]
    ben = await stage.connect((await stage.session("ben")).token)
    await ben.emit("matchmaking:join", {})
    await ben.emit("matchmaking:join", {"wantsBot": True, "botDifficulty": "hard"})
    assert ben.last("game:started")["players"][1]["id"] == "bot-hard"
    assert not await stage.platform.store.pools()


@staged
async def test_guests_have_fresh_ids_and_private_tokens(stage: Stage) -> None:
    one, two = await stage.guests()
    assert one.room == two.room
    assert one.id != two.id
    tokens = {tab.last("game:started")["reconnectToken"] for tab in (one, two)}
    assert len(tokens) == 2
    third = await stage.connect()
    await third.emit("matchmaking:join", {"username": "Gil", "playerId": one.id})
    assert third.last("matchmaking:waiting")["playerId"] != one.id


@staged
async def test_guests_are_not_rated(stage: Stage) -> None:
    one, _ = await stage.guests()
    seats = (await stage.table(one)).seats
    await one.act("game:resign")
    assert [await stage.platform.store.rating(seat.key, "checkers") for seat in seats] == [None, None]


@staged
async def test_a_guest_whose_game_is_over_may_play_another_on_the_same_connection(stage: Stage) -> None:
    one, two = await stage.guests()
    before = one.room, one.id
    assert (await one.emit("matchmaking:join", {}))["roomId"] == before[0]  # it is still going on
    await two.act("game:resign")
    assert (await one.emit("matchmaking:join", {"username": "Gus"}))["position"] == 1
    three = await stage.connect()
    await three.emit("matchmaking:join", {})
    assert one.room == three.room != before[0]
    assert one.id != before[1]


def test_guests_can_be_kept_out(tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_stage(tmp_path, FakeClock(), has_guests=False) as stage:
            tab = await stage.connect()
            assert (await tab.emit("matchmaking:join", {}))["error"]["code"] == "unauthorized"
            assert "ann" in [(await stage.pair())[number].id for number in (0, 1)]

    asyncio.run(tell())


@pytest.mark.parametrize("payload", [{"playerId": "ben"}, {"sessionId": "another"}])
@staged
async def test_nobody_joins_for_somebody_else(stage: Stage, payload: dict[str, str]) -> None:
    tab = await stage.connect((await stage.session("ann")).token)
    assert (await tab.emit("matchmaking:join", payload))["error"]["code"] == "forbidden"
    assert not await stage.platform.store.pools()


@staged
async def test_nobody_leaves_for_somebody_else(stage: Stage) -> None:
    ann = await stage.enter("ann")
    ben: Tab = await stage.enter("ben", mode="test")
    assert (await ben.emit("matchmaking:leave", {"playerId": "ann"}))["error"]["code"] == "forbidden"
    assert stage.rooms.waiting == 2
    assert ann.names == ["matchmaking:waiting"]


@staged
async def test_whoever_has_a_game_already_is_taken_back_to_it(stage: Stage) -> None:
    ticket = await stage.session("ann", match_type="bot")
    tabs = [await stage.connect(ticket.token) for _ in range(2)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    assert tabs[1].names == ["game:reconnected"]
    assert tabs[1].last("game:reconnected")["roomId"] == tabs[0].room


@staged
async def test_a_session_that_expired_while_connected_cannot_join(stage: Stage) -> None:
    ticket = await stage.session("ann")
    tab = await stage.connect(ticket.token)
    await stage.platform.sessions.expire(ticket.session)
    assert (await tab.emit("matchmaking:join", {}))["error"]["code"] == "expired"


@staged
async def test_while_the_house_stops_nobody_gets_in_line(stage: Stage) -> None:
    tab, guest = await stage.connect((await stage.session("ann")).token), await stage.connect()
    stage.platform.lobby.is_stopping = True
    for payload in ({"username": "Ann"}, {"username": "Ann", "wantsBot": True}):
        assert (await tab.emit("matchmaking:join", payload))["error"]["code"] == "stopping"
        assert (await guest.emit("matchmaking:join", payload))["error"]["code"] == "stopping"
    assert {name for name, _ in tab.heard + guest.heard} == {"game:error"}
    assert not await stage.platform.store.pools()
    assert not await stage.platform.store.live_tables()


@staged
async def test_while_the_house_stops_no_rematch_begins(stage: Stage) -> None:
    one, two = await stage.pair()
    await one.act("game:resign")
    assert (await two.act("game:rematch"))["ok"]
    stage.platform.lobby.is_stopping = True
    answer = await one.act("game:rematch")
    assert (answer["ok"], answer["error"]["code"]) == (False, "stopping")
    assert one.names.count("game:started") == two.names.count("game:started") == 1
    assert not await stage.platform.store.live_tables()


@staged
async def test_the_newer_of_two_tickets_of_one_player_holds(stage: Stage) -> None:
    old, new = await stage.enter("ann"), await stage.enter("ann")
    ben = await stage.enter("ben")
    assert new.room == ben.room
    assert "game:started" not in old.names
    assert old.all("matchmaking:left") == [{}]
    sessions = {seat.session for seat in (await stage.table(ben)).seats}
    assert new.last("game:started")["sessionId"] in sessions


@staged
async def test_two_tabs_that_ask_for_the_bot_at_once_play_one_game(stage: Stage) -> None:
    ticket = await stage.session("ann", match_type="bot")
    tabs = [await stage.connect(ticket.token) for _ in range(2)]
    answers = await asyncio.gather(*(tab.emit("matchmaking:join", {"username": "Ann"}) for tab in tabs))
    assert [answer["ok"] for answer in answers] == [True, True]
    assert answers[0]["roomId"] == answers[1]["roomId"]
