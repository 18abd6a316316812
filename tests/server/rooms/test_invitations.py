"""Private rooms made on the page can be cancelled by their creator."""

from __future__ import annotations

import pytest
from tests.server.rooms.harness import RoomHarness, with_harness
from tests.service.platforms import BEN

from ludus.service.ports.writes import PutTenant
from ludus.service.records import Tenant
from ludus.service.sessions import PAGE_TENANT, Ticket
from ludus.service.tables import NotFound
from ludus.service.time_control import NO_LIMIT


async def invitation(harness: RoomHarness, tenant: str) -> Ticket:
    await harness.platform.store.commit(PutTenant(Tenant(PAGE_TENANT, "The page", 0)))
    return await harness.session("ann", tenant=tenant, mode="training", match_type="private")


async def join_room(harness: RoomHarness, room: Ticket) -> Ticket:
    return await harness.platform.sessions.join(room.session.tenant, "checkers", str(room.session.room_code), BEN)


@with_harness
async def test_a_room_cancelled_by_its_creator_is_closed(harness: RoomHarness) -> None:
    room = await invitation(harness, PAGE_TENANT)
    tab = await harness.connect(room.token)
    await tab.emit("matchmaking:join", {})
    assert await tab.emit("matchmaking:leave", {}) == {"ok": True}
    assert tab.names == ["matchmaking:waiting", "matchmaking:left"]
    with pytest.raises(NotFound):
        await join_room(harness, room)


@with_harness
async def test_a_friend_who_joined_just_before_the_cancellation_is_notified(harness: RoomHarness) -> None:
    room = await invitation(harness, PAGE_TENANT)
    tab = await harness.connect(room.token)
    await tab.emit("matchmaking:join", {})
    friend = await harness.connect((await join_room(harness, room)).token)
    await tab.emit("matchmaking:leave", {})
    assert (await friend.emit("matchmaking:join", {}))["error"]["code"] == "expired"


@with_harness
async def test_a_room_stays_open_while_its_creator_waits_in_another_tab(harness: RoomHarness) -> None:
    room = await invitation(harness, PAGE_TENANT)
    tabs = [await harness.connect(room.token) for _ in range(2)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    await tabs[0].emit("matchmaking:leave", {})
    friend = await harness.connect((await join_room(harness, room)).token)
    await friend.emit("matchmaking:join", {})
    assert friend.room == tabs[1].room


@with_harness
async def test_a_friend_who_leaves_does_not_close_the_room(harness: RoomHarness) -> None:
    room = await invitation(harness, PAGE_TENANT)
    friend = await harness.connect((await join_room(harness, room)).token)
    for event in ("matchmaking:join", "matchmaking:leave", "matchmaking:join"):
        assert (await friend.emit(event, {}))["ok"]
    tab = await harness.connect(room.token)
    await tab.emit("matchmaking:join", {})
    assert tab.room == friend.room


@with_harness
async def test_a_tenants_room_stays_open_when_its_creator_leaves_the_queue(harness: RoomHarness) -> None:
    room = await invitation(harness, "acme")
    tab = await harness.connect(room.token)
    for event in ("matchmaking:join", "matchmaking:leave", "matchmaking:join"):
        assert (await tab.emit(event, {}))["ok"]
    friend = await harness.connect((await join_room(harness, room)).token)
    await friend.emit("matchmaking:join", {})
    assert tab.room == friend.room


@with_harness
async def test_nobody_but_its_players_watches_a_private_game_of_the_page(harness: RoomHarness) -> None:
    room = await invitation(harness, PAGE_TENANT)
    tabs = [await harness.connect(room.token), await harness.connect((await join_room(harness, room)).token)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    stranger = await harness.connect()
    refused = await stranger.emit("game:spectate", {"roomId": tabs[0].room})
    assert refused["error"]["code"] == "not_found" and "game:spectate:joined" not in stranger.names
    await tabs[0].act("game:resign")
    assert (await stranger.emit("game:spectate", {"roomId": tabs[0].room}))["error"]["code"] == "not_found"
    again = await harness.connect(room.token)
    assert (await again.emit("game:spectate", {"roomId": tabs[0].room}))["ok"]


@with_harness
async def test_an_apps_private_room_is_watched_by_its_id(harness: RoomHarness) -> None:
    room = await invitation(harness, "acme")
    tabs = [await harness.connect(room.token), await harness.connect((await join_room(harness, room)).token)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    assert (await (await harness.connect()).emit("game:spectate", {"roomId": tabs[0].room}))["ok"]


async def room_without_a_clock(harness: RoomHarness) -> Ticket:
    await harness.platform.store.commit(PutTenant(Tenant(PAGE_TENANT, "The page", 0)))
    terms = {"tenant": PAGE_TENANT, "mode": "training", "match_type": "private", "time_control": NO_LIMIT}
    return await harness.session("ann", **terms)


@with_harness
async def test_a_game_in_which_nobody_has_to_be_there_starts_without_the_host(harness: RoomHarness) -> None:
    room = await room_without_a_clock(harness)
    friend = await harness.connect((await join_room(harness, room)).token)
    await friend.emit("matchmaking:join", {})
    assert friend.last("player:disconnected")["secondsRemaining"] is None
    host = await harness.connect(room.token)
    await host.emit("matchmaking:join", {})
    assert host.last("game:reconnected")["roomId"] == friend.room
    assert "player:reconnected" in friend.names


@with_harness
async def test_such_a_game_starts_for_a_host_who_waits(harness: RoomHarness) -> None:
    room = await room_without_a_clock(harness)
    host = await harness.connect(room.token)
    await host.emit("matchmaking:join", {})
    assert host.names == ["matchmaking:waiting"]
    friend = await harness.connect((await join_room(harness, room)).token)
    await friend.emit("matchmaking:join", {})
    assert host.room == friend.room
    assert "player:disconnected" not in friend.names
