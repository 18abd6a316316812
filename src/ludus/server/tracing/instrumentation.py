"""Puts spans around what one server does with a command, by replacing functions of its objects.

A trace starts with what a client sends: a request, a socket event, a frame. Its spans follow the command to the commit
and, by the note about it, to every process that shows the table. A bot's turn is a trace of its own, linked to the one
that made it the bot's turn.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

from opentelemetry import context as contexts
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ludus import __version__
from ludus.core.errors import LudusError
from ludus.service.platform import Platform
from ludus.service.ports.bus import Bus, Concern, Note, TableChanged
from ludus.service.ports.writes import PutDelivery, Write
from ludus.service.records import Delivery
from ludus.service.table import Table

if TYPE_CHECKING:
    from ludus.server.app import Server

Attributes = Mapping[str, str | int]

HEADER: Final = "traceparent"
PROPAGATOR: Final = TraceContextTextMapPropagator()
NOWHERE: Final = Context()
"""The parent of spans that start a trace."""
STOP_SECONDS: Final = 2.0
"""For the last spans to be sent; a collector that does not answer must not hold up a stop."""


class Tracing:
    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("ludus", __version__)

    def follow_notes(self, bus: Bus) -> None:
        """Before anyone subscribes: notes name the span they come from, and listeners run as a part of its trace."""
        replace(bus, "publish", self._publishing)
        replace(bus, "subscribe", _subscribing)

    def instrument_platform(self, platform: Platform) -> None:
        replace(platform.tables, "execute", self._executing)
        replace(platform.tables, "_refresh", self._inside("refresh"))
        replace(platform.store, "commit", self._committing)
        replace(platform.bots, "_act_once", self._taking_turn)
        replace(platform.engine_pool, "choose", self._inside("choose"))

    def instrument(self, server: Server, templates: Mapping[object, str]) -> None:
        """`templates` are those of the routes' paths, by endpoint."""
        self.instrument_platform(server.platform)
        replace(server, "_web", lambda app: self._answering(app, templates))
        replace(server.rooms, "receive", self._receiving)
        replace(server.arena, "act", self._acting)
        replace(server.sio, "send_event", self._emitting)
        replace(server.dispatcher, "_post", self._posting)
        listeners = server.arena.listeners
        listeners[:] = [self._showing(server.arena.shows, listener) for listener in listeners]

    async def stop(self) -> None:
        """Sends what is left, for a short time only."""
        sender = Thread(target=self._provider.shutdown, daemon=True)
        sender.start()
        await asyncio.to_thread(sender.join, STOP_SECONDS)

    @contextmanager
    def _span(
        self,
        name: str,
        kind: SpanKind = SpanKind.INTERNAL,
        attributes: Attributes | None = None,
        parent: Context | None = None,
        links: Sequence[Link] = (),
    ) -> Iterator[Span]:
        """A refused command is no fault of ours: its span says why, without a traceback."""
        with self._tracer.start_as_current_span(
            name, parent, kind, attributes, links, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                yield span
            except LudusError as error:
                span.set_attribute("error.type", error.code)
                raise
            except Exception as error:
                span.record_exception(error)
                span.set_status(Status(StatusCode.ERROR, type(error).__name__))
                raise

    def _inside(self, name: str) -> Callable[[Any], Any]:
        """A span for a call that is part of a trace; none for other calls."""

        def wrap(call: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
            async def traced(*args: Any, **options: Any) -> Any:
                if not _is_recorded():
                    return await call(*args, **options)
                with self._span(name):
                    return await call(*args, **options)

            return traced

        return wrap

    def _answering(self, app: ASGIApp, templates: Mapping[object, str]) -> ASGIApp:
        async def traced(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                return await app(scope, receive, send)
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            parent = PROPAGATOR.extract({HEADER: headers[HEADER]}, NOWHERE) if HEADER in headers else NOWHERE
            method = scope["method"]
            with self._span(method, SpanKind.SERVER, {"http.request.method": method}, parent) as span:

                async def noting(message: Message) -> None:
                    if message["type"] == "http.response.start":
                        span.set_attribute("http.response.status_code", message["status"])
                    await send(message)

                try:
                    return await app(scope, receive, noting)
                finally:
                    if route := getattr(scope.get("route"), "path", None) or templates.get(scope.get("endpoint")):
                        span.update_name(f"{method} {route}")
                        span.set_attribute("http.route", route)

        return traced

    def _receiving(self, receive: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def traced(sid: str, event: str, payload: object) -> Any:
            with self._span(f"receive {event[:32]}", SpanKind.SERVER, parent=NOWHERE) as span:
                ack = await receive(sid, event, payload)
                if isinstance(ack, dict) and "error" in ack:
                    span.set_attribute("error.type", ack["error"]["code"])
                return ack

        return traced

    def _acting(self, act: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def traced(*args: Any) -> Any:
            with self._span("action", SpanKind.INTERNAL if _is_traced() else SpanKind.SERVER):
                return await act(*args)

        return traced

    def _executing(self, execute: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def traced(id: str, command: object, **options: Any) -> Any:
            if _is_traced() and not _is_recorded():
                return await execute(id, command, **options)
            with self._span(f"execute {type(command).__name__}", attributes={"ludus.table": id}) as span:
                result = await execute(id, command, **options)
                span.set_attribute("ludus.version", result.version)
                return result

        return traced

    def _committing(self, commit: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def traced(*writes: Write) -> None:
            if not _is_traced():
                return await commit(*writes)
            if not _is_recorded():
                return await commit(*_named(writes))
            with self._span("commit", attributes={"ludus.writes": len(writes)}):
                return await commit(*_named(writes))

        return traced

    def _publishing(self, publish: Callable[[Note], Awaitable[None]]) -> Callable[[Note], Awaitable[None]]:
        async def traced(note: Note) -> None:
            if not isinstance(note, TableChanged) or not _is_recorded():
                return await publish(note)
            with self._span("publish", SpanKind.PRODUCER, {"ludus.table": note.table, "ludus.version": note.version}):
                return await publish(note._replace(traceparent=_traceparent()))

        return traced

    def _emitting(self, emit: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        """A message of rooms, to all who get the same."""

        async def traced(engines: Sequence[str], namespace: str, event: str, data: Any) -> Any:
            if not _is_recorded():
                return await emit(engines, namespace, event, data)
            with self._span(f"emit {event}", attributes={"ludus.clients": len(engines)}):
                return await emit(engines, namespace, event, data)

        return traced

    def _showing(
        self, shows: Callable[[str], bool], listener: Callable[[Note], Awaitable[None]]
    ) -> Callable[[Note], Awaitable[None]]:
        """The arena's frames."""

        async def traced(note: Note) -> None:
            if not isinstance(note, TableChanged) or not shows(note.table) or not _is_recorded():
                return await listener(note)
            with self._span("emit"):
                return await listener(note)

        return traced

    def _taking_turn(self, act: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        async def traced(table: Table, seat: int) -> None:
            cause = trace.get_current_span().get_span_context()
            links = [Link(cause)] if cause.is_valid else []
            attributes: Attributes = {"ludus.table": table.id, "ludus.game": table.opening.game}
            with self._span("bot turn", attributes=attributes, parent=NOWHERE, links=links):
                return await act(table, seat)

        return traced

    def _posting(self, post: Callable[[Delivery], Awaitable[str | None]]) -> Callable[..., Awaitable[str | None]]:
        async def traced(delivery: Delivery) -> str | None:
            parent = PROPAGATOR.extract({HEADER: delivery.traceparent}, NOWHERE)
            attributes: Attributes = {"ludus.delivery": delivery.id, "ludus.attempt": delivery.attempts + 1}
            with self._span(f"webhook {delivery.event}", SpanKind.CLIENT, attributes, parent) as span:
                problem = await post(delivery._replace(traceparent=_traceparent()))
                if problem is not None:
                    span.set_status(Status(StatusCode.ERROR, problem))
                return problem

        return traced


def replace(owner: object, name: str, wrap: Callable[[Any], Any]) -> None:
    original = getattr(owner, name)
    setattr(owner, name, functools.update_wrapper(wrap(original), original))


def _subscribing(subscribe: Callable[..., None]) -> Callable[..., None]:
    def traced(listener: Callable[[Note], Awaitable[None]], concerns: Concern | None = None) -> None:
        async def following(note: Note) -> None:
            origin = note.traceparent if isinstance(note, TableChanged) else ""
            token = contexts.attach(PROPAGATOR.extract({HEADER: origin}, NOWHERE) if origin else NOWHERE)
            try:
                await listener(note)
            finally:
                contexts.detach(token)

        subscribe(following, concerns)

    return traced


def _is_traced() -> bool:
    return trace.get_current_span().get_span_context().is_valid


def _is_recorded() -> bool:
    """Whether it is one of the traces that were sampled: spans that are thrown away cost a third of the others."""
    here = trace.get_current_span().get_span_context()
    return here.is_valid and here.trace_flags.sampled


def _traceparent() -> str:
    carrier: dict[str, str] = {}
    PROPAGATOR.inject(carrier)
    return carrier.get(HEADER, "")


def _named(writes: Sequence[Write]) -> Sequence[Write]:
    """Webhooks carry the trace on, also one that isn't recorded here."""
    if not any(isinstance(write, PutDelivery) for write in writes):
        return writes
    here = _traceparent()
    return [_naming(write, here) for write in writes]


def _naming(write: Write, traceparent: str) -> Write:
    if isinstance(write, PutDelivery) and not write.delivery.traceparent:
        return write._replace(delivery=write.delivery._replace(traceparent=traceparent))
    return write
