"""Who is let into the sockets of the arena, and what becomes of those who do not read."""

from __future__ import annotations

import asyncio

import pytest
from tests.server.arena.wires import Hall, Wire, in_a_hall, in_a_strict_hall, settle, version
from tests.service.platforms import until

from ludus.server.websocket import connection as sockets_line
from ludus.service.ports import Write


@pytest.mark.parametrize("path", ["/ws/agent", "/ws/game/any"])
@in_a_hall
async def test_who_has_no_key_gets_a_401_and_no_socket(hall: Hall, path: str) -> None:
    wire = hall.open(path)
    assert await wire.refusal() == (401, {"error": "unauthorized"})
    assert wire.headers["www-authenticate"] == "Bearer"


@in_a_hall
async def test_who_has_a_wrong_key_gets_a_401(hall: Hall) -> None:
    ann = await hall.agent()
    ann.key += "0"
    assert await hall.open("/ws/agent", ann).refusal() == (401, {"error": "unauthorized"})


@in_a_hall
async def test_there_is_no_socket_at_a_table_that_is_not_there(hall: Hall) -> None:
    ann = await hall.agent()
    for path in ("/ws/game/nothing", f"/ws/game/{'x' * 5000}", "/ws/watch/nothing"):
        assert await hall.open(path, ann).refusal() == (404, {"error": "match_not_found"})


@in_a_hall
async def test_there_are_no_other_sockets(hall: Hall) -> None:
    for path in ("/ws/nope", "/ws/agent/", "/ws/game/x/y", "/ws/"):
        assert await hall.open(path).refusal() == (404, {"error": "not_found"})


@in_a_hall
async def test_a_match_of_others_can_be_watched_but_not_played(hall: Hall) -> None:
    match, _, _ = await hall.pair()
    stranger = await hall.agent()
    assert await hall.open(f"/ws/game/{match}", stranger).refusal() == (403, {"error": "not_a_player"})
    assert (await hall.opened(f"/ws/watch/{match}", stranger)).kinds == ["state"]


@in_a_strict_hall
async def test_one_address_has_so_many_sockets(hall: Hall) -> None:
    match, ann, _ = await hall.pair()
    wires = [await hall.opened(f"/ws/watch/{match}") for _ in range(2)]
    refused = hall.open("/ws/agent", ann)
    assert await refused.refusal() == (429, {"error": "rate_limited"})
    assert int(refused.headers["retry-after"]) > 0
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(refused.headers)
    assert (await _open_from_elsewhere(hall, match)).is_open
    await wires[0].leave()
    assert (await hall.opened("/ws/agent", ann)).is_open


async def _open_from_elsewhere(hall: Hall, match: str) -> Wire:
    wire = hall.open(f"/ws/watch/{match}", address="192.0.2.2")
    await until(lambda: bool(wire.frames))
    return wire


@in_a_strict_hall
async def test_opening_a_socket_counts_as_a_request(hall: Hall) -> None:
    ann = await hall.agent()
    for _ in range(4):
        await (await hall.opened("/ws/agent", ann)).leave()
    refused = hall.open("/ws/agent", ann)
    assert await refused.refusal() == (429, {"error": "rate_limited"})
    assert int(refused.headers["retry-after"]) > 0
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(refused.headers)


@in_a_hall
async def test_the_answer_to_every_upgrade_tells_how_many_requests_are_left(hall: Hall) -> None:
    ann = await hall.agent()
    wires = [await hall.opened("/ws/agent", ann), hall.open("/ws/agent"), hall.open("/ws/game/nothing", ann)]
    for wire in wires[1:]:
        await wire.refusal()
    left = [int(wire.headers["x-ratelimit-remaining"]) for wire in wires]
    assert left[0] == left[2] + 1, "those of an agent are counted together"
    assert all("x-ratelimit-limit" in wire.headers and "x-ratelimit-reset" in wire.headers for wire in wires)


@in_a_hall
async def test_a_refused_socket_is_not_counted_as_open(hall: Hall) -> None:
    await hall.open("/ws/agent").refusal()
    wire = await hall.opened("/ws/agent", await hall.agent())
    assert "ludus_socket_connections 1.0" in hall.arena.metrics.render()[0].decode()
    await wire.leave()
    assert "ludus_socket_connections 0.0" in hall.arena.metrics.render()[0].decode()


@in_a_hall
async def test_who_does_not_read_is_dropped_and_hurts_nobody(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets_line.Line.__init__, "__defaults__", (10_000,))
    match, ann, ben = await hall.pair()
    stuck, keen = await hall.opened(f"/ws/watch/{match}"), await hall.opened(f"/ws/watch/{match}")
    stuck.reading.clear()
    moves = 0
    while not stuck.task.done():
        await hall.play(match, (ann, ben)[moves % 2])
        moves += 1
        await settle()
        assert moves < 30, "it is kept although it does not read"
    await until(lambda: len(keen.all("move")) == moves)
    assert stuck.kinds == ["state"]
    assert keen.is_open
    again = await hall.opened(f"/ws/watch/{match}")
    assert again.frames[0]["sequence"] == moves + 1


@in_a_hall
async def test_a_player_who_does_not_read_holds_up_nobody(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    two.reading.clear()
    one.play()
    await until(lambda: version(hall, match) == 2)
    state = await hall.play(match, ben)
    assert state["status"] == "waiting"
    await one.hear("connected", "your_turn", "your_turn")
    two.reading.set()
    await two.hear("connected", "your_turn")


@in_a_hall
async def test_the_last_move_of_a_player_who_is_dropped_is_told(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    match, ann, ben = await hall.pair()
    one, two = await hall.opened(f"/ws/game/{match}", ann), await hall.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    seats = hall.arena.listeners[0].__self__._players._by_match[match]  # type: ignore[attr-defined]
    commit = hall.platform.store.commit

    async def drop_meanwhile(*writes: Write) -> None:
        stored = asyncio.ensure_future(commit(*writes))
        seats[0].line._most = 0  # as if too much waited to be read
        seats[0].line.say("one frame too many")
        await stored

    monkeypatch.setattr(hall.platform.store, "commit", drop_meanwhile)
    one.play()
    await one.end()
    await two.hear("connected", "your_turn")


@in_a_hall
async def test_nothing_is_left_of_sockets_that_are_gone(hall: Hall) -> None:
    match, ann, ben = await hall.pair()
    wires = [
        await hall.opened(path, who)
        for path in ("/ws/agent", f"/ws/game/{match}", f"/ws/watch/{match}")
        for who in (ann, ben, ann)
    ]
    for wire in wires:
        if not wire.task.done():
            await wire.leave()
    listen = hall.arena.listeners[0].__self__  # type: ignore[attr-defined]
    assert len(listen._listeners) == 0
    assert not listen._players.has(match)
    assert not listen._watchers.has(match)
    await hall.play(match, ann)
