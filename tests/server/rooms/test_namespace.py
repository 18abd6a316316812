"""Connecting and disconnecting are up to the transport; events of those names do neither."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rooms.harness import RoomHarness, with_harness


@pytest.mark.parametrize("payload", [None, {}, {"asgi.scope": {"client": ["198.51.100.7", 1]}}, "text", [1]])
@with_harness
async def test_an_event_called_connect_does_not_connect(harness: RoomHarness, payload: Any) -> None:
    one, two = await harness.pair()
    answer = await one.emit("connect", payload)
    assert answer["error"]["code"] == "malformed"
    assert (await one.act("game:resign"))["ok"]
    assert two.last("game:over")["winner"] == two.id


@with_harness
async def test_a_client_cannot_use_up_the_connections_of_another_address(harness: RoomHarness) -> None:
    mallory = await harness.connect(address="192.0.2.66")
    for _ in range(3):
        await mallory.emit("connect", {"asgi.scope": {"client": ["198.51.100.7", 1]}})
        await mallory.emit("disconnect")
    assert harness.sockets.open == {"192.0.2.66": 1}


@with_harness
async def test_an_event_called_disconnect_does_not_disconnect(harness: RoomHarness) -> None:
    one, _ = await harness.pair()
    answer = await one.emit("disconnect", "transport close")
    assert answer["error"]["code"] == "malformed"
    assert not await harness.away(one)
    assert (await one.act("game:resign"))["ok"]


@with_harness
async def test_a_refused_connection_gets_the_reason(harness: RoomHarness) -> None:
    tab = await harness.connect("no token")
    assert not tab.is_open
    assert tab.refusal == {"message": "the token is not valid", "data": tab.refusal["data"]}
    assert tab.refusal["data"] == {"code": "unauthorized", "message": "the token is not valid"}
