"""What the tenants' back ends receive, in which order, and that it is stored with the event it is about."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, HOOK, NOW, RestApp, open_app
from tests.service.parts import first_play

from ludus.games.backgammon.position import CubeAction
from ludus.service.commands import AcceptResignation, AskRematch, Leave, OfferResignation, Play, Resign, Tick
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutDelivery
from ludus.service.records import Tenant
from ludus.service.table import Table
from ludus.service.webhooks.outbox import CACHE_MS, WebhookOutbox
from ludus.wire import codec

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[RestApp]:
    """Of a tenant who wants to hear."""
    async with open_app(tmp_path, HOOK) as app:
        yield app


async def news(app: RestApp, session: str | None = None) -> list[tuple[str, dict[str, Any]]]:
    """The events and data of all deliveries, or of those about one session."""
    bodies = [json.loads(delivery.body) for delivery in await app.deliveries()]
    return [(body["event"], body["data"]) for body in bodies if session in (None, body["sessionId"])]


async def names(app: RestApp, session: str | None = None) -> list[str]:
    return [event for event, _ in await news(app, session)]


async def private_table(app: RestApp, **fields: Any) -> tuple[str, Table]:
    made = await app.create(matchType="private", players=[ANN, BEN], **fields)
    friend = await app.join(made)
    return made["sessionId"], await app.seat(made["sessionToken"], friend["sessionToken"])


async def test_a_new_session_sends_session_created(app: RestApp) -> None:
    made = await app.create(matchType="private")
    (delivery,) = await app.deliveries()
    assert json.loads(delivery.body) == {
        "event": "session.created",
        "deliveryId": delivery.id,
        "sessionId": made["sessionId"],
        "game": "checkers",
        "mode": "live",
        "timestamp": "2023-11-14T22:13:20.000Z",
        "data": {"matchType": "private", "players": [ANN], "roomCode": made["roomCode"]},
    }
    assert (delivery.tenant, delivery.url, delivery.state) == (app.tenant.tenant.id, HOOK, "waiting")


async def test_only_live_sessions_send_webhooks(app: RestApp) -> None:
    await app.create(mode="test", key=app.tenant.test_key)
    made = await app.create(mode="training", matchType="bot")
    table = await app.seat(made["sessionToken"])
    await app.platform.tables.execute(table.id, Resign(0))
    app.clock.ms += 300_000
    await app.platform.sweep()
    assert await app.deliveries() == []


async def test_a_tenant_without_a_webhook_costs_no_delivery_and_no_second_look(tmp_path: Path) -> None:
    async with open_app(tmp_path) as app:
        _, table = await private_table(app)
        looks = []
        ask = app.server.store.tenant

        async def tenant(id: str) -> Tenant | None:
            looks.append(id)
            return await ask(id)

        app.server.store.tenant = tenant  # type: ignore[method-assign]  # counts the calls
        for _ in range(5):
            table = (await app.platform.tables.execute(table.id, first_play(table))).table
        assert await app.deliveries() == []
        assert looks == []


async def test_a_private_game_sends_each_event_once(app: RestApp) -> None:
    session, table = await private_table(app)
    table = await app.play(table)
    assert {delivery.session for delivery in await app.deliveries()} == {session}
    sent = await news(app)
    others = ("checkers.capture", "checkers.king")
    events = [event for event, _ in sent if event not in others]
    assert events == ["session.created", "session.started", *["game.move"] * table.moves, "game.ended"]
    moves = [data for event, data in sent if event == "game.move"]
    assert [data["moveCount"] for data in moves] == list(range(1, table.moves + 1))
    assert [data["playerId"] for data in moves] == [table.seats[at % 2].id for at in range(table.moves)]
    view, positions = codec("checkers").rooms, table.game.positions
    rendered = [view.move(position, move) for position, move in zip(positions, table.game.moves, strict=False)]
    assert [data["move"] for data in moves] == rendered


async def test_captures_and_kings_follow_their_move(app: RestApp) -> None:
    _, table = await private_table(app)
    table = await app.play(table)
    sent = await news(app)
    captures = [at for at, (event, _) in enumerate(sent) if event == "checkers.capture"]
    kings = [at for at, (event, _) in enumerate(sent) if event == "checkers.king"]
    assert captures and kings
    for at in captures:
        move = sent[at - 1][1]
        assert sent[at][1] == {"playerId": move["playerId"], **move["move"]}
        assert move["move"]["captures"]
    for at in kings:
        move = next(data for event, data in reversed(sent[:at]) if event == "game.move")
        assert sent[at][1] == {"playerId": move["playerId"], "square": move["move"]["to"]}
    taken = sum(1 for event, data in sent if event == "game.move" and data["move"]["captures"])
    assert len(captures) == taken


async def test_deliveries_are_in_order_though_they_are_of_one_moment(app: RestApp) -> None:
    _, table = await private_table(app)
    while table.mover is not None:  # the clock stands still
        table = (await app.platform.tables.execute(table.id, first_play(table))).table
    sent = await news(app)
    counts = [data["moveCount"] for event, data in sent if event == "game.move"]
    assert counts == list(range(1, table.moves + 1))
    assert (sent[0][0], sent[1][0], sent[-1][0]) == ("session.created", "session.started", "game.ended")


async def test_the_start_names_the_room_and_both_players(app: RestApp) -> None:
    made = await app.create(matchType="bot", botDifficulty="hard")
    table = await app.seat(made["sessionToken"])
    event, data = (await news(app))[1]
    assert event == "session.started"
    assert data["roomId"] == table.id
    assert [(player["id"], player["isBot"]) for player in data["players"]] == [("ann", False), ("bot-hard", True)]


async def test_each_session_of_a_pair_gets_its_own_webhooks(app: RestApp) -> None:
    ann, ben = await app.create(), await app.create(players=[BEN])
    table = await app.seat(ann["sessionToken"], ben["sessionToken"])
    await app.platform.tables.execute(table.id, Resign(0))
    ended = {"winner": table.seats[1].id, "reason": "resignation", "duration": 0, "moveCount": 0}
    for made in (ann, ben):
        assert await names(app, made["sessionId"]) == ["session.created", "session.started", "game.ended"]
        assert (await news(app, made["sessionId"]))[-1] == ("game.ended", ended)


async def game_with_a_pass(app: RestApp) -> tuple[str, Table]:
    """The dice are the platform's own, so that one game may have none; most have several."""
    for _ in range(50):
        session, table = await private_table(app, game="backgammon")
        table = await app.play(table)
        if table.game.rules.pass_move in table.game.moves:
            return session, table
    raise AssertionError("fifty games without a pass")


