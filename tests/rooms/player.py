"""One connection to a room, with either client library."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

from ..room_schemas import as_strangers_see, check_ack, problems

WAIT = 60.0
"""Seconds to wait for anything, even on a busy machine."""
Payload = dict[str, Any]


class ClientKind(NamedTuple):
    """A client library and a transport."""

    client: str
    transport: str

    def __str__(self) -> str:
        return f"{self.client}-{self.transport}"

    @property
    def transports(self) -> list[str]:
        return ["polling", "websocket"] if self.transport == "upgrade" else [self.transport]


# What browsers do by default: they start with polling and upgrade to a WebSocket.
UPGRADES = [ClientKind("js", "upgrade"), ClientKind("python", "upgrade")]
CLIENT_KINDS = [ClientKind(client, transport) for client in ("js", "python") for transport in ("websocket", "polling")]


class Event(NamedTuple):
    name: str
    args: list[Any]

    @property
    def payload(self) -> Any:
        """The single argument; anything else is an error."""
        assert len(self.args) == 1, self
        return self.args[0]


class Endpoint(NamedTuple):
    """Where and how to connect."""

    url: str
    namespace: str
    path: str
    auth: dict[str, str] | None
    query: dict[str, str]


class Refused(Exception):
    """The server refused the connection."""


class Player(ABC):
    """Keeps all messages in order in `events`; `wait` returns each once."""

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
    def call(self, name: str, *args: Any) -> Any:
        """Returns the acknowledgement."""

    @abstractmethod
    def disconnect(self) -> None: ...

    @abstractmethod
    def drop(self) -> None:
        """Loses the connection without closing it."""

    def close(self) -> None:
        """Disconnects unless the server already has."""
        if self.is_connected:
            self.disconnect()

    @property
    def game(self) -> str:
        return self.place.namespace.removeprefix("/")

    def emit(self, name: str, *args: Any) -> Any:
        """Returns the acknowledgement, which is as the schemas say."""
        ack = self.call(name, *args)
        check_ack(self.game, name, args, ack)
        return ack

    def check_events(self) -> None:
        """Everything received is as the schemas say."""
        for event in self.events:
            assert not problems(self.game, "received", event.name, event.payload), event

    def sees(self, message: Any, players: list[Payload]) -> Any:
        """What this connection gets of a message to the players: without their ids and names if it is a spectator's."""
        return message if self.started else as_strangers_see(message, players)

    def note(self, change: Callable[[], None]) -> None:
        """Makes a change, on any thread, and wakes waiting threads."""
        with self._news:
            change()
            self._news.notify_all()

    def receive(self, name: str, args: list[Any]) -> None:
        self.events.append(Event(name, args))

    def until(self, condition: Callable[[], Any], what: str, within: float = WAIT) -> Any:
        """Waits for the condition; returns its value."""
        with self._news:
            found = self._news.wait_for(condition, within)
            assert found, f"{self.name} waited {within} s for {what} after {self.events[-5:]}"
            return found

    def next(self, *names: str, within: float = WAIT) -> Event:
        """The oldest message of these names that was not returned yet."""

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
        """The payloads of all messages of a name, returned before or not."""
        return [event.payload for event in list(self.events) if event.name == name]

    def only(self, name: str) -> Any:
        """The only message of a name; waits for it if needed."""
        self.until(lambda: self.heard(name), name)
        (payload,) = self.heard(name)
        return payload

    def must(self, name: str, payload: Payload) -> Payload:
        """Sends an event that must be accepted."""
        ack = self.emit(name, payload)
        assert isinstance(ack, dict) and ack.get("ok") is True, (name, payload, ack)
        return ack

    def begin(self) -> Payload:
        """Waits for `game:started` and takes its ids."""
        self.started = self.wait("game:started")
        self.id, self.room = self.started["playerId"], self.started["roomId"]
        return self.started

    def own(self, **more: Any) -> Payload:
        return {"roomId": self.room, "playerId": self.id, **more}

    def act(self, name: str, **more: Any) -> Payload:
        """Sends an event of the player's own table that must be accepted."""
        return self.must(name, self.own(**more))

    def ask_moves(self, **more: Any) -> Any:
        self.act("game:get_moves", **more)
        return self.wait("game:valid_moves")
