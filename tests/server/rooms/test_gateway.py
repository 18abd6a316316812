from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.server.rooms.harness import RoomHarness, open_harness, with_harness
from tests.service.parts import FakeClock

from ludus.server.metrics import EVENTS
from ludus.service.ports.writes import PutKey
from ludus.service.records import Key
from ludus.service.tokens import GuestClaims

ODD: list[Any] = [
    None,
    0,
    -1.5,
    True,
    "",
    "text",
    "\0",
    [],
    [[]],
    {},
    {"roomId": None},
    {"roomId": "\0", "playerId": "\0", "commandId": "\0", "username": "\0", "sessionId": "\0"},
    {"roomId": "x" * 10_000},
    {"username": "\u202e\0\x1b[31m", "wantsBot": False},
    {"version": 10**30},
    {"version": 1, "part": 10**9},
    {"move": {"from": 10**200, "to": "bar", "captures": [[]]}, "position": {"a": 1}, "soFar": {"b": []}},
]


def code(answer: dict[str, Any]) -> str:
    return str(answer["error"]["code"])


async def allow(harness: RoomHarness, *origins: str, revoked_at: int | None = None) -> None:
    name = f"{origins} {revoked_at}"
    await harness.platform.store.commit(PutKey(Key(name, "acme", "live", "ludus_live_", origins, 0, revoked_at)))


@with_harness
async def test_a_token_opens_the_namespace_of_its_game_only(harness: RoomHarness) -> None:
    token = (await harness.session("ann")).token
    assert (await harness.connect(token)).is_open
    refused = await harness.connect(token, "backgammon")
    assert not refused.is_open
    assert refused.refusal["data"]["code"] == "forbidden"


@with_harness
async def test_a_token_may_come_in_the_query(harness: RoomHarness) -> None:
    token = (await harness.session("ann")).token
    tab = await harness.connect(QUERY_STRING=f"EIO=4&token={token}")
    assert (await tab.emit("matchmaking:join", {}))["playerId"] == "ann"
    wrong = await harness.connect(QUERY_STRING="token=none")
    assert wrong.refusal["data"]["code"] == "unauthorized"


@pytest.mark.parametrize("token", [5, ["x"], {"a": 1}, "x.y.z", "x" * 100_000])
@with_harness
async def test_an_invalid_token_is_refused(harness: RoomHarness, token: Any) -> None:
    tab = await harness.connect(token)
    assert tab.refusal["data"]["code"] == "unauthorized"
    assert harness.sockets.open == {}


@with_harness
async def test_a_page_of_another_origin_is_refused_unless_a_key_allows_it(harness: RoomHarness) -> None:
    token = (await harness.session("ann")).token
    await allow(harness, "https://acme.example")
    await allow(harness, "https://old.example", revoked_at=1)
    assert (await harness.connect(token)).is_open
    assert (await harness.connect(token, HTTP_ORIGIN="https://acme.example")).is_open
    for origin in ("https://evil.example", "https://old.example"):
        tab = await harness.connect(token, HTTP_ORIGIN=origin)
        assert tab.refusal["data"]["code"] == "forbidden"


@with_harness
async def test_an_expired_token_is_refused_while_there_is_no_game(harness: RoomHarness, clock: FakeClock) -> None:
    token = (await harness.session("ann")).token
    clock.wait(300)
    assert (await harness.connect(token)).refusal["data"]["code"] == "expired"


@with_harness
async def test_a_token_for_an_unknown_table_is_refused(harness: RoomHarness) -> None:
    token = harness.platform.tokens.write_guest(GuestClaims("nowhere", "guest/1"))
    assert (await harness.connect(token)).refusal["data"]["code"] == "not_found"


def test_the_connections_of_an_address_are_limited(tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_harness(tmp_path, FakeClock(), sockets=2) as harness:
            tabs = [await harness.connect() for _ in range(2)]
            assert (await harness.connect()).refusal["data"]["code"] == "too_fast"
            assert (await harness.connect(address="192.0.2.2")).is_open
            await tabs[0].drop()
            assert not (await harness.connect("no token")).is_open
            assert (await harness.connect()).is_open

    asyncio.run(tell())


def test_a_client_that_sends_too_much_gets_an_error_and_is_disconnected(tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_harness(tmp_path, FakeClock(), events=3) as harness:
            tab = await harness.connect()
            answers = [await tab.emit("matchmaking:leave", {}) for _ in range(4)]
            assert [answer["ok"] for answer in answers] == [True] * 3 + [False]
            assert code(answers[3]) == "too_fast"
            assert tab.last("game:error")["code"] == "too_fast"
            assert not tab.is_open
            assert harness.sockets.open == {}
            assert await tab.emit("matchmaking:leave", {}) is None

    asyncio.run(tell())


@with_harness
async def test_a_client_lost_while_it_connects_leaves_nothing_behind(
    harness: RoomHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Can happen with a slow, remote database."""
    token, admit = (await harness.session("ann")).token, harness.platform.sessions.admit

    async def admit_slowly(token: str) -> Any:
        (tab,) = harness.tabs.values()
        await tab.drop()
        return await admit(token)

    monkeypatch.setattr(harness.platform.sessions, "admit", admit_slowly)
    await harness.connect(token)
    assert (harness.sockets.open, harness.gateway._clients) == ({}, {})
    assert not harness.sio.manager.rooms


@with_harness
async def test_an_unknown_event_is_refused(harness: RoomHarness) -> None:
    tab = await harness.connect()
    assert code(await tab.emit("game:cheat", {})) == "malformed"
    await tab.emit("x" * 1000, {})
    assert tab.last("game:error")["event"] == "x" * 64


@with_harness
async def test_an_internal_error_reveals_no_details(harness: RoomHarness, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the secret is 42")

    one, _ = await harness.pair()
    monkeypatch.setattr(harness.platform.tables, "execute", fail)
    answer = await one.act("game:resign")
    assert code(answer) == "internal"
    assert "42" not in str(answer) + str(one.last("game:error"))


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@with_harness
async def test_no_odd_payload_causes_an_internal_error_or_changes_the_game(harness: RoomHarness, game: str) -> None:
    one, _ = await harness.pair(game=game)
    stranger = await harness.connect(game=game)
    here = [each | {"roomId": one.room} for each in ODD if isinstance(each, dict)]
    for event in sorted(EVENTS):
        is_meant = event in ("game:resign", "game:draw:offer")  # they need nothing but the room
        for payload in ODD if is_meant else ODD + here:
            for tab in (one, stranger):
                answer = await tab.emit(event, payload)
                assert answer["ok"] or code(answer) != "internal", (event, payload, answer)
    table = await harness.table(one)
    assert (table.outcome, table.version) == (None, 1)


@with_harness
async def test_a_broadcast_reaches_all_clients(harness: RoomHarness) -> None:
    tabs = [await harness.connect(), await harness.connect(game="backgammon")]
    await harness.gateway.broadcast("server:stopping", {"message": "bye"})
    assert all(tab.received == [("server:stopping", {"message": "bye"})] for tab in tabs)


@with_harness
async def test_an_event_of_an_unknown_client_is_refused(harness: RoomHarness) -> None:
    assert code(await harness.gateway.receive("nobody", "game:resign", {})) == "unauthorized"
    await harness.gateway.disconnect("nobody")
