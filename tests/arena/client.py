"""A client of the arena, written from its specification alone: HTTP and WebSockets, nothing of the server's."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import httpx2
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

WAIT = 60.0
"""Seconds after which something that should have come has not, also where the machine is busy."""
HOLD = 30.0
"""Seconds for which the arena may hold a request on purpose."""
Json = dict[str, Any]


class Visitor:
    """Whoever has no key."""

    def __init__(self, url: str, key: str | None = None) -> None:
        self.url = url
        self.key = key
        self.http = httpx2.Client(timeout=HOLD + WAIT)

    def ask(self, method: str, path: str, body: Any = None, **query: Any) -> httpx2.Response:
        """Any request; a body that is text is sent as it is."""
        content = body if body is None or isinstance(body, str | bytes) else json.dumps(body)
        headers = self.headers if content is None else self.headers | {"Content-Type": "application/json"}
        return self.http.request(method, self.url + path, content=content, headers=headers, params=query or None)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def get(self, path: str, **query: Any) -> Any:
        """What a request that has to succeed brings."""
        return json_of(self.ask("GET", path, **query))

    def socket(self, path: str) -> Socket:
        return Socket(self.url, path, self.headers)

    def watch(self, match: str) -> Socket:
        return self.socket(f"/ws/watch/{match}")

    def use_server(self, url: str) -> None:
        """The server is back, at another port."""
        self.url = url

    def close(self) -> None:
        self.http.close()


class Agent(Visitor):
    """A registered one. `claim` and `code` are what its owner needs."""

    def __init__(self, url: str, name: str, **more: Any) -> None:
        super().__init__(url)
        answer = self.ask("POST", "/api/agents", {"name": name, **more})
        if answer.status_code != 201:
            self.close()
        new = json_of(answer, 201)
        self.id: str = new["id"]
        self.name: str = new["name"]
        self.key = new["apiKey"]
        self.claim: str = new["claim_url"]
        self.code: str = new["verification_code"]

    def queue(self, game: str, **more: Any) -> Json:
        found: Json = json_of(self.ask("POST", "/api/matchmaking/queue", {"gameId": game, **more}))
        return found

    def leave(self, game: str) -> Any:
        return json_of(self.ask("DELETE", "/api/matchmaking/queue", gameId=game))

    def status(self, game: str) -> Json:
        found: Json = self.get("/api/matchmaking/status", gameId=game)
        return found

    def state(self, match: str, *, after: int | None = None) -> Json:
        """At once or, with a sequence, when there is something newer."""
        query = {"wait": "false"} if after is None else {"wait": "true", "afterSequence": str(after)}
        found: Json = self.get(f"/api/matches/{match}/state", **query)
        return found

    def try_action(self, match: str, sequence: Any, action: Any) -> httpx2.Response:
        return self.ask("POST", f"/api/matches/{match}/action", {"sequence": sequence, "action": action})

    def act(self, match: str, sequence: int, action: Json) -> Json:
        """The state after an action that has to be taken."""
        answer = json_of(self.try_action(match, sequence, action))
        assert answer["success"] is True
        state: Json = answer["state"]
        return state

    def resign(self, match: str) -> Json:
        """Said until it is taken: a bot may move between the look at the sequence and the word."""
        sequence = self.state(match)["sequence"]
        while (answer := self.try_action(match, sequence, {"type": "resign"})).status_code == 409:
            sequence = answer.json()["currentSequence"]
        state: Json = json_of(answer)["state"]
        return state

    def game(self, match: str) -> Socket:
        return self.socket(f"/ws/game/{match}")


def json_of(answer: httpx2.Response, status: int = 200) -> Any:
    assert answer.status_code == status, f"{answer.status_code} {answer.text}"
    return answer.json()


def timeless(state: Json) -> Json:
    """A state without when its turn ends: later, if the server paused for seconds on a busy machine."""
    return {name: value for name, value in state.items() if name != "turnEndsAt"}


def refusal(answer: httpx2.Response) -> tuple[int, str]:
    """Status and code of an error, which has no other form than this."""
    body = answer.json()
    assert set(body) <= {"error", "details", "currentSequence", "retryAfterMs"}, body
    return answer.status_code, body["error"]


class Refused(Exception):
    """No socket: the upgrade was answered like any request."""

    def __init__(self, status: int, body: Any, headers: Any) -> None:
        super().__init__(f"{status} {body}")
        self.status = status
        self.body = body
        self.headers = headers


class Socket:
    """A WebSocket; every frame is one JSON object with a type."""

    def __init__(self, url: str, path: str, headers: dict[str, str]) -> None:
        where = "ws" + url.removeprefix("http") + path
        self._stack = ExitStack()
        try:
            opening = connect(
                where, additional_headers=headers, compression=None, open_timeout=WAIT, close_timeout=1, max_size=None
            )
            self.wire: ClientConnection = self._stack.enter_context(opening)
        except InvalidStatus as refused:
            response = refused.response
            raise Refused(response.status_code, json.loads(response.body or b"null"), response.headers) from None
        self.heard: list[Json] = []

    def next(self, timeout: float = WAIT) -> Json:
        text = self.wire.recv(timeout)
        assert isinstance(text, str), "frames are text"
        frame: Json = json.loads(text)
        assert isinstance(frame, dict) and isinstance(frame["type"], str), frame
        self.heard.append(frame)
        return frame

    def expect(self, kind: str, timeout: float = WAIT) -> Json:
        frame = self.next(timeout)
        assert frame["type"] == kind, f"{frame} where {kind} should have come"
        return frame

    def send(self, data: Any) -> None:
        self.wire.send(data if isinstance(data, str | bytes) else json.dumps(data))

    def act(self, sequence: int, action: Json) -> None:
        self.send({"type": "action", "sequence": sequence, "payload": action})

    def silence(self, seconds: float = 0.3) -> None:
        """Nothing comes for a while."""
        try:
            frame = self.next(seconds)
        except TimeoutError:
            return
        raise AssertionError(f"{frame} where nothing should have come")

    def ending(self) -> int | None:
        """The code that the server closes with, after whatever else it says."""
        try:
            while True:
                self.next()
        except ConnectionClosed as end:
            return end.rcvd.code if end.rcvd else None

    @property
    def kinds(self) -> list[str]:
        return [frame["type"] for frame in self.heard]

    def close(self) -> None:
        self._stack.close()

    def drop(self) -> None:
        """Gone without a word."""
        self.wire.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


NewAgent = Callable[..., Agent]
