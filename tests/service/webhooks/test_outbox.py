"""What the tenants' back ends are told, in which order, and that it is stored with what it is about."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.office import ANN, BEN, HOOK, NOW, Office, opened
from tests.service.parts import first_play

from ludus.service.commands import AskRematch, Leave, Resign, Tick
from ludus.service.ports import Conflict, PutDelivery, Store
from ludus.service.records import Tenant
from ludus.service.table import Table
from ludus.service.webhooks.outbox import CACHE_MS, WebhookOutbox
from ludus.wire import codec

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    """Of a tenant who wants to hear."""
    async with opened(tmp_path, HOOK) as office:
        yield office


async def news(office: Office, session: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """The events and data of all letters, or of those about one session."""
    bodies = [json.loads(delivery.body) for delivery in await office.letters()]
    return [(body["event"], body["data"]) for body in bodies if session in (None, body["sessionId"])]


async def names(office: Office, session: str | None = None) -> list[str]:
    return [event for event, _ in await news(office, session)]


async def private_table(office: Office, **fields: Any) -> tuple[str, Table]:
    made = await office.create(matchType="private", players=[ANN, BEN], **fields)
    friend = await office.join(made)
    return made["sessionId"], await office.seat(made["sessionToken"], friend["sessionToken"])


async def test_a_new_session_sends_session_created(office: Office) -> None:
    made = await office.create(matchType="private")
    (delivery,) = await office.letters()
    assert json.loads(delivery.body) == {
        "event": "session.created",
        "deliveryId": delivery.id,
        "sessionId": made["sessionId"],
        "game": "checkers",
        "mode": "live",
        "timestamp": "2023-11-14T22:13:20.000Z",
        "data": {"matchType": "private", "players": [ANN], "roomCode": made["roomCode"]},
    }
    assert (delivery.tenant, delivery.url, delivery.state) == (office.tenant.tenant.id, HOOK, "waiting")


async def test_only_live_sessions_send_webhooks(office: Office) -> None:
    await office.create(mode="test", key=office.tenant.test_key)
    made = await office.create(mode="training", matchType="bot")
    table = await office.seat(made["sessionToken"])
    await office.platform.tables.execute(table.id, Resign(0))
    office.clock.ms += 300_000
    await office.platform.sweep()
    assert await office.letters() == []


async def test_a_tenant_without_a_webhook_costs_no_delivery_and_no_second_look(tmp_path: Path) -> None:
    async with opened(tmp_path) as office:
        _, table = await private_table(office)
        looks = []
        ask = office.server.store.tenant

        async def tenant(id: str) -> Tenant | None:
            looks.append(id)
            return await ask(id)

        office.server.store.tenant = tenant  # type: ignore[method-assign]
        for _ in range(5):
            table = (await office.platform.tables.execute(table.id, first_play(table))).table
        assert await office.letters() == []
        assert looks == []


async def test_a_private_game_sends_each_event_once(office: Office) -> None:
    session, table = await private_table(office)
    table = await office.play(table)
    assert {delivery.session for delivery in await office.letters()} == {session}
    told = await news(office)
    others = ("checkers.capture", "checkers.king")
    events = [event for event, _ in told if event not in others]
    assert events == ["session.created", "session.started", *["game.move"] * table.moves, "game.ended"]
    moves = [data for event, data in told if event == "game.move"]
    assert [data["moveCount"] for data in moves] == list(range(1, table.moves + 1))
    assert [data["playerId"] for data in moves] == [table.seats[at % 2].id for at in range(table.moves)]
    view, positions = codec("checkers").rooms, table.game.positions
    shown = [view.move(position, move) for position, move in zip(positions, table.game.moves, strict=False)]
    assert [data["move"] for data in moves] == shown


async def test_captures_and_kings_follow_their_move(office: Office) -> None:
    _, table = await private_table(office)
    table = await office.play(table)
    told = await news(office)
    captures = [at for at, (event, _) in enumerate(told) if event == "checkers.capture"]
    kings = [at for at, (event, _) in enumerate(told) if event == "checkers.king"]
    assert captures and kings
    for at in captures:
        move = told[at - 1][1]
        assert told[at][1] == {"playerId": move["playerId"], **move["move"]}
        assert move["move"]["captures"]
    for at in kings:
        move = next(data for event, data in reversed(told[:at]) if event == "game.move")
        assert told[at][1] == {"playerId": move["playerId"], "square": move["move"]["to"]}
    taken = sum(1 for event, data in told if event == "game.move" and data["move"]["captures"])
    assert len(captures) == taken


async def test_deliveries_are_in_order_though_they_are_of_one_moment(office: Office) -> None:
    _, table = await private_table(office)
    while table.mover is not None:  # the clock stands still
        table = (await office.platform.tables.execute(table.id, first_play(table))).table
    told = await news(office)
    counts = [data["moveCount"] for event, data in told if event == "game.move"]
    assert counts == list(range(1, table.moves + 1))
    assert (told[0][0], told[1][0], told[-1][0]) == ("session.created", "session.started", "game.ended")


async def test_the_start_names_the_room_and_both_players(office: Office) -> None:
    made = await office.create(matchType="bot", botDifficulty="hard")
    table = await office.seat(made["sessionToken"])
    event, data = (await news(office))[1]
    assert event == "session.started"
    assert data["roomId"] == table.id
    assert [(player["id"], player["isBot"]) for player in data["players"]] == [("ann", False), ("bot-hard", True)]


async def test_each_session_of_a_pair_gets_its_own_webhooks(office: Office) -> None:
    ann, ben = await office.create(), await office.create(players=[BEN])
    table = await office.seat(ann["sessionToken"], ben["sessionToken"])
    await office.platform.tables.execute(table.id, Resign(0))
    ended = {"winner": table.seats[1].id, "reason": "resignation", "duration": 0, "moveCount": 0}
    for made in (ann, ben):
        assert await names(office, made["sessionId"]) == ["session.created", "session.started", "game.ended"]
        assert (await news(office, made["sessionId"]))[-1] == ("game.ended", ended)


async def game_with_a_pass(office: Office) -> tuple[str, Table]:
    """The dice are the platform's own, so that one game may have none; most have several."""
    for _ in range(50):
        session, table = await private_table(office, game="backgammon")
        table = await office.play(table)
        if table.game.rules.pass_move in table.game.moves:
            return session, table
    raise AssertionError("fifty games without a pass")


