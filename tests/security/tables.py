"""Two guests at one table, on raw connections."""

from __future__ import annotations

from typing import Any, NamedTuple

from ludus.server.http.errors import ERRORS, INTERNAL

from ..rooms.raw_client import Payload, RawClient

KNOWN = frozenset(entry.code for entry in ERRORS.values()) - {INTERNAL.code}
"""The codes that a client may see."""
MOVE = {"from": 42, "to": 33, "captures": []}
"""A legal first move in checkers."""


class Table(NamedTuple):
    first: RawClient
    """The player to move."""
    second: RawClient
    room: str
    tokens: tuple[str, str]
    ids: tuple[str, str]

    def own(self, seat: int, **more: Any) -> Payload:
        return {"roomId": self.room, "playerId": self.ids[seat], **more}

    def close(self) -> None:
        self.first.close()
        self.second.close()


def seated(url: str, game: str = "checkers") -> Table:
    clients = [RawClient(url, f"/{game}"), RawClient(url, f"/{game}")]
    for client in clients:
        client.must("matchmaking:join", {"username": "Guest"})
    started = [client.wait("game:started") for client in clients]
    order = [player["id"] for player in started[0]["players"]]
    (one, first), (two, second) = sorted(
        zip(started, clients, strict=True), key=lambda pair: order.index(pair[0]["playerId"])
    )
    turn = one["currentTurn"]
    assert turn in (0, 1)
    places = [(first, one), (second, two)] if turn == 0 else [(second, two), (first, one)]
    tokens, ids = [state["reconnectToken"] for _, state in places], [state["playerId"] for _, state in places]
    return Table(places[0][0], places[1][0], one["roomId"], (tokens[0], tokens[1]), (ids[0], ids[1]))


class Spectator:
    """A spectator who sees whether a table has changed."""

    def __init__(self, url: str, game: str, room: str) -> None:
        self._line = RawClient(url, f"/{game}")
        self._room = room

    def version(self) -> int:
        return int(self._line.must("game:spectate", {"roomId": self._room, "username": "Wim"})["version"])

    def close(self) -> None:
        self._line.close()


def refused(client: RawClient, event: str, payload: object, *codes: str) -> str:
    """Sends an event that must be refused with one of these codes, in the acknowledgement and in `game:error`."""
    client.events.clear()
    ack = client.ask(event, payload)
    assert ack["ok"] is False, (event, payload, ack)
    assert set(ack) == {"ok", "error"} and set(ack["error"]) == {"code", "message"}
    code, message = ack["error"]["code"], ack["error"]["message"]
    assert code in (codes or KNOWN), (event, payload, ack)
    assert isinstance(message, str) and len(message) < 300
    assert client.heard("game:error") == [{"code": code, "message": message, "event": event}]
    return str(code)