async def test_backgammon_webhooks_leave_out_rolls_and_include_passes(app: RestApp) -> None:
    session, table = await game_with_a_pass(app)
    sent = await news(app, session)
    moves = [data for event, data in sent if event == "game.move"]
    view, rules = codec("backgammon").rooms, table.game.rules
    made = zip(table.game.positions, table.game.moves, strict=False)
    assert [data["move"] for data in moves] == [view.move(at, move) for at, move in made if not rules.chances(at)]
    assert [data["moveCount"] for data in moves] == list(range(1, table.moves + 1))
    assert {"moves": []} in [data["move"] for data in moves]
    assert table.outcome is not None
    name = ("single", "gammon", "backgammon")[table.outcome.points - 1]
    event, data = sent[-1]
    assert (event, data["points"], data["result"]) == ("game.ended", table.outcome.points, name)


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_idling_sends_a_warning_and_a_timeout(app: RestApp, game: str) -> None:
    _, table = await private_table(app, game=game)
    mover = table.mover
    assert mover is not None
    idler, other = table.seats[mover].id, table.seats[1 - mover].id
    for wait in (60_000, 30_000):
        app.clock.ms += wait
        await app.platform.tables.execute(table.id, Tick())
    sent = (await news(app))[-3:]
    assert sent[0] == (f"{game}.afk_warning", {"playerId": idler, "secondsRemaining": 30})
    assert sent[1] == (f"{game}.afk_timeout", {"forfeitedPlayerId": idler, "winnerId": other})
    assert (sent[2][0], sent[2][1]["winner"], sent[2][1]["reason"]) == ("game.ended", other, "afk_timeout")


async def test_a_player_who_stays_away_did_not_idle(app: RestApp) -> None:
    _, table = await private_table(app)
    await app.platform.tables.execute(table.id, Leave(1))
    app.clock.ms += 60_000
    await app.platform.tables.execute(table.id, Tick())
    assert (await names(app))[-2:] == ["session.started", "game.ended"]
    assert (await news(app))[-1][1]["reason"] == "disconnect"


