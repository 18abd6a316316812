"""What packets cost: connects, events, acknowledgements and unknown namespaces, on both transports."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx2
import pytest
from engineio.packet import PONG, Packet
from starlette.types import Message, Scope
from tests.server.http.simulation import Simulation
from tests.server.rooms.harness import open_harness
from tests.service.parts import FakeClock
from tests.service.platforms import until

from ludus.server.http.cpu_budget import EVENTS, PAUSE, OverBudget
from ludus.server.http.middleware import Admission
from ludus.server.metrics import EVENTS as COUNTED
from ludus.server.socketio.engine import event_of, kind_of, namespace_of
from ludus.server.socketio.transport import WebSocketTransport

pytestmark = pytest.mark.anyio

ADDRESS = "192.0.2.1"
DEBT = 10.0
SPECTATE = '2/checkers,7["game:spectate",{"roomId":"none"}]'


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def owe(simulation: Simulation, seconds: float, address: str = ADDRESS) -> None:
    simulation.budget.correct(simulation.budget.payer(address), seconds)


async def passing(simulation: Simulation, task: asyncio.Task[Any]) -> None:
    """Until the task is done; as much simulated time passes as it needs."""
    while not task.done():
        await simulation.run(0.05)


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (SPECTATE, "game:spectate"),
        ('2/checkers,["game:move",{}]', "game:move"),
        ('2["poll",{}]', "packet"),
        ('2/checkers,["' + "x" * 500 + '"]', "packet"),
        ("2", "packet"),
        ('0/checkers,{"token":"x"}', "connect"),
        ("0/nowhere,", "connect"),
        ("1/checkers,", "packet"),
        ("3/checkers,7[]", "packet"),
        (b"x", "packet"),
        ("?", "packet"),
    ],
)
def test_the_kind_of_a_packet_is_read_off_its_start(data: str | bytes, kind: str) -> None:
    assert kind_of(data) == kind


def test_every_event_of_rooms_has_a_price() -> None:
    assert {event for event in COUNTED if ":" in event} == EVENTS


def test_the_namespace_and_the_event_of_a_packet() -> None:
    assert (namespace_of(SPECTATE), event_of(SPECTATE)) == ("/checkers", "game:spectate")
    assert (namespace_of('2["x"]'), event_of("0/checkers,")) == ("/", "")


async def test_an_event_above_its_senders_share_waits(tmp_path: Path, clock: FakeClock) -> None:
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        tab = await harness.connect(address=ADDRESS)
        other = await harness.connect(address="192.0.2.2")
        owe(simulation, 0.3)
        held = asyncio.create_task(tab.emit("afk:check", {"roomId": "none"}))
        await simulation.settle()
        assert not held.done()
        assert (await other.emit("afk:check", {"roomId": "none"}))["error"]["code"] == "forbidden"
        await passing(simulation, held)
        assert held.result()["error"]["code"] == "forbidden"


async def test_far_above_it_the_client_is_told_and_the_connection_ends(tmp_path: Path, clock: FakeClock) -> None:
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        tab = await harness.connect(address=ADDRESS)
        owe(simulation, DEBT)
        await harness.sio._handle_eio_message(tab.engine, SPECTATE)
        error = tab.last("game:error")
        assert (error["code"], error["event"], error["retryAfter"]) == ("too_fast", "game:spectate", 4)
        assert not tab.is_open


async def test_a_namespace_is_refused_with_the_documented_data(tmp_path: Path, clock: FakeClock) -> None:
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        owe(simulation, DEBT)
        tab = await harness.connect(address=ADDRESS)
        assert tab.refusal["data"] == {"code": "too_fast", "message": tab.refusal["message"]}


@pytest.mark.parametrize("data", ["0/nowhere,", "3/checkers,7[]", '2/nowhere,["game:spectate"]', "1/nowhere,"])
async def test_acknowledgements_and_unknown_namespaces_are_paid_for(
    tmp_path: Path, clock: FakeClock, data: str
) -> None:
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        tab = await harness.connect(address=ADDRESS)
        charged = simulation.budget.charged
        await passing(simulation, asyncio.create_task(harness.sio._handle_eio_message(tab.engine, data)))
        assert simulation.budget.charged > charged


async def test_a_fresh_connection_does_not_help(tmp_path: Path, clock: FakeClock) -> None:
    """Each connection has a limit of its own on events; the address pays for all of them."""
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        tab = await harness.connect(address=ADDRESS)
        simulation.budget.correct(harness.sio._payers[tab.engine], 0.3)
        fresh = asyncio.create_task(harness.connect(address=ADDRESS))
        await simulation.settle()
        assert not fresh.done()
        await passing(simulation, fresh)
        assert fresh.result().is_open


async def test_a_player_pays_on_every_connection(tmp_path: Path, clock: FakeClock) -> None:
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        entering = asyncio.create_task(harness.enter("ann"))
        await passing(simulation, entering)
        tab = entering.result()
        payer = simulation.budget.payer("192.0.2.99")
        payer.identity = harness.sio._payers[tab.engine].identity
        assert payer.identity
        simulation.budget.correct(payer, DEBT)
        await harness.sio._handle_eio_message(tab.engine, SPECTATE)
        assert not tab.is_open


async def test_packets_of_one_request_let_others_have_their_turn(tmp_path: Path, clock: FakeClock) -> None:
    async with open_harness(tmp_path, clock) as harness:
        tab = await harness.connect(address=ADDRESS)
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        task = asyncio.create_task(others())
        for _ in range(10):
            await harness.sio._handle_eio_message(tab.engine, "3/checkers,7[]")
        task.cancel()
        assert turns >= 9


class Frames(WebSocketTransport):
    """A transport that has received these frames, and then the end of the connection."""

    def __init__(self, *frames: str) -> None:
        self._frames = list(frames)

    async def wait(self) -> str:
        if not self._frames:
            raise OSError
        return self._frames.pop(0)


async def test_frames_that_are_no_messages_are_paid_for_too(tmp_path: Path, clock: FakeClock) -> None:
    simulation = Simulation(steps=40)
    async with open_harness(tmp_path, clock, budget=simulation.budget) as harness:
        tab = await harness.connect(address=ADDRESS)
        client = harness.sio.eio.sockets[tab.engine]
        pong = Packet(PONG).encode()
        charged = simulation.budget.charged
        await Frames(pong, pong, "6")._read(client)
        assert simulation.budget.charged > charged
        owe(simulation, DEBT)
        rest = Frames(pong, pong, pong)
        await rest._read(client)
        assert len(rest._frames) == 2, "the connection ends with the first"


async def test_polls_and_handshakes_are_refused_after_a_pause() -> None:
    simulation = Simulation(steps=40)

    async def engine(*_: object) -> None:
        raise AssertionError("not reached")

    app = Admission(engine, simulation.budget)
    owe(simulation, DEBT)
    transport = httpx2.ASGITransport(app, client=(ADDRESS, 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://ludus") as client:
        poll = asyncio.create_task(client.get("/socket.io/?EIO=4&transport=polling"))
        await simulation.run(PAUSE / 2)
        assert not poll.done()
        await simulation.run(PAUSE / 2)
        assert (poll.result().status_code, poll.result().json()["code"]) == (429, "too_fast")
        assert poll.result().headers["Retry-After"] == "4"

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope: Scope = {"type": "websocket", "path": "/socket.io/", "headers": [], "client": (ADDRESS, 1)}
    handshake = asyncio.create_task(app(scope, never, send))
    await simulation.run(PAUSE)
    await until(handshake.done)
    assert [message["type"] for message in sent] == ["websocket.http.response.start", "websocket.http.response.body"]
    assert sent[0]["status"] == 429


async def never() -> Message:
    raise OverBudget(1)
