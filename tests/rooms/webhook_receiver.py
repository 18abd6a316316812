"""A tenant's webhook receiver on this machine."""

from __future__ import annotations

import json
import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import jsonschema_rs

from ludus.server.rest.openapi import webhooks

from ..room_schemas import closed
from .player import WAIT, Payload


@cache
def webhook_validator(event: str) -> Any:
    """Of the body, which has no other fields than those described."""
    (content,) = webhooks("Ludus")[event]["post"]["requestBody"]["content"].values()
    player = {"type": "object", "properties": {"id": {}, "displayName": {}}, "required": ["id", "displayName"]}
    text = json.dumps(closed({**content["schema"], "$defs": {"Player": player}}))
    return jsonschema_rs.validator_for(json.loads(text.replace("#/components/schemas/", "#/$defs/")))


class Delivery(NamedTuple):
    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Payload:
        body: Payload = json.loads(self.raw)
        return body


class WebhookReceiver:
    """Keeps every delivery in order of arrival; `fail` makes the next ones of a path fail."""

    def __init__(self) -> None:
        self._deliveries: list[Delivery] = []
        self._failures: dict[str, int] = {}
        self._news = threading.Condition()
        receiver = self

        class RequestHandler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                self.send_response(receiver._take(Delivery(self.path, headers, raw)))
                self.end_headers()

            def log_message(self, *words: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), RequestHandler)
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self._server.server_port}{path}"

    def fail(self, path: str, times: int) -> None:
        self._failures[path] = times

    def _take(self, delivery: Delivery) -> int:
        with self._news:
            self._deliveries.append(delivery)
            self._news.notify_all()
            left = self._failures.get(delivery.path, 0)
            self._failures[delivery.path] = max(0, left - 1)
            return 500 if left else 204

    def all(self, path: str) -> list[Delivery]:
        return [delivery for delivery in self._deliveries if delivery.path == path]

    def of(self, path: str, session: str) -> list[Delivery]:
        return [delivery for delivery in self.all(path) if delivery.body["sessionId"] == session]

    def wait(self, path: str, event: str, session: str, within: float = WAIT) -> Delivery:
        """The first delivery of an event of a session."""

        def found() -> Delivery | None:
            return next((delivery for delivery in self.of(path, session) if delivery.body["event"] == event), None)

        with self._news:
            delivery = self._news.wait_for(found, within)
        heard = [other.body["event"] for other in self.all(path)]
        assert delivery, f"no {event} within {within} s; heard {heard}"
        return delivery

    def wait_for(self, path: str, count: int) -> list[Delivery]:
        with self._news:
            assert self._news.wait_for(lambda: len(self.all(path)) >= count, WAIT), self.all(path)
        return self.all(path)

    def close(self) -> None:
        """Everything received is as the OpenAPI document says."""
        self._stop()
        for delivery in self._deliveries:
            validator = webhook_validator(delivery.body["event"])
            assert not [error.message for error in validator.iter_errors(delivery.body)], delivery

    def _stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
