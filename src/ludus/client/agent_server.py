"""Serves an agent at an address: `ludus match` posts a state and gets an action."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import traceback
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Final

from ludus.client.agent import Agent, View, ask
from ludus.core.errors import BadInput

PORT: Final = 8766
MOST_BYTES: Final = 1 << 20
"""The most bytes of a request; the legal moves of one position can have thousands of steps."""
IDLE_SECONDS: Final = 300.0
"""Seconds after which an idle connection is closed."""
JSON: Final = "application/json"


def serve(
    agent: Agent, *, port: int = PORT, host: str = "127.0.0.1", tell: Callable[[str], object] | None = None
) -> None:
    """Answers requests until Ctrl-C; `tell` gets a line with the address, which is printed without it.

    `agent` is what `run` takes: a function, which several matches may call at once, or a coroutine function.
    """
    with AgentServer(agent, host, port) as server:
        (tell or _print)(f"The agent is at {server.url}")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            return


class AgentServer(ThreadingHTTPServer):
    """One thread per connection, and one event loop that calls the agent."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, agent: Agent, host: str = "127.0.0.1", port: int = 0) -> None:
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._agent = agent
        self._loop = asyncio.new_event_loop()
        self._loop_thread = Thread(target=self._loop.run_forever, daemon=True)
        self._loop_thread.start()
        try:
            super().__init__((host, port), _RequestHandler)
        except OSError as error:
            raise BadInput(f"cannot listen on {host}:{port}: {error.strerror}") from error

    @property
    def url(self) -> str:
        host, port = self.server_address[:2]
        name = host.decode() if isinstance(host, bytes) else str(host)
        return f"http://{f'[{name}]' if ':' in name else name}:{port}"

    def ask(self, view: View) -> dict[str, Any]:
        return asyncio.run_coroutine_threadsafe(ask(self._agent, view), self._loop).result()

    def server_close(self) -> None:
        super().server_close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._loop_thread.join()
        self._loop.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up while the agent thinks is not an error."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _BadRequest(Exception):
    def __init__(self, status: int, problem: str) -> None:
        super().__init__(problem)
        self.status = status


class _RequestHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = IDLE_SECONDS
    server: AgentServer

    def do_POST(self) -> None:  # the library's name
        try:
            view = self._view()
        except _BadRequest as error:
            self.close_connection = True  # the rest of the request is not read
            return self._respond(error.status, {"error": "invalid_input", "details": [str(error)]})
        try:
            action = self.server.ask(view)
        except Exception as error:
            traceback.print_exc()
            return self._respond(500, {"error": "agent_failed", "details": f"{type(error).__name__}: {error}"})
        return self._respond(200, {"action": action})

    def do_GET(self) -> None:
        self._respond(405, {"error": "method_not_allowed", "details": "POST a state, and an action comes back"})

    def _view(self) -> View:
        """The view in the request. It must be JSON, which no web page can send here without a preflight."""
        if self.headers.get_content_type() != JSON:
            raise _BadRequest(415, f"Content-Type: must be {JSON}")
        size = self.headers.get("Content-Length", "")
        if not size.isdecimal():
            raise _BadRequest(411, "Content-Length: must be given")
        if int(size) > MOST_BYTES:
            raise _BadRequest(413, f"body: has more than {MOST_BYTES} bytes")
        try:
            view = json.loads(self.rfile.read(int(size)))["view"]
        except (ValueError, TypeError, KeyError, RecursionError):
            view = None
        if not isinstance(view, dict):
            raise _BadRequest(400, "body: must be a JSON object with a view")
        return view

    def _respond(self, status: int, body: dict[str, Any]) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", JSON)
        self.send_header("Content-Length", str(len(content)))
        if status == 405:
            self.send_header("Allow", "POST")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  # the library's name
        """Logs nothing: a line per move would be noise."""


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
