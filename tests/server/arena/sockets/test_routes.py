"""Who is let into the sockets of the arena, and what becomes of those who do not read."""

from __future__ import annotations

import asyncio

import pytest
from tests.server.arena.socket_client import SocketApp, SocketClient, settle, version, with_app, with_strict_app
from tests.service.platforms import until

from ludus.service.ports.writes import Write


@pytest.mark.parametrize("path", ["/ws/agent", "/ws/game/any"])
@with_app
async def test_who_has_no_key_gets_a_401_and_no_socket(app: SocketApp, path: str) -> None:
    socket = app.open(path)
    assert await socket.refusal() == (401, {"error": "unauthorized"})
    assert socket.headers["www-authenticate"] == "Bearer"


@with_app
async def test_who_has_a_wrong_key_gets_a_401(app: SocketApp) -> None:
    ann = await app.agent()
    ann.key += "0"
    assert await app.open("/ws/agent", ann).refusal() == (401, {"error": "unauthorized"})


@with_app
async def test_there_is_no_socket_at_a_table_that_is_not_there(app: SocketApp) -> None:
    ann = await app.agent()
    for path in ("/ws/game/nothing", f"/ws/game/{'x' * 5000}", "/ws/watch/nothing"):
        assert await app.open(path, ann).refusal() == (404, {"error": "match_not_found"})


@with_app
async def test_there_are_no_other_sockets(app: SocketApp) -> None:
    for path in ("/ws/nope", "/ws/agent/", "/ws/game/x/y", "/ws/"):
        assert await app.open(path).refusal() == (404, {"error": "not_found"})


@with_app
async def test_a_match_of_others_can_be_watched_but_not_played(app: SocketApp) -> None:
    match, _, _ = await app.pair()
    stranger = await app.agent()
    assert await app.open(f"/ws/game/{match}", stranger).refusal() == (403, {"error": "not_a_player"})
    assert (await app.opened(f"/ws/watch/{match}", stranger)).kinds == ["state"]


@with_strict_app
async def test_one_address_has_so_many_sockets(app: SocketApp) -> None:
    match, ann, _ = await app.pair()
    sockets = [await app.opened(f"/ws/watch/{match}") for _ in range(2)]
    refused = app.open("/ws/agent", ann)
    assert await refused.refusal() == (429, {"error": "rate_limited"})
    assert int(refused.headers["retry-after"]) > 0
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(refused.headers)
    assert (await _open_from_elsewhere(app, match)).is_open
    await sockets[0].leave()
    assert (await app.opened("/ws/agent", ann)).is_open


async def _open_from_elsewhere(app: SocketApp, match: str) -> SocketClient:
    socket = app.open(f"/ws/watch/{match}", address="192.0.2.2")
    await until(lambda: bool(socket.frames))
    return socket


@with_strict_app
async def test_opening_a_socket_counts_as_a_request(app: SocketApp) -> None:
    ann = await app.agent()
    for _ in range(4):
        await (await app.opened("/ws/agent", ann)).leave()
    refused = app.open("/ws/agent", ann)
    assert await refused.refusal() == (429, {"error": "rate_limited"})
    assert int(refused.headers["retry-after"]) > 0
    assert {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"} <= set(refused.headers)


@with_app
async def test_the_answer_to_every_upgrade_tells_how_many_requests_are_left(app: SocketApp) -> None:
    ann = await app.agent()
    sockets = [await app.opened("/ws/agent", ann), app.open("/ws/agent"), app.open("/ws/game/nothing", ann)]
    for socket in sockets[1:]:
        await socket.refusal()
    left = [int(socket.headers["x-ratelimit-remaining"]) for socket in sockets]
    assert left[0] == left[2] + 1, "those of an agent are counted together"
    assert all("x-ratelimit-limit" in socket.headers and "x-ratelimit-reset" in socket.headers for socket in sockets)


@with_app
async def test_a_refused_socket_is_not_counted_as_open(app: SocketApp) -> None:
    await app.open("/ws/agent").refusal()
    socket = await app.opened("/ws/agent", await app.agent())
    assert "ludus_socket_connections 1.0" in app.arena.metrics.render()[0].decode()
    await socket.leave()
    assert "ludus_socket_connections 0.0" in app.arena.metrics.render()[0].decode()


@with_app
async def test_a_client_that_does_not_read_is_dropped_without_harm(app: SocketApp) -> None:
    app.arena.backlogs.most = 10_000
    match, ann, ben = await app.pair()
    stuck, keen = await app.opened(f"/ws/watch/{match}"), await app.opened(f"/ws/watch/{match}")
    stuck.reading.clear()
    moves = 0
    while not stuck.task.done():
        await app.play(match, (ann, ben)[moves % 2])
        moves += 1
        await settle()
        assert moves < 30, "it is kept although it does not read"
    await until(lambda: len(keen.all("move")) == moves)
    assert stuck.kinds == ["state"]
    assert keen.is_open
    again = await app.opened(f"/ws/watch/{match}")
    assert again.frames[0]["sequence"] == moves + 1


@with_app
async def test_a_player_who_does_not_read_holds_up_no_one(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    two.reading.clear()
    one.play()
    await until(lambda: version(app, match) == 2)
    state = await app.play(match, ben)
    assert state["status"] == "waiting"
    await one.hear("connected", "your_turn", "your_turn")
    two.reading.set()
    await two.hear("connected", "your_turn")


@with_app
async def test_the_last_move_of_a_dropped_player_is_sent(app: SocketApp, monkeypatch: pytest.MonkeyPatch) -> None:
    match, ann, ben = await app.pair()
    one, two = await app.opened(f"/ws/game/{match}", ann), await app.opened(f"/ws/game/{match}", ben)
    await one.hear("connected", "your_turn")
    seats = app.arena.listeners[0].__self__._players._by_match[match]  # type: ignore[attr-defined]  # whose method listens
    commit = app.platform.store.commit

    async def drop_meanwhile(*writes: Write) -> None:
        stored = asyncio.ensure_future(commit(*writes))
        seats[0].connection._backlog.most = 0  # as if too much waited to be read
        seats[0].connection.send("one frame too many")
        await stored

    monkeypatch.setattr(app.platform.store, "commit", drop_meanwhile)
    one.play()
    await one.end()
    await two.hear("connected", "your_turn")


@with_app
async def test_nothing_is_left_of_sockets_that_are_gone(app: SocketApp) -> None:
    match, ann, ben = await app.pair()
    sockets = [
        await app.opened(path, who)
        for path in ("/ws/agent", f"/ws/game/{match}", f"/ws/watch/{match}")
        for who in (ann, ben, ann)
    ]
    for socket in sockets:
        if not socket.task.done():
            await socket.leave()
    listen = app.arena.listeners[0].__self__  # type: ignore[attr-defined]  # whose method listens
    assert len(listen._listeners) == 0
    assert not listen._players.has(match)
    assert not listen._watchers.has(match)
    await app.play(match, ann)
