"""Seats, even when connections come and go at the worst moment."""

from __future__ import annotations

import asyncio

import pytest
from tests.room_schemas import as_strangers_see
from tests.server.rooms.harness import RoomHarness, Tab, with_harness
from tests.service.parts import FakeClock
from tests.service.platforms import advance, play, until

from ludus.service.tokens import GuestClaims

PRIVATE = {"playerId", "color", "sessionId", "reconnectToken", "theme"}
"""The private fields of a player."""
MOVE = {"from": 40, "to": 33, "captures": []}


async def meanwhile(harness: RoomHarness, lost: Tab) -> None:
    """Loses a connection while a message waits to be sent."""
    harness.before = None
    harness.drops.append(asyncio.create_task(lost.drop()))
    await asyncio.sleep(0.01)  # lets it get as far as it can


@with_harness
async def test_a_lost_player_is_away_until_they_return(harness: RoomHarness) -> None:
    ticket = await harness.session("ann")
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await harness.enter("ben")
    await ann.drop()
    gone = ben.last("player:disconnected")
    assert (gone["playerId"], gone["secondsRemaining"]) == ("ann", 60)
    back = await harness.connect(ticket.token)
    answer = await back.emit("game:reconnect", {"playerId": "ann"})
    assert answer == {"ok": True, "roomId": ben.room, "version": 3}
    assert back.names == ["game:reconnected"]
    assert ben.names[-3:] == ["player:disconnected", "player:reconnected", "game:reconnected"]
    ours, theirs = back.last("game:reconnected"), ben.last("game:reconnected")
    assert (ours["playerId"], theirs["playerId"]) == ("ann", "ben")
    assert ours["board"] == theirs["board"] == ben.last("game:started")["board"]


@with_harness
async def test_a_guest_returns_with_the_private_token(harness: RoomHarness) -> None:
    one, two = await harness.guests()
    await one.drop()
    back = await harness.connect(one.last("game:started")["reconnectToken"])
    assert (await back.emit("game:reconnect", {"playerId": one.id}))["roomId"] == two.room
    assert back.last("game:reconnected")["playerId"] == one.id
    assert not await harness.away(one)


@with_harness
async def test_a_guest_with_anothers_token_cannot_act_under_their_own_id(harness: RoomHarness) -> None:
    one, two = await harness.guests()
    thief = await harness.connect(one.last("game:started")["reconnectToken"])
    assert (await thief.emit("game:reconnect", {"playerId": two.id}))["error"]["code"] == "forbidden"
    await thief.emit("game:reconnect", {})
    assert (await thief.emit("game:resign", {"roomId": one.room, "playerId": two.id}))["error"]["code"] == "forbidden"
    assert (await harness.table(one)).outcome is None


@with_harness
async def test_a_guests_token_is_valid_for_its_own_seat_only(harness: RoomHarness) -> None:
    one, _ = await harness.guests()
    three, _ = await harness.guests()
    seats = (await harness.table(three)).seats
    for claims in (GuestClaims(one.room, seats[0].key), GuestClaims("nowhere", seats[0].key)):
        tab = await harness.connect(harness.platform.tokens.write_guest(claims))
        assert not tab.is_open
    other = await harness.connect(one.last("game:started")["reconnectToken"], "backgammon")
    assert other.refusal["data"]["code"] == "unauthorized"


@pytest.mark.parametrize("is_in_query", [False, True], ids=["auth", "query"])
@with_harness
async def test_a_reconnect_with_the_players_id_works_for_the_token_of_the_connection(
    harness: RoomHarness, is_in_query: bool
) -> None:
    """As published clients do it: the same token as before in the connection, and `{playerId}` in the event."""
    ticket = await harness.session("ann", match_type="bot")
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {"username": "Ann", "playerId": "ann", "sessionId": ticket.session.id})
    await tab.drop()
    where = {"QUERY_STRING": f"EIO=4&token={ticket.token}"} if is_in_query else {}
    back = await harness.connect(None if is_in_query else ticket.token, **where)
    assert (await back.emit("game:reconnect", {"playerId": "ann"}))["roomId"] == tab.room
    state = back.last("game:reconnected")
    assert (state["playerId"], state["color"]) == ("ann", "red")
    assert (await back.emit("game:reconnect", {"playerId": "ann"}))["ok"], "once more on the same connection"
    other = await back.emit("game:reconnect", {"playerId": "bot-easy"})
    assert other["error"]["code"] == "forbidden"


