"""Connecting and leaving are the transport's words: a client that sends them as events says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rooms.harness import Stage, staged


@pytest.mark.parametrize("payload", [None, {}, {"asgi.scope": {"client": ["198.51.100.7", 1]}}, "text", [1]])
@staged
async def test_a_client_cannot_connect_twice_by_an_event(stage: Stage, payload: Any) -> None:
    one, two = await stage.pair()
    answer = await one.emit("connect", payload)
    assert answer["error"]["code"] == "malformed"
    assert (await one.act("game:resign"))["ok"]
    assert two.last("game:over")["winner"] == two.id


@staged
async def test_nobody_s_address_can_be_used_up_by_another(stage: Stage) -> None:
    mallory = await stage.connect(address="192.0.2.66")
    for _ in range(3):
        await mallory.emit("connect", {"asgi.scope": {"client": ["198.51.100.7", 1]}})
        await mallory.emit("disconnect")
    assert stage.sockets._open == {"192.0.2.66": 1}


@staged
async def test_a_client_cannot_leave_by_an_event(stage: Stage) -> None:
    one, _ = await stage.pair()
    answer = await one.emit("disconnect", "transport close")
    assert answer["error"]["code"] == "malformed"
    assert not await stage.away(one)
    assert (await one.act("game:resign"))["ok"]


@staged
async def test_a_connection_that_is_refused_is_told_why(stage: Stage) -> None:
    tab = await stage.connect("no token")
    assert not tab.is_open
    assert tab.refusal == {"message": "the token is not valid", "data": tab.refusal["data"]}
    assert tab.refusal["data"] == {"code": "unauthorized", "message": "the token is not valid"}
