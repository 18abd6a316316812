"""A chat completions endpoint whose model picks moves blindly and sometimes talks nonsense."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Endpoint(ThreadingHTTPServer):
    asked: list[dict[str, Any]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Request(BaseHTTPRequestHandler):
    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append({**body, "path": self.path, "key": self.headers["Authorization"]})
        answer = {"choices": [{"message": {"role": "assistant", "content": words(len(self.server.asked), body)}}]}
        content = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nobody reads it."""


def words(number: int, body: dict[str, Any]) -> str:
    """Every third answer gives no move; the others give the last one in the list."""
    if number % 3 == 0:
        return "I would rather not say."
    listed = next(part["content"] for part in body["messages"] if "Legal moves" in part["content"])
    numbers = re.findall(r"(?:: |; )(\d+) ", listed.partition("Legal moves")[2])
    return f"There are {len(numbers)} moves.\nmove: {numbers[-1]}"


@contextmanager
def opened() -> Iterator[Endpoint]:
    with Endpoint(("127.0.0.1", 0), _Request) as server:
        server.asked = []
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
