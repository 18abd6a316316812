"""Who sits where, also when connections come and go at the worst moment."""

from __future__ import annotations

import asyncio

import pytest
from tests.server.rooms.harness import Stage, Tab, staged
from tests.service.parts import FakeClock
from tests.service.platforms import play

from ludus.service.tokens import GuestClaims

PRIVATE = {"playerId", "color", "sessionId", "reconnectToken", "theme"}
"""What a player is told of a game, and nobody else."""
MOVE = {"from": 40, "to": 33, "captures": []}


async def meanwhile(stage: Stage, lost: Tab) -> None:
    """A connection is lost while a message waits to be sent."""
    stage.before = None
    stage.drops.append(asyncio.create_task(lost.drop()))
    await asyncio.sleep(0.01)  # so that it gets as far as it can


@staged
async def test_whoever_drops_is_missed_and_welcomed_back(stage: Stage) -> None:
    ticket = await stage.session("ann")
    ann = await stage.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await stage.enter("ben")
    await ann.drop()
    gone = ben.last("player:disconnected")
    assert (gone["playerId"], gone["secondsRemaining"]) == ("ann", 60)
    back = await stage.connect(ticket.token)
    answer = await back.emit("game:reconnect", {"playerId": "ann"})
    assert answer == {"ok": True, "roomId": ben.room, "version": 3}
    assert back.names == ["game:reconnected"]
    assert ben.names[-3:] == ["player:disconnected", "player:reconnected", "game:reconnected"]
    ours, theirs = back.last("game:reconnected"), ben.last("game:reconnected")
    assert (ours["playerId"], theirs["playerId"]) == ("ann", "ben")
    assert ours["board"] == theirs["board"] == ben.last("game:started")["board"]


@staged
async def test_a_guest_comes_back_by_the_private_token(stage: Stage) -> None:
    one, two = await stage.guests()
    await one.drop()
    back = await stage.connect(one.last("game:started")["reconnectToken"])
    assert (await back.emit("game:reconnect", {"playerId": one.id}))["roomId"] == two.room
    assert back.last("game:reconnected")["playerId"] == one.id
    assert not await stage.away(one)


@staged
async def test_a_guest_cannot_use_another_one_s_token_as_oneself(stage: Stage) -> None:
    one, two = await stage.guests()
    thief = await stage.connect(one.last("game:started")["reconnectToken"])
    assert (await thief.emit("game:reconnect", {"playerId": two.id}))["error"]["code"] == "forbidden"
    await thief.emit("game:reconnect", {})
    assert (await thief.emit("game:resign", {"roomId": one.room, "playerId": two.id}))["error"]["code"] == "forbidden"
    assert (await stage.table(one)).outcome is None


@staged
async def test_a_guest_s_token_is_good_for_its_own_seat_only(stage: Stage) -> None:
    one, _ = await stage.guests()
    three, _ = await stage.guests()
    seats = (await stage.table(three)).seats
    for claims in (GuestClaims(one.room, seats[0].key), GuestClaims("nowhere", seats[0].key)):
        tab = await stage.connect(stage.platform.tokens.write_guest(claims))
        assert not tab.is_open
    other = await stage.connect(one.last("game:started")["reconnectToken"], "backgammon")
    assert other.refusal["data"]["code"] == "unauthorized"


@staged
async def test_an_id_alone_opens_nothing(stage: Stage) -> None:
    one, two = await stage.pair()
    await two.drop()
    eve = await stage.connect()
    assert (await eve.emit("game:reconnect", {"playerId": two.id}))["error"]["code"] == "not_found"
    assert (await eve.emit("game:resign", {"roomId": one.room, "playerId": one.id}))["error"]["code"] == "forbidden"
    assert "player:reconnected" not in one.names


@staged
async def test_who_comes_back_after_the_end_is_told_how_it_ended(stage: Stage) -> None:
    ticket = await stage.session("ann", match_type="bot")
    tab = await stage.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.act("game:resign")
    await tab.drop()
    back = await stage.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert back.names == ["game:reconnected", "game:over"]
    assert back.last("game:over") == tab.last("game:over")


@staged
async def test_an_expired_token_leads_back_to_a_game_that_goes_on(stage: Stage, clock: FakeClock) -> None:
    ticket = await stage.session("ann", match_type="bot", has_afk_limit=False)
    tab = await stage.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.drop()
    clock.wait(3600)
    back = await stage.connect(ticket.token)
    assert (await back.emit("game:reconnect", {}))["ok"]


@staged
async def test_a_rematch_takes_both_to_a_new_room_with_colours_changed(stage: Stage) -> None:
    one, two = await stage.pair()
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
    assert not await stage.away(one)


@staged
async def test_who_asked_for_a_rematch_and_went_away_is_missed_there(stage: Stage) -> None:
    one, two = await stage.pair(has_afk_limit=False)
    await one.act("game:resign")
    await one.act("game:rematch")
    await one.drop()
    await two.act("game:rematch")
    table = await stage.table(two)
    assert [since is None for since in table.away] == [seat.id == two.id for seat in table.seats]
    assert two.last("player:disconnected")["playerId"] == one.id