async def test_backgammon_webhooks_leave_out_rolls_and_include_passes(office: Office) -> None:
    session, table = await game_with_a_pass(office)
    told = await news(office, session)
    moves = [data for event, data in told if event == "game.move"]
    view, rules = codec("backgammon").rooms, table.game.rules
    made = zip(table.game.positions, table.game.moves, strict=False)
    assert [data["move"] for data in moves] == [view.move(at, move) for at, move in made if not rules.chances(at)]
    assert [data["moveCount"] for data in moves] == list(range(1, table.moves + 1))
    assert {"moves": []} in [data["move"] for data in moves]
    assert table.outcome is not None
    name = ("single", "gammon", "backgammon")[table.outcome.points - 1]
    event, data = told[-1]
    assert (event, data["points"], data["result"]) == ("game.ended", table.outcome.points, name)


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_idling_sends_a_warning_and_a_timeout(office: Office, game: str) -> None:
    _, table = await private_table(office, game=game)
    mover = table.mover
    assert mover is not None
    idler, other = table.seats[mover].id, table.seats[1 - mover].id
    for wait in (60_000, 30_000):
        office.clock.ms += wait
        await office.platform.tables.execute(table.id, Tick())
    told = (await news(office))[-3:]
    assert told[0] == (f"{game}.afk_warning", {"playerId": idler, "secondsRemaining": 30})
    assert told[1] == (f"{game}.afk_timeout", {"forfeitedPlayerId": idler, "winnerId": other})
    assert (told[2][0], told[2][1]["winner"], told[2][1]["reason"]) == ("game.ended", other, "afk_timeout")


async def test_a_player_who_stays_away_did_not_idle(office: Office) -> None:
    _, table = await private_table(office)
    await office.platform.tables.execute(table.id, Leave(1))
    office.clock.ms += 60_000
    await office.platform.tables.execute(table.id, Tick())
    assert (await names(office))[-2:] == ["session.started", "game.ended"]
    assert (await news(office))[-1][1]["reason"] == "disconnect"


async def test_a_rematch_is_a_session_of_its_own(office: Office) -> None:
    session, table = await private_table(office)
    await office.platform.tables.execute(table.id, Resign(0))
    next_table = office.platform.tables.new_id()
    for seat in (0, 1):
        await office.platform.tables.execute(table.id, AskRematch(seat, next_table))
    rematch = (await office.platform.tables.load(next_table)).table
    again = rematch.seats[0].session
    assert again is not None and again != session
    assert await names(office, again) == ["session.started"]
    await office.platform.tables.execute(next_table, Resign(1))
    assert await names(office, again) == ["session.started", "game.ended"]


async def test_a_session_that_is_not_joined_sends_session_expired_once(office: Office) -> None:
    made = await office.create()
    office.clock.ms += 300_000
    for _ in range(2):
        await office.platform.sweep()
    assert await names(office, made["sessionId"]) == ["session.created", "session.expired"]
    assert (await news(office))[-1][1]["players"] == [ANN]


async def test_a_failed_commit_sends_no_webhooks(office: Office) -> None:
    _, table = await private_table(office)
    before = await office.letters()
    outbox = office.server.outbox

    async def spoil(decision: Any) -> list[Any]:
        return [*await outbox.on_decision(decision), PutDelivery(before[0]._replace(attempts=7))]

    office.platform.tables.hooks[:] = [spoil]
    with pytest.raises(Conflict):
        await office.platform.tables.execute(table.id, Resign(0))
    assert await office.letters() == before


async def test_the_dispatcher_is_woken_when_there_are_deliveries_and_only_then(office: Office) -> None:
    woken = asyncio.Event()
    outbox = WebhookOutbox(office.server.store, office.platform.tables.new_id, office.clock, woken.set)
    made = await office.create(mode="test", key=office.tenant.test_key)
    silent = await office.platform.sessions.get(made["sessionId"])
    assert outbox.created(silent, office.tenant.tenant) == []
    await asyncio.sleep(0.1)
    assert not woken.is_set()
    live = await office.platform.sessions.get((await office.create())["sessionId"])
    assert outbox.created(live, office.tenant.tenant)
    await asyncio.wait_for(woken.wait(), 90)


async def test_a_tenant_is_asked_for_again_after_a_while(office: Office) -> None:
    store: Store = office.server.store
    outbox, id = (
        WebhookOutbox(store, office.platform.tables.new_id, office.clock, lambda: None),
        office.tenant.tenant.id,
    )
    looks = []
    ask = store.tenant

    async def tenant(id: str) -> Tenant | None:
        looks.append(office.clock.ms - NOW)
        return await ask(id)

    store.tenant = tenant  # type: ignore[method-assign]
    for wait in (0, 0, CACHE_MS - 1, 1, 0, -10_000):
        office.clock.ms += wait
        assert await outbox.tenant(id) == office.tenant.tenant
    assert looks == [0, CACHE_MS, CACHE_MS - 10_000]
