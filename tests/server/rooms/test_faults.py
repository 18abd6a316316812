"""While the store fails, rooms refuse with one code that clients retry on; afterwards everything goes on."""

from __future__ import annotations

import pytest
from tests.server.rooms.harness import RoomHarness, with_harness
from tests.service.faults import read_only, unreachable
from tests.service.parts import FakeClock

UNAVAILABLE = {"code": "unavailable", "message": "The server can't save anything right now. Try again in a moment."}
MOVE = {"from": 40, "to": 33}


@with_harness
async def test_a_move_is_refused_and_can_be_sent_again(harness: RoomHarness) -> None:
    one, two = await harness.pair()
    with read_only(harness.platform):
        refused = await one.act("game:move", move=MOVE, commandId="first")
        assert refused == {"ok": False, "error": UNAVAILABLE}
        assert one.last("game:error") == UNAVAILABLE | {"event": "game:move"}
        assert not two.all("game:move:made")
    assert (await one.act("game:move", move=MOVE, commandId="first"))["ok"]
    assert len(two.all("game:move:made")) == 1
    assert (await one.act("game:move", move=MOVE, commandId="first"))["ok"]
    assert len(two.all("game:move:made")) == 1


@with_harness
async def test_a_connection_during_a_fault_is_refused_with_its_code(harness: RoomHarness) -> None:
    ticket = await harness.session("ann")
    with unreachable(harness.platform):
        tab = await harness.connect(ticket.token)
        assert tab.refusal == {"message": UNAVAILABLE["message"], "data": UNAVAILABLE}
    assert not harness.sockets.open
    assert (await harness.connect(ticket.token)).is_open


@with_harness
async def test_a_mistake_of_ours_while_connecting_is_reported_with_its_code(
    harness: RoomHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    ticket = await harness.session("ann")

    async def fail(_token: str) -> None:
        raise ConnectionRefusedError("hunter2")  # python-socketio treats it like its own

    monkeypatch.setattr(harness.platform.sessions, "admit", fail)
    tab = await harness.connect(ticket.token)
    problem = {"code": "internal", "message": "Something went wrong on our side."}
    assert tab.refusal == {"message": problem["message"], "data": problem}


@with_harness
async def test_a_guest_who_left_during_a_fault_is_not_paired(harness: RoomHarness) -> None:
    ghost = await harness.connect()
    await ghost.emit("matchmaking:join", {"username": "Gus"})
    with read_only(harness.platform):
        await ghost.drop()
    guest = await harness.connect()
    assert (await guest.emit("matchmaking:join", {"username": "Ann"}))["position"] == 1
    await harness.platform.lobby.sweep()
    assert "game:started" not in guest.names
    other = await harness.connect()
    await other.emit("matchmaking:join", {"username": "Ben"})
    assert guest.room == other.room


@with_harness
async def test_the_sweep_removes_those_who_left_during_a_fault(harness: RoomHarness) -> None:
    ann = await harness.connect((await harness.session("ann")).token)
    await ann.emit("matchmaking:join", {})
    await harness.platform.lobby.sweep()
    assert await harness.platform.store.pools()
    with read_only(harness.platform):
        await ann.drop()
    assert await harness.platform.store.pools()
    await harness.platform.lobby.sweep()
    assert not await harness.platform.store.pools()


@with_harness
async def test_a_player_who_returns_during_a_fault_is_seated_by_a_later_try(
    harness: RoomHarness, clock: FakeClock
) -> None:
    one, _ = await harness.guests()
    await one.drop()
    assert await harness.away(one)
    back = await harness.connect(one.last("game:started")["reconnectToken"])
    with read_only(harness.platform):
        assert (await back.emit("game:reconnect", {}))["error"] == UNAVAILABLE
    assert (await back.emit("game:reconnect", {}))["ok"]
    assert not await harness.away(one)
    await back.drop()
    clock.wait(3)
    await harness.platform.presence.sweep()
    assert await harness.away(one)


@with_harness
async def test_a_departure_during_a_fault_is_not_forgotten(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await harness.pair()
    with read_only(harness.platform):
        await one.drop()
        assert not await harness.away(one)
    clock.wait(3)
    await harness.platform.presence.sweep()
    assert await harness.away(one)
    assert two.last("player:disconnected")["playerId"] == one.id