@staged
async def test_whoever_stays_after_the_end_is_told_that_the_other_has_left(stage: Stage) -> None:
    one, two = await stage.pair()
    eve = await stage.connect((await stage.session("eve")).token)
    await eve.emit("game:spectate", {"roomId": one.room})
    await one.act("game:resign")
    version = (await stage.table(one)).version
    await one.drop()
    gone = two.last("player:disconnected")
    assert (gone["playerId"], gone["secondsRemaining"], gone["roomId"]) == (one.id, 0, two.room)
    assert "version" not in gone, "nothing has happened at the table"
    assert (await stage.table(two)).version == version
    assert "player:disconnected" not in eve.names
    assert two.names[-2:] == ["game:over", "player:disconnected"]


@pytest.mark.parametrize(("event", "has_seen"), [("reconnect", True), ("reconnect", False), ("spectate", False)])
@staged
async def test_whoever_is_lost_while_coming_in_after_the_end_leaves_no_room_behind(
    stage: Stage, event: str, has_seen: bool
) -> None:
    ticket = await stage.session("ann")
    ann = await stage.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await stage.enter("ben")
    await ann.act("game:resign")
    seen = {"version": ann.last("game:over")["version"]} if has_seen else {}
    await ann.drop()
    await ben.drop()
    lost = await stage.connect(ticket.token if event == "reconnect" else (await stage.session("eve")).token)

    async def before(_tab: Tab, name: str) -> None:
        if name in ("game:reconnected", "game:spectate:joined"):
            await meanwhile(stage, lost)

    stage.before = before
    await lost.emit(f"game:{event}", {"roomId": ann.room, **seen})
    await asyncio.gather(*stage.drops)
    await stage.settle()
    assert not stage.rooms._seats._rooms


@staged
async def test_whoever_comes_back_after_the_end_is_announced_and_told_who_is_there(stage: Stage) -> None:
    ticket = await stage.session("ann")
    ann = await stage.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await stage.enter("ben")
    await ben.act("game:resign")
    await ann.drop()
    back = await stage.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert ben.last("player:reconnected") == {"playerId": "ann", "roomId": ben.room}
    assert back.names == ["game:reconnected", "game:over"], "ben is there"
    heard = len(ben.heard)
    other_tab = await stage.connect(ticket.token)
    await other_tab.emit("game:reconnect", {})
    await other_tab.drop()
    assert len(ben.heard) == heard, "she was there all the time"
    await back.drop()
    await ben.drop()
    late = await stage.connect(ticket.token)
    await late.emit("game:reconnect", {})
    assert late.names == ["game:reconnected", "game:over", "player:disconnected"]
    assert late.last("player:disconnected")["playerId"] == "ben"


@staged
async def test_nobody_is_missed_after_the_end_for_going_to_the_rematch_or_for_a_house_that_closes(stage: Stage) -> None:
    one, two = await stage.pair(has_afk_limit=False)
    await one.act("game:resign")
    for tab in (one, two):
        await tab.act("game:rematch")
    assert one.room == two.room
    assert "player:disconnected" not in one.names + two.names
    await one.act("game:resign")
    stage.rooms.is_stopping = True
    await one.drop()
    assert "player:disconnected" not in two.names


@staged
async def test_whoever_comes_back_after_the_end_hears_who_would_play_again(stage: Stage) -> None:
    ticket = await stage.session("ann")
    ann = await stage.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben = await stage.enter("ben")
    await ben.act("game:resign")
    await ben.act("game:rematch")
    await ann.drop()
    back = await stage.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert back.names == ["game:reconnected", "game:over", "game:rematch:offered"]
    assert back.last("game:rematch:offered") == ann.last("game:rematch:offered")


@staged
async def test_a_bot_does_not_leave(stage: Stage) -> None:
    ticket = await stage.session("ann", match_type="bot")
    tab = await stage.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.act("game:resign")
    await tab.drop()
    back = await stage.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert "player:disconnected" not in back.names


@staged
async def test_a_guest_who_goes_on_to_another_game_has_left_this_one(stage: Stage) -> None:
    one, two = await stage.guests()
    room, id = one.room, one.id
    await one.act("game:resign")
    await one.emit("matchmaking:join", {"username": "Gus", "wantsBot": True})
    gone = two.last("player:disconnected")
    assert (gone["playerId"], gone["roomId"]) == (id, room)


@staged
async def test_the_old_token_leads_to_the_last_game_of_the_row(stage: Stage) -> None:
    ticket = await stage.session("ann", match_type="bot")
    tab = await stage.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    for _ in range(2):
        await tab.act("game:resign")
        await tab.act("game:rematch")
    await tab.drop()
    back = await stage.connect(ticket.token)
    assert (await back.emit("game:reconnect", {}))["roomId"] == tab.room
    token = tab.last("game:started")["reconnectToken"]
    again = await stage.connect(token)
    assert (await again.emit("game:reconnect", {}))["roomId"] == tab.room


