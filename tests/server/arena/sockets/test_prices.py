"""What frames and sockets cost: slowed, then closed; a repeated action is answered without folding the match."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.socket_client import SocketApp, settle, with_app
from tests.server.http.simulation import Simulation
from tests.service.platforms import until

from ludus.server.arena import app as arena_app
from ludus.server.arena import states
from ludus.server.http.cpu_budget import PAUSE

DEBT = 10.0
"""Seconds; as much as an account can owe."""


def simulated(app: SocketApp) -> Simulation:
    simulation = Simulation(steps=40)
    app.arena.budget = simulation.budget
    return simulation


def owe(simulation: Simulation, seconds: float, address: str = "192.0.2.1") -> None:
    simulation.budget.correct(simulation.budget.payer(address), seconds)


@with_app
async def test_a_socket_above_its_share_waits_and_then_plays(app: SocketApp) -> None:
    simulation = simulated(app)
    match, ann, _ = await app.pair()
    socket = await app.opened(f"/ws/game/{match}", ann)
    await socket.hear("connected", "your_turn")
    owe(simulation, 0.3)
    socket.play()
    await settle()
    await simulation.run(0.3)
    assert (await app.platform.tables.load(match)).table.version == 1
    await simulation.run(2)
    live = await app.platform.tables.load(match)
    await until(lambda: live.table.version == 2)
    assert socket.is_open


@with_app
async def test_a_socket_far_above_its_share_is_closed_with_the_contracts_code(app: SocketApp) -> None:
    simulation = simulated(app)
    match, ann, ben = await app.pair()
    socket = await app.opened(f"/ws/game/{match}", ann)
    owe(simulation, DEBT)
    socket.play()
    await socket.end()
    assert socket.last("error") == {"type": "error", "error": "rate_limited", "retryAfterMs": 4000}
    assert socket.code == 1008
    assert (await app.platform.tables.load(match)).table.version == 1
    other = app.open(f"/ws/game/{match}", ben, address="192.0.2.2")
    await settle()
    await simulation.run(0.1)
    await settle()
    assert other.is_open, "another address is served"


@pytest.mark.parametrize("path", ["/ws/agent", "/ws/watch/none", "/ws/nothing"])
@with_app
async def test_a_new_socket_of_such_an_address_is_refused_after_a_pause(app: SocketApp, path: str) -> None:
    simulation = simulated(app)
    owe(simulation, DEBT)
    socket = app.open(path, await app.agent())
    await settle()
    assert not socket.task.done()
    await simulation.run(PAUSE)
    assert await socket.refusal() == (429, {"error": "rate_limited"})
    assert socket.headers["retry-after"] == "4"


@with_app
async def test_an_agent_pays_on_every_socket(app: SocketApp) -> None:
    simulation = simulated(app)
    match, ann, _ = await app.pair()
    socket = await app.opened(f"/ws/game/{match}", ann)
    payer = simulation.budget.payer("192.0.2.99")
    payer.identity = f"agent/{ann.id}"
    simulation.budget.correct(payer, DEBT)
    socket.play()
    await socket.end()
    assert socket.last("error")["error"] == "rate_limited"


@with_app
async def test_a_repeated_action_is_answered_without_folding_or_writing_anything_again(
    app: SocketApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    match, ann, ben = await app.pair()
    one = await app.opened(f"/ws/game/{match}", ann)
    await one.hear("connected", "your_turn")
    move = {"type": "move", **one.last("your_turn")["view"]["legalMoves"][0]}
    one.act(1, move)
    live = await app.platform.tables.load(match)
    await until(lambda: live.table.version == 2)
    await app.play(match, ben)
    await one.hear("connected", "your_turn", "your_turn")
    folds, written = counted(monkeypatch, arena_app, "folded"), counted(monkeypatch, states, "state")
    for _ in range(10):
        one.act(1, move)
    await until(lambda: len(one.all("your_turn")) == 12)
    assert [frame["sequence"] for frame in one.all("your_turn")] == [1] + [3] * 11
    assert (folds, written) == ([], [])


@with_app
async def test_over_http_a_repeated_action_is_folded_once(app: SocketApp, monkeypatch: pytest.MonkeyPatch) -> None:
    match, ann, ben = await app.pair()
    first = await app.state(match, ann)
    move = {"type": "move", **first["view"]["legalMoves"][0]}
    answer = await app.act(match, ann, 1, move)
    folds = counted(monkeypatch, arena_app, "folded")
    assert await app.act(match, ann, 1, move) == answer
    assert folds == [], "that is where the match stands"
    await app.play(match, ben)
    for _ in range(10):
        assert await app.act(match, ann, 1, move) == answer
    assert len(folds) == 1


def counted(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[str]:
    """Grows with each call."""
    calls: list[str] = []
    original = getattr(module, name)

    def count(*args: Any, **more: Any) -> Any:
        calls.append(name)
        return original(*args, **more)

    monkeypatch.setattr(module, name, count)
    return calls
