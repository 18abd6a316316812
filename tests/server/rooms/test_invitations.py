"""Rooms for a friend: whoever made one on the page may call it off."""

from __future__ import annotations

import pytest
from tests.server.rooms.harness import Stage, staged
from tests.service.platforms import BEN

from ludus.service.ports import PutTenant
from ludus.service.records import Tenant
from ludus.service.sessions import PAGE_TENANT, Ticket
from ludus.service.tables import NotFound


async def invitation(stage: Stage, tenant: str) -> Ticket:
    await stage.platform.store.commit(PutTenant(Tenant(PAGE_TENANT, "The page", 0)))
    return await stage.session("ann", tenant=tenant, mode="training", match_type="private")


async def join_room(stage: Stage, room: Ticket) -> Ticket:
    return await stage.platform.sessions.join(room.session.tenant, "checkers", str(room.session.room_code), BEN)


@staged
async def test_a_room_that_a_visitor_of_the_page_calls_off_is_closed(stage: Stage) -> None:
    room = await invitation(stage, PAGE_TENANT)
    tab = await stage.connect(room.token)
    await tab.emit("matchmaking:join", {})
    assert await tab.emit("matchmaking:leave", {}) == {"ok": True}
    assert tab.names == ["matchmaking:waiting", "matchmaking:left"]
    with pytest.raises(NotFound):
        await join_room(stage, room)


@staged
async def test_a_friend_who_joined_just_before_the_room_was_called_off_is_told(stage: Stage) -> None:
    room = await invitation(stage, PAGE_TENANT)
    tab = await stage.connect(room.token)
    await tab.emit("matchmaking:join", {})
    friend = await stage.connect((await join_room(stage, room)).token)
    await tab.emit("matchmaking:leave", {})
    assert (await friend.emit("matchmaking:join", {}))["error"]["code"] == "expired"


@staged
async def test_a_room_stays_open_while_its_maker_waits_in_another_tab(stage: Stage) -> None:
    room = await invitation(stage, PAGE_TENANT)
    tabs = [await stage.connect(room.token) for _ in range(2)]
    for tab in tabs:
        await tab.emit("matchmaking:join", {})
    await tabs[0].emit("matchmaking:leave", {})
    friend = await stage.connect((await join_room(stage, room)).token)
    await friend.emit("matchmaking:join", {})
    assert friend.room == tabs[1].room


@staged
async def test_a_friend_who_leaves_does_not_close_the_room(stage: Stage) -> None:
    room = await invitation(stage, PAGE_TENANT)
    friend = await stage.connect((await join_room(stage, room)).token)
    for event in ("matchmaking:join", "matchmaking:leave", "matchmaking:join"):
        assert (await friend.emit(event, {}))["ok"]
    tab = await stage.connect(room.token)
    await tab.emit("matchmaking:join", {})
    assert tab.room == friend.room


@staged
async def test_a_room_of_a_tenant_stays_open_when_its_maker_leaves_the_line(stage: Stage) -> None:
    room = await invitation(stage, "acme")
    tab = await stage.connect(room.token)
    for event in ("matchmaking:join", "matchmaking:leave", "matchmaking:join"):
        assert (await tab.emit(event, {}))["ok"]
    friend = await stage.connect((await join_room(stage, room)).token)
    await friend.emit("matchmaking:join", {})
    assert tab.room == friend.room
