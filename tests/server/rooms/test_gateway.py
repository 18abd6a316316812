from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.server.rooms.harness import Stage, open_stage, staged
from tests.service.parts import FakeClock

from ludus.server.metrics import EVENTS
from ludus.service.ports import PutKey
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


async def allow(stage: Stage, *origins: str, revoked_at: int | None = None) -> None:
    name = f"{origins} {revoked_at}"
    await stage.platform.store.commit(PutKey(Key(name, "acme", "live", "ludus_live_", origins, 0, revoked_at)))


@staged
async def test_a_token_opens_the_namespace_of_its_game_only(stage: Stage) -> None:
    token = (await stage.session("ann")).token
    assert (await stage.connect(token)).is_open
    refused = await stage.connect(token, "backgammon")
    assert not refused.is_open
    assert refused.refusal["data"]["code"] == "forbidden"


@staged
async def test_a_token_may_come_in_the_query_where_a_client_cannot_do_better(stage: Stage) -> None:
    token = (await stage.session("ann")).token
    tab = await stage.connect(QUERY_STRING=f"EIO=4&token={token}")
    assert (await tab.emit("matchmaking:join", {}))["playerId"] == "ann"
    wrong = await stage.connect(QUERY_STRING="token=none")
    assert wrong.refusal["data"]["code"] == "unauthorized"


@pytest.mark.parametrize("token", [5, ["x"], {"a": 1}, "x.y.z", "x" * 100_000])
@staged
async def test_what_is_no_token_is_refused(stage: Stage, token: Any) -> None:
    tab = await stage.connect(token)
    assert tab.refusal["data"]["code"] == "unauthorized"
    assert stage.sockets._open == {}


@staged
async def test_a_page_of_another_origin_is_refused_unless_a_key_allows_it(stage: Stage) -> None:
    token = (await stage.session("ann")).token
    await allow(stage, "https://acme.example")
    await allow(stage, "https://old.example", revoked_at=1)
    assert (await stage.connect(token)).is_open
    assert (await stage.connect(token, HTTP_ORIGIN="https://acme.example")).is_open
    for origin in ("https://evil.example", "https://old.example"):
        tab = await stage.connect(token, HTTP_ORIGIN=origin)
        assert tab.refusal["data"]["code"] == "forbidden"


@staged
async def test_an_expired_token_is_refused_while_there_is_no_game(stage: Stage, clock: FakeClock) -> None:
    token = (await stage.session("ann")).token
    clock.wait(300)
    assert (await stage.connect(token)).refusal["data"]["code"] == "expired"


@staged
async def test_a_token_for_a_table_that_never_was_is_refused(stage: Stage) -> None:
    token = stage.platform.tokens.write_guest(GuestClaims("nowhere", "guest/1"))
    assert (await stage.connect(token)).refusal["data"]["code"] == "not_found"


def test_an_address_has_so_many_connections_and_no_more(tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_stage(tmp_path, FakeClock(), sockets=2) as stage:
            tabs = [await stage.connect() for _ in range(2)]
            assert (await stage.connect()).refusal["data"]["code"] == "too_fast"
            assert (await stage.connect(address="192.0.2.2")).is_open
            await tabs[0].drop()
            assert not (await stage.connect("no token")).is_open
            assert (await stage.connect()).is_open

    asyncio.run(tell())


def test_who_sends_too_much_is_told_so_and_shown_out(tmp_path: Path) -> None:
    async def tell() -> None:
        async with open_stage(tmp_path, FakeClock(), events=3) as stage:
            tab = await stage.connect()
            answers = [await tab.emit("matchmaking:leave", {}) for _ in range(4)]
            assert [answer["ok"] for answer in answers] == [True] * 3 + [False]
            assert code(answers[3]) == "too_fast"
            assert tab.last("game:error")["code"] == "too_fast"
            assert not tab.is_open
            assert stage.sockets._open == {}
            assert await tab.emit("matchmaking:leave", {}) is None

    asyncio.run(tell())


@staged
async def test_whoever_is_lost_while_being_let_in_leaves_nothing_behind(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only a database elsewhere is so slow that this can happen."""
    token, admit = (await stage.session("ann")).token, stage.platform.sessions.admit

    async def admit_slowly(token: str) -> Any:
        (tab,) = stage.tabs.values()
        await tab.drop()
        return await admit(token)

    monkeypatch.setattr(stage.platform.sessions, "admit", admit_slowly)
    await stage.connect(token)
    assert (stage.sockets._open, stage.rooms._clients) == ({}, {})
    assert not stage.sio.manager.rooms


@staged
async def test_an_event_that_nobody_knows_is_refused(stage: Stage) -> None:
    tab = await stage.connect()
    assert code(await tab.emit("game:cheat", {})) == "malformed"
    await tab.emit("x" * 1000, {})
    assert tab.last("game:error")["event"] == "x" * 64


@staged
async def test_a_failure_of_ours_is_admitted_without_saying_what_it_was(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("the secret is 42")

    one, _ = await stage.pair()
    monkeypatch.setattr(stage.platform.tables, "execute", fail)
    answer = await one.act("game:resign")
    assert code(answer) == "internal"
    assert "42" not in str(answer) + str(one.last("game:error"))


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
@staged
async def test_no_payload_is_our_failure_or_changes_the_game(stage: Stage, game: str) -> None:
    one, _ = await stage.pair(game=game)
    stranger = await stage.connect(game=game)
    here = [each | {"roomId": one.room} for each in ODD if isinstance(each, dict)]
    for event in sorted(EVENTS):
        is_meant = event in ("game:resign", "game:draw:offer")  # the room is all they take
        for payload in ODD if is_meant else ODD + here:
            for tab in (one, stranger):
                answer = await tab.emit(event, payload)
                assert answer["ok"] or code(answer) != "internal", (event, payload, answer)
    table = await stage.table(one)
    assert (table.outcome, table.version) == (None, 1)


@staged
async def test_everybody_can_be_told_something(stage: Stage) -> None:
    tabs = [await stage.connect(), await stage.connect(game="backgammon")]
    await stage.rooms.broadcast("server:stopping", {"message": "bye"})
    assert all(tab.heard == [("server:stopping", {"message": "bye"})] for tab in tabs)


@staged
async def test_an_event_of_nobody_is_refused(stage: Stage) -> None:
    assert code(await stage.rooms.receive("nobody", "game:resign", {})) == "unauthorized"
    await stage.rooms.disconnect("nobody")
