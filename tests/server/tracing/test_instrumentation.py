"""A command is one trace, from what a client sent to what others are shown; a server without tracing has no spans."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from engineio.async_socket import AsyncSocket
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, format_span_id, format_trace_id
from tests.server.rest.rest_app import ANN, HOOK, RestApp, open_app
from tests.service.platforms import FirstMove

from ludus.core.extras import MissingExtra
from ludus.server import backend
from ludus.server.app import Server
from ludus.server.rooms.seats import Ack
from ludus.server.settings import Settings
from ludus.server.tracing import tracing_for
from ludus.server.tracing.instrumentation import Tracing
from ludus.service.commands import Payload, Play

pytestmark = pytest.mark.anyio

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


class Spans:
    """Those that have ended, by name."""

    def __init__(self) -> None:
        self.exporter = InMemorySpanExporter()
        provider = TracerProvider()
        provider.add_span_processor(SimpleSpanProcessor(self.exporter))
        self.tracing = Tracing(provider)

    def clear(self) -> None:
        self.exporter.clear()

    def all(self, name: str) -> list[ReadableSpan]:
        return [span for span in self.exporter.get_finished_spans() if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        found = self.all(name)
        assert len(found) == 1, [span.name for span in self.exporter.get_finished_spans()]
        return found[0]

    def path(self, span: ReadableSpan) -> list[str]:
        """The names from the start of the trace to this span."""
        by_id = {each.context.span_id: each for each in self.exporter.get_finished_spans() if each.context}
        names = [span.name]
        while span.parent is not None and span.parent.span_id in by_id:
            span = by_id[span.parent.span_id]
            names.insert(0, span.name)
        return names


def trace_of(span: ReadableSpan) -> str:
    assert span.context is not None
    return format_trace_id(span.context.trace_id)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def spans() -> Spans:
    return Spans()


@pytest.fixture
async def app(tmp_path: Path, spans: Spans, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[RestApp]:
    monkeypatch.setattr(backend, "tracing_for", lambda *_: spans.tracing)
    monkeypatch.setattr(backend, "EnginePool", lambda *_: FirstMove())
    async with open_app(tmp_path, HOOK, bot_pause=0) as app:
        yield app


class Player:
    """A socket of rooms without a network."""

    numbers = count()

    def __init__(self, server: Server) -> None:
        self._server = server
        self.sid = ""

    async def connect(self, token: str) -> None:
        sio, engine = self._server.sio, f"engine-{next(self.numbers)}"
        sio.eio.sockets[engine] = AsyncSocket(sio.eio, engine)
        await sio._handle_eio_connect(engine, {"asgi.scope": {"client": ("192.0.2.1", 5000)}})
        await sio._handle_eio_message(engine, f'0/checkers,{{"token":"{token}"}}')
        self.sid = sio.manager.sid_from_eio_sid(engine, "/checkers")

    async def ask(self, event: str, payload: object) -> Ack:
        """Its acknowledgement, when all listeners know of it too."""
        ack = await self._server.rooms.receive(self.sid, event, payload)
        await self._server.platform.bus.drain()
        return ack


async def room_of_two(app: RestApp) -> tuple[str, list[Player]]:
    """The room, and its players, the one to move in front."""
    made = await app.create(matchType="private", players=[ANN])
    players = []
    for token in (made["sessionToken"], (await app.join(made))["sessionToken"]):
        players.append(Player(app.server))
        await players[-1].connect(token)
        await players[-1].ask("matchmaking:join", {"username": "x"})
    (row,) = await app.platform.store.live_tables()
    moves = await players[0].ask("game:get_moves", {"roomId": row.id, "ackOnly": True})
    return row.id, players if moves["moves"] else players[::-1]


async def move_in_room(app: RestApp, spans: Spans) -> str:
    """A room in which a move was made; the spans are those of the move alone."""
    room, (mover, _) = await room_of_two(app)
    moves = (await mover.ask("game:get_moves", {"roomId": room, "ackOnly": True}))["moves"]
    spans.clear()
    ack = await mover.ask("game:move", {"roomId": room, "move": moves[0]})
    assert ack["ok"], ack
    return room


async def test_a_move_is_one_trace_from_the_socket_to_those_who_are_shown_it(app: RestApp, spans: Spans) -> None:
    room = await move_in_room(app, spans)
    received = spans.one("receive game:move")
    assert received.parent is None and received.kind is SpanKind.SERVER
    assert spans.path(spans.one("commit")) == ["receive game:move", "execute Play", "commit"]
    assert spans.path(spans.one("publish")) == ["receive game:move", "execute Play", "publish"]
    assert spans.path(spans.one("emit game:move:made")) == [*spans.path(spans.one("publish")), "emit game:move:made"]
    assert {trace_of(span) for span in spans.exporter.get_finished_spans()} == {trace_of(received)}
    executed = spans.one("execute Play")
    assert executed.attributes == {"ludus.table": room, "ludus.version": 2}


async def test_a_refused_command_says_why_without_a_traceback(app: RestApp, spans: Spans) -> None:
    room, (_, waiting) = await room_of_two(app)
    spans.clear()
    ack = await waiting.ask("game:move", {"roomId": room, "move": {"from": 0, "to": 1}})
    assert not ack["ok"]
    for span in (spans.one("receive game:move"), spans.one("execute Play")):
        assert span.attributes and span.attributes["error.type"] == ack["error"]["code"]
        assert not span.events and span.status.is_unset
    assert not spans.all("commit")


async def test_a_webhook_belongs_to_the_trace_of_its_move(
    app: RestApp, spans: Spans, monkeypatch: pytest.MonkeyPatch
) -> None:
    await move_in_room(app, spans)
    moved = trace_of(spans.one("receive game:move"))
    (delivery,) = [each for each in await app.deliveries() if each.event == "game.move"]
    assert delivery.traceparent.split("-")[1] == moved
    sent: list[Mapping[str, str]] = []

    async def post(_url: str, headers: Mapping[str, str], _body: bytes) -> int:
        sent.append(headers)
        return 500

    monkeypatch.setattr(app.server.dispatcher._client, "post", post)
    await app.server.dispatcher._post(delivery)
    posted = spans.one("webhook game.move")
    assert posted.context is not None and posted.kind is SpanKind.CLIENT and not posted.status.is_ok
    assert sent[0]["traceparent"].startswith(f"00-{moved}-{format_span_id(posted.context.span_id)}-")


async def test_a_bots_turn_is_a_trace_of_its_own_linked_to_the_one_before(app: RestApp, spans: Spans) -> None:
    made = await app.create(matchType="bot")
    player = Player(app.server)
    await player.connect(made["sessionToken"])
    await player.ask("matchmaking:join", {"username": "x"})
    (row,) = await app.platform.store.live_tables()
    for task in list(app.platform.bots._running.values()):
        await task
    moves = (await player.ask("game:get_moves", {"roomId": row.id, "ackOnly": True}))["moves"]
    spans.clear()
    assert (await player.ask("game:move", {"roomId": row.id, "move": moves[0]}))["ok"]
    for task in list(app.platform.bots._running.values()):
        await task
    turn = spans.one("bot turn")
    moved = trace_of(spans.one("receive game:move"))
    assert turn.parent is None and [format_trace_id(link.context.trace_id) for link in turn.links] == [moved]
    assert spans.path(spans.one("choose")) == ["bot turn", "choose"]
    assert [spans.path(span) for span in spans.all("commit")][-1] == ["bot turn", "execute Play", "commit"]


async def ask(app: RestApp, path: str, body: Any, key: str = "", **headers: str) -> Any:
    if key:
        headers["Authorization"] = f"Bearer {key}"
    answer = await app.client.request("POST" if body else "GET", path, json=body, headers=headers)
    assert answer.status_code in (200, 201), answer.text
    return answer.json()


async def test_a_request_continues_the_trace_of_its_sender(app: RestApp, spans: Spans) -> None:
    keys = [(await ask(app, "/api/agents", {"name": name}))["apiKey"] for name in ("One", "Two")]
    queued = [await ask(app, "/api/matchmaking/queue", {"gameId": "checkers", "lane": "fast"}, key) for key in keys]
    match = queued[1]["matchId"]
    states = [await ask(app, f"/api/matches/{match}/state", None, key) for key in keys]
    (turn,) = [index for index in (0, 1) if states[index]["status"] == "your_turn"]
    action = {"type": "move", **states[turn]["view"]["legalMoves"][0]}
    spans.clear()
    body = {"sequence": states[turn]["sequence"], "action": action}
    await ask(app, f"/api/matches/{match}/action", body, keys[turn], traceparent=f"00-{TRACE}-{PARENT}-01")
    answered = spans.one("POST /api/matches/{id}/action")
    assert answered.parent is not None and format_span_id(answered.parent.span_id) == PARENT
    assert answered.attributes and answered.attributes["http.response.status_code"] == 200
    assert spans.path(spans.one("commit")) == [answered.name, "action", "execute Play", "commit"]
    assert {trace_of(span) for span in spans.exporter.get_finished_spans()} == {TRACE}


async def test_of_a_trace_that_is_not_recorded_there_are_no_spans_but_webhooks_carry_it_on(
    app: RestApp, spans: Spans
) -> None:
    room, (mover, _) = await room_of_two(app)
    moves = (await mover.ask("game:get_moves", {"roomId": room, "ackOnly": True}))["moves"]
    spans.clear()
    context = SpanContext(int(TRACE, 16), int(PARENT, 16), is_remote=True)
    with trace.use_span(NonRecordingSpan(context)):
        result = await app.platform.tables.execute(room, Play(0, Payload("rooms", moves[0])))
        await app.platform.bus.drain()
    assert result.version == 2
    assert spans.exporter.get_finished_spans() == ()
    (delivery,) = [each for each in await app.deliveries() if each.event == "game.move"]
    assert delivery.traceparent == f"00-{TRACE}-{PARENT}-00"


@pytest.mark.parametrize("sent", ["", "00-0-0-01", "x" * 400, f"00-{'0' * 32}-{PARENT}-01"])
async def test_what_is_no_traceparent_starts_a_new_trace(app: RestApp, spans: Spans, sent: str) -> None:
    await ask(app, "/asyncapi.json", None, traceparent=sent)
    assert spans.one("GET /asyncapi.json").parent is None


async def test_what_nobody_has_asked_for_has_no_spans(app: RestApp, spans: Spans) -> None:
    made = await app.create(matchType="private", players=[ANN])
    spans.clear()
    await app.platform.sessions.expire(await app.platform.sessions.get(made["sessionId"]))
    assert spans.exporter.get_finished_spans() == ()


def test_a_server_without_tracing_runs_its_own_functions(tmp_path: Path) -> None:
    server = Server(Settings(data=str(tmp_path)))
    assert server.tracing is None
    parts = (server.platform.tables, server.platform.store, server.platform.bus, server.platform.bots, server.sio)
    for part in (*parts, server.rooms, server.arena, server.dispatcher, server.platform.engine_pool):
        assert not vars(part).keys() & {"execute", "commit", "publish", "send_event", "receive", "act"}


@pytest.mark.parametrize(("endpoint", "environ"), [
    ("http://collector:4318", {}),
    ("", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}),
    ("", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}),
])  # fmt: skip
async def test_a_collector_turns_tracing_on(endpoint: str, environ: dict[str, str]) -> None:
    tracing = tracing_for(Settings(otel_endpoint=endpoint), "one", environ)
    assert tracing is not None
    await tracing.stop()
    assert tracing_for(Settings(otel_endpoint=endpoint), "one", environ | {"OTEL_SDK_DISABLED": "true"}) is None


def test_without_a_collector_there_are_no_traces() -> None:
    assert tracing_for(Settings(), "one", {"OTEL_SERVICE_NAME": "games"}) is None


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ludus.server.tracing.provider", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None)
    with pytest.raises(MissingExtra, match=r"ludus-games\[otel\]"):
        tracing_for(Settings(otel_endpoint="http://collector:4318"), "one", {})
