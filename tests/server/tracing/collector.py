"""A collector of spans over OTLP/HTTP, as far as the tests need one."""

from __future__ import annotations

import gzip
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

PATIENCE = 120.0
"""Seconds, for a busy machine."""


class ReceivedSpan(NamedTuple):
    name: str
    trace: str
    id: str
    parent: str
    process: str


class Collector:
    def __init__(self) -> None:
        self.spans: list[ReceivedSpan] = []
        self._news = threading.Condition()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.headers.get("Content-Encoding") == "gzip":
                    body = gzip.decompress(body)
                assert self.path == "/v1/traces", self.path
                collector._take(ExportTraceServiceRequest.FromString(body))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_request(self, code: object = "-", size: object = "-") -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def trace(self, start: str, *names: str) -> list[ReceivedSpan]:
        """The first trace with a span named `start`, once it has all of these, each as often as it is named."""
        until = time.monotonic() + PATIENCE
        with self._news:
            while True:
                for first in (span for span in self.spans if span.name == start):
                    found = [span for span in self.spans if span.trace == first.trace]
                    if Counter(span.name for span in found) >= Counter(names):
                        return found
                assert self._news.wait(until - time.monotonic()), sorted({span.name for span in self.spans})

    def _take(self, request: ExportTraceServiceRequest) -> None:
        with self._news:
            for resource in request.resource_spans:
                names = {each.key: each.value.string_value for each in resource.resource.attributes}
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        trace, id, parent = (
                            value.hex() for value in (span.trace_id, span.span_id, span.parent_span_id)
                        )
                        self.spans.append(ReceivedSpan(span.name, trace, id, parent, names["service.instance.id"]))
            self._news.notify_all()


@contextmanager
def running_collector() -> Iterator[Collector]:
    collector = Collector()
    thread = threading.Thread(target=collector.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield collector
    finally:
        collector.server.shutdown()
        thread.join()
        collector.server.server_close()
