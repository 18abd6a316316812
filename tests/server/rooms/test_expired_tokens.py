"""A token that has expired may finish its game, and starts no other."""

from __future__ import annotations

from typing import Any

import jwt
from tests.server.rooms.harness import RoomHarness, Tab, with_harness
from tests.service.parts import FakeClock
from tests.service.platforms import SECRET

from ludus.service.ports.writes import PutTenant
from ludus.service.records import Tenant
from ludus.service.sessions import PAGE_TENANT

MOVE = {"from": 40, "to": 33, "captures": []}
LIFETIME = 300
"""Seconds for which a session's token is valid."""


def code(ack: Any) -> str:
    return str(ack["error"]["code"])


async def players(harness: RoomHarness, **changes: Any) -> tuple[Tab, Tab]:
    return await harness.pair(has_afk_limit=False, **changes)


@with_harness
async def test_an_expired_token_finishes_its_game(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await players(harness)
    clock.wait(LIFETIME)
    assert (await one.act("game:move", move=MOVE))["ok"]
    assert (await two.act("game:resign"))["ok"]
    assert one.last("game:over")["winner"] == one.id


@with_harness
async def test_an_expired_token_starts_no_rematch(harness: RoomHarness, clock: FakeClock) -> None:
    one, two = await players(harness)
    clock.wait(LIFETIME - 1)
    await one.act("game:resign")
    assert (await one.act("game:rematch"))["ok"]
    clock.wait(1)
    assert code(await two.act("game:rematch")) == "expired"
    assert two.last("game:error")["event"] == "game:rematch"
    assert (await harness.table(one)).rematch is None


@with_harness
async def test_an_expired_token_starts_no_rematch_against_a_bot(harness: RoomHarness, clock: FakeClock) -> None:
    tab = await harness.enter("ann", match_type="bot", has_afk_limit=False)
    await tab.act("game:resign")
    clock.wait(LIFETIME)
    assert code(await tab.act("game:rematch")) == "expired"


@with_harness
async def test_rematches_do_not_prolong_a_token(harness: RoomHarness, clock: FakeClock) -> None:
    ticket = await harness.session("ann", match_type="bot")
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    for _ in range(3):
        clock.wait(LIFETIME / 4)
        await tab.act("game:resign")
        assert (await tab.act("game:rematch"))["ok"]
    clock.wait(LIFETIME / 4)
    await tab.act("game:resign")
    assert code(await tab.act("game:rematch")) == "expired"
    for token in (ticket.token, tab.last("game:started")["reconnectToken"]):
        back = await harness.connect(token)
        assert (await back.emit("game:reconnect", {}))["roomId"] == tab.room
        assert code(await back.emit("game:rematch", {"roomId": tab.room})) == "expired"


@with_harness
async def test_the_token_of_a_rematch_names_its_own_session(harness: RoomHarness) -> None:
    ticket = await harness.session("ann", match_type="bot", theme={"primaryColor": "#ff6b00"})
    tab = await harness.connect(ticket.token)
    await tab.emit("matchmaking:join", {})
    await tab.act("game:resign")
    await tab.act("game:rematch")
    started = tab.last("game:started")
    first, second = (
        jwt.decode(token, SECRET, algorithms=["HS256"], options={"verify_exp": False, "verify_iat": False})
        for token in (ticket.token, started["reconnectToken"])
    )
    assert second == first | {"sessionId": started["sessionId"]} != first
    assert (await harness.platform.sessions.get(second["sessionId"])).table == tab.room


@with_harness
async def test_an_expired_token_joins_no_queue(harness: RoomHarness, clock: FakeClock) -> None:
    late = await harness.connect((await harness.session("ann", match_type="private")).token)
    clock.wait(LIFETIME)
    assert code(await late.emit("matchmaking:join", {})) == "expired"


@with_harness
async def test_whoever_waits_in_the_queue_keeps_their_place(harness: RoomHarness, clock: FakeClock) -> None:
    tab = await harness.enter("ann")
    clock.wait(LIFETIME)
    assert (await tab.emit("matchmaking:join", {}))["position"] == 1


@with_harness
async def test_guests_of_the_page_may_always_ask_for_a_rematch(harness: RoomHarness, clock: FakeClock) -> None:
    await harness.platform.store.commit(PutTenant(Tenant(PAGE_TENANT, "The page", 0)))
    tab = await harness.enter("ann", tenant=PAGE_TENANT, mode="training", match_type="bot", has_afk_limit=False)
    clock.wait(LIFETIME)
    await tab.act("game:resign")
    assert (await tab.act("game:rematch"))["ok"]
