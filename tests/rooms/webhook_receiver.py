"""A tenant's webhook receiver on this machine."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from .player import WAIT, Payload


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
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
