"""One connection to rooms, whichever client library holds it."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

WAIT = 60.0  # seconds after which something that should have come has not, also where the machine is busy
Payload = dict[str, Any]


class ClientKind(NamedTuple):
    """A client library and the transport it is told to use."""

    client: str
    transport: str

    def __str__(self) -> str:
        return f"{self.client}-{self.transport}"

    @property
    def transports(self) -> list[str]:
        return ["polling", "websocket"] if self.transport == "upgrade" else [self.transport]


# What browsers do by default: they come by polling and move on to a websocket.
UPGRADES = [ClientKind("js", "upgrade"), ClientKind("python", "upgrade")]
CLIENT_KINDS = [ClientKind(client, transport) for client in ("js", "python") for transport in ("websocket", "polling")]


class Event(NamedTuple):
    name: str
    args: list[Any]

    @property
    def payload(self) -> Any:
        """What a listener with one argument gets; nothing and several things are both wrong."""
        assert len(self.args) == 1, self
        return self.args[0]


class Endpoint(NamedTuple):
    """Where to knock."""

    url: str
    namespace: str
    path: str
    auth: dict[str, str] | None
    query: dict[str, str]


class Refused(Exception):
    """The server did not let the connection in."""


class Player(ABC):
    """What the server says is kept in order in `events`; each message is handed out once by `wait`."""

    def __init__(self, name: str, kind: ClientKind, place: Endpoint) -> None:
        self.name, self.kind, self.place = name, kind, place
        self.token = (place.auth or place.query).get("token", "")
        self.id = self.room = ""
        self.started: Payload = {}
        self.events: list[Event] = []
        self.is_connected = False
        self._taken: set[int] = set()
        self._news = threading.Condition()

    @abstractmethod
    def connect(self) -> None: ...

    @abstractmethod
    def send(self, name: str, *args: Any) -> None:
        """Without an acknowledgement."""

    @abstractmethod
    def emit(self, name: str, *args: Any) -> Any:
        """Answers what the acknowledgement brought."""

    @abstractmethod
    def disconnect(self) -> None: ...

    @abstractmethod
    def drop(self) -> None:
        """As when a phone leaves the network."""

    def close(self) -> None:
        """Leaves nothing behind, whoever ended the connection."""
        if self.is_connected:
            self.disconnect()

    def note(self, change: Callable[[], None]) -> None:
        """Something happened, on whichever thread: make the change and wake who waits."""
        with self._news:
            change()
            self._news.notify_all()

    def receive(self, name: str, args: list[Any]) -> None:
        self.events.append(Event(name, args))

    def until(self, condition: Callable[[], Any], what: str, within: float = WAIT) -> Any:
        """The first truth that the condition tells."""
        with self._news:
            found = self._news.wait_for(condition, within)
            assert found, f"{self.name} waited {within} s for {what} after {self.events[-5:]}"
            return found

    def next(self, *names: str, within: float = WAIT) -> Event:
        """The oldest message of these names that was not handed out yet."""

        def fresh() -> int | None:
            found = (i for i, event in enumerate(self.events) if event.name in names and i not in self._taken)
            return next(found, -1) + 1 or None

        place: int = self.until(fresh, " or ".join(names), within) - 1
        self._taken.add(place)
        return self.events[place]

    def wait(self, name: str, within: float = WAIT) -> Any:
        return self.next(name, within=within).payload

    def wait_for_the_end(self) -> None:
        """Until the server has closed the connection."""
        self.until(lambda: not self.is_connected, "the connection to end")

    def heard(self, name: str) -> list[Any]:
        """The payloads of all messages of a name, handed out or not."""
        return [event.payload for event in list(self.events) if event.name == name]

    def only(self, name: str) -> Any:
        """The one message of a name, handed out or not, that there is or will be."""
        self.until(lambda: self.heard(name), name)
        (payload,) = self.heard(name)
        return payload

    def must(self, name: str, payload: Payload) -> Payload:
        """An event that the server has to accept."""
        ack = self.emit(name, payload)
        assert isinstance(ack, dict) and ack.get("ok") is True, (name, payload, ack)
        return ack

    def begin(self) -> Payload:
        """Waits for a game and adopts the seat that it brings."""
        self.started = self.wait("game:started")
        self.id, self.room = self.started["playerId"], self.started["roomId"]
        return self.started

    def own(self, **more: Any) -> Payload:
        return {"roomId": self.room, "playerId": self.id, **more}

    def act(self, name: str, **more: Any) -> Payload:
        """Does something at the own table that the server has to accept."""
        return self.must(name, self.own(**more))

    def ask_moves(self, **more: Any) -> Any:
        self.act("game:get_moves", **more)
        return self.wait("game:valid_moves")