@with_harness
async def test_an_id_alone_grants_nothing(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    await two.drop()
    eve = await harness.connect()
    assert (await eve.emit("game:reconnect", {"playerId": two.id}))["error"]["code"] == "not_found"
    assert (await eve.emit("game:resign", {"roomId": one.room, "playerId": one.id}))["error"]["code"] == "forbidden"
    assert "player:reconnected" not in one.names


@with_harness
async def test_a_player_who_returns_after_the_end_gets_the_result(harness: RoomHarness) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.act("game:resign")
    await tab.drop()
    back = await harness.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert back.names == ["game:reconnected", "game:over"]
    assert back.last("game:over") == tab.last("game:over")


@with_harness
async def test_an_expired_token_leads_back_to_a_game_in_progress(harness: RoomHarness, clock: FakeClock) -> None:
    ticket = await harness.session("ann", match_type="bot", has_afk_limit=False)
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.drop()
    clock.wait(3600)
    back = await harness.connect(ticket.token)
    assert (await back.emit("game:reconnect", {}))["ok"]


@with_harness
async def test_a_rematch_takes_both_to_a_new_room_with_colours_swapped(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    room = one.room
    await one.act("game:resign")
    await one.act("game:rematch")
    assert two.last("game:rematch:offered")["playerId"] == one.id
    await two.act("game:rematch")
    agreed = one.last("game:rematch:agreed")
    assert one.room == two.room == agreed["nextRoomId"] != room
    assert (one.last("game:started")["color"], two.last("game:started")["color"]) == ("black", "red")
    assert one.names.count("game:started") == two.names.count("game:started") == 2
    assert (await two.act("game:move", move=MOVE))["ok"]
    assert one.last("game:move:made")["roomId"] == one.room
    assert not await harness.away(one)


@with_harness
async def test_a_player_who_asked_for_a_rematch_and_left_is_away_there(harness: RoomHarness) -> None:
    one, two = await harness.pair(has_afk_limit=False)
    await one.act("game:resign")
    await one.act("game:rematch")
    await one.drop()
    await two.act("game:rematch")
    table = await harness.table(two)
    assert [since is None for since in table.away] == [seat.id == two.id for seat in table.seats]
    assert two.last("player:disconnected")["playerId"] == one.id


@with_harness
async def test_after_the_end_the_remaining_player_is_notified_that_the_other_left(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    eve = await harness.connect((await harness.session("eve")).token)
    await eve.emit("game:spectate", {"roomId": one.room})
    await one.act("game:resign")
    version = (await harness.table(one)).version
    await one.drop()
    gone = two.last("player:disconnected")
    assert (gone["playerId"], gone["secondsRemaining"], gone["roomId"]) == (one.id, 0, two.room)
    assert "version" not in gone, "nothing has happened at the table"
    assert (await harness.table(two)).version == version
    assert "player:disconnected" not in eve.names
    assert two.names[-2:] == ["game:over", "player:disconnected"]


@pytest.mark.parametrize(("event", "has_seen"), [("reconnect", True), ("reconnect", False), ("spectate", False)])
@with_harness
async def test_a_client_lost_while_joining_after_the_end_leaves_no_room_behind(
    harness: RoomHarness, event: str, has_seen: bool
) -> None:
    ticket = await harness.session("ann")
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await harness.enter("ben")
    await ann.act("game:resign")
    seen = {"version": ann.last("game:over")["version"]} if has_seen else {}
    await ann.drop()
    await ben.drop()
    lost = await harness.connect(ticket.token if event == "reconnect" else (await harness.session("eve")).token)

    async def before(_tab: Tab, name: str) -> None:
        if name in ("game:reconnected", "game:spectate:joined"):
            await meanwhile(harness, lost)

    harness.before = before
    await lost.emit(f"game:{event}", {"roomId": ann.room, **seen})
    await asyncio.gather(*harness.drops)
    await harness.settle()
    assert not harness.gateway._seats._rooms


@with_harness
async def test_a_player_who_returns_after_the_end_is_announced_and_learns_who_is_there(harness: RoomHarness) -> None:
    ticket = await harness.session("ann")
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await harness.enter("ben")
    await ben.act("game:resign")
    await ann.drop()
    back = await harness.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert ben.last("player:reconnected") == {"playerId": "ann", "roomId": ben.room}
    assert back.names == ["game:reconnected", "game:over"], "ben is there"
    received = len(ben.received)
    other_tab = await harness.connect(ticket.token)
    await other_tab.emit("game:reconnect", {})
    await other_tab.drop()
    assert len(ben.received) == received, "she was there all the time"
    await back.drop()
    await ben.drop()
    late = await harness.connect(ticket.token)
    await late.emit("game:reconnect", {})
    assert late.names == ["game:reconnected", "game:over", "player:disconnected"]
    assert late.last("player:disconnected")["playerId"] == "ben"


@pytest.mark.parametrize("is_there_at_the_end", [True, False])
@with_harness
async def test_after_the_end_too_leaving_and_returning_again_and_again_is_told_seldom(
    harness: RoomHarness, monkeypatch: pytest.MonkeyPatch, is_there_at_the_end: bool
) -> None:
    end_of_quiet = asyncio.Event()

    async def sleep(_seconds: float) -> None:
        await end_of_quiet.wait()

    monkeypatch.setattr("ludus.server.rooms.room.sleep", sleep)
    ticket = await harness.session("ann")
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await harness.enter("ben")
    await ben.act("game:resign")
    told = len(ben.received)
    for _ in range(20):
        await ann.drop()
        ann = await harness.connect(ticket.token)
        await ann.emit("game:reconnect", {})
    if not is_there_at_the_end:
        await ann.drop()
    assert ben.names[told:] == ["player:disconnected", "player:reconnected"]
    end_of_quiet.set()
    await until(lambda: not harness.gateway._seats._rooms[ben.room]._quiet)
    assert ben.names[told + 2 :] == ([] if is_there_at_the_end else ["player:disconnected"])


@with_harness
async def test_no_departure_is_announced_for_a_rematch_or_a_server_that_stops(
    harness: RoomHarness,
) -> None:
    one, two = await harness.pair(has_afk_limit=False)
    await one.act("game:resign")
    for tab in (one, two):
        await tab.act("game:rematch")
    assert one.room == two.room
    assert "player:disconnected" not in one.names + two.names
    await one.act("game:resign")
    harness.gateway.is_stopping = True
    await one.drop()
    assert "player:disconnected" not in two.names


@with_harness
async def test_a_player_who_returns_after_the_end_gets_the_rematch_offer(harness: RoomHarness) -> None:
    ticket = await harness.session("ann")
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await harness.enter("ben")
    await ben.act("game:resign")
    await ben.act("game:rematch")
    await ann.drop()
    back = await harness.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert back.names == ["game:reconnected", "game:over", "game:rematch:offered"]
    assert back.last("game:rematch:offered") == ann.last("game:rematch:offered")


@with_harness
async def test_a_bot_does_not_leave(harness: RoomHarness) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.act("game:resign")
    await tab.drop()
    back = await harness.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert "player:disconnected" not in back.names


@with_harness
async def test_a_guest_who_starts_another_game_has_left_this_one(harness: RoomHarness) -> None:
    one, two = await harness.guests()
    room, id = one.room, one.id
    await one.act("game:resign")
    await one.emit("matchmaking:join", {"username": "Gus", "wantsBot": True})
    gone = two.last("player:disconnected")
    assert (gone["playerId"], gone["roomId"]) == (id, room)


@with_harness
async def test_the_old_token_leads_to_the_latest_rematch(harness: RoomHarness) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    for _ in range(2):
        await tab.act("game:resign")
        await tab.act("game:rematch")
    await tab.drop()
    back = await harness.connect(ticket.token)
    assert (await back.emit("game:reconnect", {}))["roomId"] == tab.room
    token = tab.last("game:started")["reconnectToken"]
    again = await harness.connect(token)
    assert (await again.emit("game:reconnect", {}))["roomId"] == tab.room


@pytest.mark.parametrize("number", [0, 1])
@with_harness
async def test_a_player_lost_while_a_rematch_starts_is_away_there(harness: RoomHarness, number: int) -> None:
    tabs = await harness.pair()
    lost, other = tabs[number], tabs[1 - number]
    await lost.act("game:resign")

    async def before(tab: Tab, event: str) -> None:
        if event == "game:rematch:agreed" and tab is other:
            await meanwhile(harness, lost)

    harness.before = before
    await lost.act("game:rematch")
    await other.act("game:rematch")
    await asyncio.gather(*harness.drops)
    table = await harness.table(other)
    assert [since is None for since in table.away] == [seat.id == other.id for seat in table.seats]


@pytest.mark.parametrize("who", ["waiting", "joining"])
@with_harness
async def test_a_player_lost_while_being_seated_is_away_and_leaves_nothing_behind(
    harness: RoomHarness, who: str
) -> None:
    ann = await harness.enter("ann")
    ben = await harness.connect((await harness.session("ben")).token)
    lost, other = (ann, ben) if who == "waiting" else (ben, ann)

    async def before(tab: Tab, event: str) -> None:
        if event == "game:started" and tab is lost:
            await meanwhile(harness, lost)

    harness.before = before
    await ben.emit("matchmaking:join", {})
    await asyncio.gather(*harness.drops)
    table = await harness.table(other)
    assert [since is None for since in table.away] == [seat.id == other.id for seat in table.seats]
    await other.drop()
    assert not harness.gateway._seats._rooms


@with_harness
async def test_a_player_lost_while_returning_is_away_again(harness: RoomHarness, clock: FakeClock) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.drop()
    back = await harness.connect(ticket.token)

    async def before(_: Tab, event: str) -> None:
        if event == "game:reconnected":
            await meanwhile(harness, back)

    harness.before = before
    await back.emit("game:reconnect", {})
    await asyncio.gather(*harness.drops)
    await advance(harness.platform, clock, 2)
    assert await harness.away(tab)
    assert not harness.gateway._seats._rooms


@with_harness
async def test_a_spectator_sees_what_the_players_see_and_cannot_act(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    eve = await harness.connect()
    answer = await eve.emit("game:spectate", {"roomId": one.room, "username": "Eve"})
    assert answer == {"ok": True, "roomId": one.room, "version": 1}
    joined = eve.last("game:spectate:joined")
    players = one.last("game:started")["players"]
    assert joined["players"] == as_strangers_see(players, players)
    assert not joined.keys() & PRIVATE
    await one.act("game:move", move=MOVE)
    assert eve.last("game:move:made") == as_strangers_see(two.last("game:move:made"), players)
    for event in ("game:resign", "game:move", "game:draw:offer", "game:rematch"):
        code = (await eve.emit(event, {"roomId": one.room, "move": MOVE}))["error"]["code"]
        assert code == "forbidden"


@with_harness
async def test_a_spectator_who_plays_elsewhere_is_a_spectator_here(harness: RoomHarness) -> None:
    ticket = await harness.session("ann")
    ann = await harness.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben, cid = await harness.enter("ben"), await harness.enter("cid", match_type="bot")
    await cid.emit("game:spectate", {"roomId": ben.room})
    assert not cid.last("game:spectate:joined").keys() & PRIVATE
    await ann.drop()
    back = await harness.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert cid.names[-2:] == ["player:disconnected", "player:reconnected"]
    assert (await cid.act("game:resign"))["ok"]
    assert (await harness.table(ben)).outcome is None


@with_harness
async def test_no_one_watches_a_room_of_another_game_or_their_own(harness: RoomHarness) -> None:
    one, _ = await harness.pair()
    other = await harness.connect(game="backgammon")
    for tab in (one, other):
        assert (await tab.emit("game:spectate", {"roomId": one.room}))["error"]["code"] == "not_found"


@with_harness
async def test_a_room_is_dropped_when_everyone_is_gone(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    eve = await harness.connect()
    await eve.emit("game:spectate", {"roomId": one.room})
    for tab in (one, two, eve):
        assert harness.gateway._seats._rooms
        await tab.drop()
    assert not harness.gateway._seats._rooms


@with_harness
async def test_no_one_counts_as_away_because_the_server_stops(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    harness.gateway.is_stopping = True
    await asyncio.gather(one.drop(), two.drop())
    assert (await harness.table(one)).away == (None, None)
    await play(harness.platform, one.room)