async def test_a_rematch_is_a_session_of_its_own(app: RestApp) -> None:
    session, table = await private_table(app)
    await app.platform.tables.execute(table.id, Resign(0))
    next_table = app.platform.tables.new_id()
    for seat in (0, 1):
        await app.platform.tables.execute(table.id, AskRematch(seat, next_table))
    rematch = (await app.platform.tables.load(next_table)).table
    again = rematch.seats[0].session
    assert again is not None and again != session
    assert await names(app, again) == ["session.started"]
    await app.platform.tables.execute(next_table, Resign(1))
    assert await names(app, again) == ["session.started", "game.ended"]


async def test_a_session_that_is_not_joined_sends_session_expired_once(app: RestApp) -> None:
    made = await app.create()
    app.clock.ms += 300_000
    for _ in range(2):
        await app.platform.sweep()
    assert await names(app, made["sessionId"]) == ["session.created", "session.expired"]
    assert (await news(app))[-1][1]["players"] == [ANN]


async def test_a_failed_commit_sends_no_webhooks(app: RestApp) -> None:
    _, table = await private_table(app)
    before = await app.deliveries()
    outbox = app.server.outbox

    async def spoil(decision: Any) -> list[Any]:
        return [*await outbox.on_decision(decision), PutDelivery(before[0]._replace(attempts=7))]

    app.platform.tables.hooks[:] = [spoil]
    with pytest.raises(Conflict):
        await app.platform.tables.execute(table.id, Resign(0))
    assert await app.deliveries() == before


async def test_the_dispatcher_is_woken_when_there_are_deliveries_and_only_then(app: RestApp) -> None:
    woken = asyncio.Event()
    outbox = WebhookOutbox(app.server.store, app.platform.tables.new_id, app.clock, woken.set)
    made = await app.create(mode="test", key=app.tenant.test_key)
    silent = await app.platform.sessions.get(made["sessionId"])
    assert outbox.created(silent, app.tenant.tenant) == []
    await asyncio.sleep(0.1)
    assert not woken.is_set()
    live = await app.platform.sessions.get((await app.create())["sessionId"])
    assert outbox.created(live, app.tenant.tenant)
    await asyncio.wait_for(woken.wait(), 90)


async def test_a_tenant_is_asked_for_again_after_a_while(app: RestApp) -> None:
    store: Store = app.server.store
    outbox, id = (
        WebhookOutbox(store, app.platform.tables.new_id, app.clock, lambda: None),
        app.tenant.tenant.id,
    )
    looks = []
    ask = store.tenant

    async def tenant(id: str) -> Tenant | None:
        looks.append(app.clock.ms - NOW)
        return await ask(id)

    store.tenant = tenant  # type: ignore[method-assign]  # counts the calls
    for wait in (0, 0, CACHE_MS - 1, 1, 0, -10_000):
        app.clock.ms += wait
        assert await outbox.tenant(id) == app.tenant.tenant
    assert looks == [0, CACHE_MS, CACHE_MS - 10_000]


async def test_doubles_and_the_games_of_a_match_are_reported(app: RestApp) -> None:
    session, table = await private_table(app, game="backgammon", matchLength=3)
    ids = [seat.id for seat in table.seats]
    while CubeAction.DOUBLE not in table.game.legal_moves():
        table = (await app.platform.tables.execute(table.id, first_play(table))).table
    doubler = table.mover or 0
    for seat, word in ((doubler, "double"), (1 - doubler, "take")):
        await app.platform.tables.execute(table.id, Play(seat, word))
    for _ in range(2):  # a game is worth two points now
        await app.platform.tables.execute(table.id, OfferResignation(doubler, 1))
        await app.platform.tables.execute(table.id, AcceptResignation(1 - doubler))
    found = [(event, data) for event, data in await news(app, session) if event.startswith("backgammon.")]
    assert found[:2] == [
        ("backgammon.double", {"playerId": ids[doubler], "value": 2}),
        ("backgammon.take", {"playerId": ids[1 - doubler], "value": 2}),
    ]
    ended = [data for event, data in found if event == "backgammon.game_ended"]
    colors = ("white", "black")
    assert [(data["playerId"], data["winner"], data["points"], data["reason"]) for data in ended] == [
        (ids[doubler], colors[1 - doubler], 2, "resignation"),
        (ids[doubler], colors[1 - doubler], 1, "resignation"),
    ]
    created, started, *_, (last, result) = await news(app, session)
    assert (created[1]["matchLength"], started[1]["cube"]) == (3, True)
    assert last == "game.ended" and result["match"]["score"][colors[1 - doubler]] == 3