@pytest.mark.parametrize("number", [0, 1])
@staged
async def test_whoever_is_lost_while_a_rematch_begins_is_missed_there(stage: Stage, number: int) -> None:
    tabs = await stage.pair()
    lost, other = tabs[number], tabs[1 - number]
    await lost.act("game:resign")

    async def before(tab: Tab, event: str) -> None:
        if event == "game:rematch:agreed" and tab is other:
            await meanwhile(stage, lost)

    stage.before = before
    await lost.act("game:rematch")
    await other.act("game:rematch")
    await asyncio.gather(*stage.drops)
    table = await stage.table(other)
    assert [since is None for since in table.away] == [seat.id == other.id for seat in table.seats]


@pytest.mark.parametrize("who", ["waiting", "joining"])
@staged
async def test_whoever_is_lost_while_being_seated_is_missed_and_leaves_nothing_behind(stage: Stage, who: str) -> None:
    ann = await stage.enter("ann")
    ben = await stage.connect((await stage.session("ben")).token)
    lost, other = (ann, ben) if who == "waiting" else (ben, ann)

    async def before(tab: Tab, event: str) -> None:
        if event == "game:started" and tab is lost:
            await meanwhile(stage, lost)

    stage.before = before
    await ben.emit("matchmaking:join", {})
    await asyncio.gather(*stage.drops)
    table = await stage.table(other)
    assert [since is None for since in table.away] == [seat.id == other.id for seat in table.seats]
    await other.drop()
    assert not stage.rooms._seats._rooms


@staged
async def test_whoever_is_lost_while_coming_back_is_missed_again(stage: Stage) -> None:
    ticket = await stage.session("ann", match_type="bot")
    tab = await stage.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.drop()
    back = await stage.connect(ticket.token)

    async def before(_: Tab, event: str) -> None:
        if event == "game:reconnected":
            await meanwhile(stage, back)

    stage.before = before
    await back.emit("game:reconnect", {})
    await asyncio.gather(*stage.drops)
    assert await stage.away(tab)
    assert not stage.rooms._seats._rooms


@staged
async def test_a_spectator_sees_what_the_players_see_and_cannot_act(stage: Stage) -> None:
    one, two = await stage.pair()
    eve = await stage.connect()
    answer = await eve.emit("game:spectate", {"roomId": one.room, "username": "Eve"})
    assert answer == {"ok": True, "roomId": one.room, "version": 1}
    joined = eve.last("game:spectate:joined")
    assert joined["players"] == one.last("game:started")["players"]
    assert not joined.keys() & PRIVATE
    await one.act("game:move", move=MOVE)
    assert eve.last("game:move:made") == two.last("game:move:made")
    for event in ("game:resign", "game:move", "game:draw:offer", "game:rematch"):
        code = (await eve.emit(event, {"roomId": one.room, "move": MOVE}))["error"]["code"]
        assert code == "forbidden"


@staged
async def test_a_spectator_who_plays_elsewhere_is_a_spectator_here(stage: Stage) -> None:
    ticket = await stage.session("ann")
    ann = await stage.connect(ticket.token)
    await ann.emit("matchmaking:join", {})
    ben, cid = await stage.enter("ben"), await stage.enter("cid", match_type="bot")
    await cid.emit("game:spectate", {"roomId": ben.room})
    assert not cid.last("game:spectate:joined").keys() & PRIVATE
    await ann.drop()
    back = await stage.connect(ticket.token)
    await back.emit("game:reconnect", {})
    assert cid.names[-2:] == ["player:disconnected", "player:reconnected"]
    assert (await cid.act("game:resign"))["ok"]
    assert (await stage.table(ben)).outcome is None


@staged
async def test_nobody_watches_another_game_s_room_or_the_own_one(stage: Stage) -> None:
    one, _ = await stage.pair()
    other = await stage.connect(game="backgammon")
    for tab in (one, other):
        assert (await tab.emit("game:spectate", {"roomId": one.room}))["error"]["code"] == "not_found"


@staged
async def test_a_room_is_forgotten_when_everybody_is_gone(stage: Stage) -> None:
    one, two = await stage.pair()
    eve = await stage.connect()
    await eve.emit("game:spectate", {"roomId": one.room})
    for tab in (one, two, eve):
        assert stage.rooms._seats._rooms
        await tab.drop()
    assert not stage.rooms._seats._rooms


@staged
async def test_nobody_is_to_blame_for_a_house_that_closes(stage: Stage) -> None:
    one, two = await stage.pair()
    stage.rooms.is_stopping = True
    await asyncio.gather(one.drop(), two.drop())
    assert (await stage.table(one)).away == (None, None)
    await play(stage.platform, one.room)
