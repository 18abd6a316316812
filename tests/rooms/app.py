"""An app: its back end creates sessions, and its users connect with the tokens."""

from __future__ import annotations

import itertools
from typing import Any

from ..server_process import ServerProcess, Tenant
from .js_client import Node, NodePlayer
from .player import ClientKind, Endpoint, Payload, Player, Refused
from .python_client import PythonClients, PythonPlayer

PATH = "/socket.io"
JS, PYTHON = ClientKind("js", "websocket"), ClientKind("python", "websocket")


class Clients:
    """Creates players with either client library, disconnects them at the end and checks what they received."""

    def __init__(self, node: Node, loop: PythonClients) -> None:
        self._node, self._loop = node, loop
        self._made: list[Player] = []

    def make(self, name: str, kind: ClientKind, place: Endpoint) -> Player:
        player: Player = (
            NodePlayer(self._node, name, kind, place)
            if kind.client == "js"
            else PythonPlayer(self._loop, name, kind, place)
        )
        player.connect()
        self._made.append(player)
        return player

    def close(self) -> None:
        for player in self._made:
            player.close()
        for player in self._made:
            player.check_events()


class App:
    """One tenant of one server."""

    _names = itertools.count(1)

    def __init__(self, server: ServerProcess, tenant: Tenant, clients: Clients) -> None:
        self.server, self.tenant, self._clients = server, tenant, clients

    def for_tenant(self, tenant: Tenant) -> App:
        return App(self.server, tenant, self._clients)

    def new_user(self, name: str) -> dict[str, str]:
        """A new user of the tenant."""
        return {"id": f"{name.lower()}-{next(self._names)}", "displayName": name}

    def session(self, name: str, game: str = "checkers", **fields: Any) -> Payload:
        body = {"game": game, "players": [self.new_user(name)], **fields}
        key = self.tenant.test if fields.get("mode") == "test" else self.tenant.live
        made: Payload = self.server.post("/v1/sessions", key, body)
        return made

    def status(self, session: Payload) -> Payload:
        key = self.tenant.test if session["mode"] == "test" else self.tenant.live
        found: Payload = self.server.get(f"/v1/sessions/{session['sessionId']}", key, game=session["game"])
        return found

    def connect(
        self,
        name: str,
        kind: ClientKind = JS,
        token: str = "",
        game: str = "checkers",
        path: str = PATH,
        in_query: bool = False,
    ) -> Player:
        credentials = {"token": token} if token else {}
        auth = credentials if token and not in_query else None
        place = Endpoint(self.server.url, f"/{game}", path, auth, credentials if in_query else {})
        return self._clients.make(name, kind, place)

    def enter(self, session: Payload, kind: ClientKind = JS, **join: Any) -> Player:
        """Connects the session's first player and joins."""
        person = session["players"][0]
        player = self.connect(person["displayName"], kind, session["sessionToken"], session["game"])
        player.id = person["id"]
        player.must("matchmaking:join", {"username": player.name, "sessionId": session["sessionId"], **join})
        return player

    def guest(self, name: str, kind: ClientKind = JS, game: str = "checkers", **join: Any) -> Player:
        player = self.connect(name, kind, game=game)
        player.must("matchmaking:join", {"username": name, **join})
        return player

    def pair(
        self, kinds: tuple[ClientKind, ClientKind] = (JS, PYTHON), game: str = "checkers", **fields: Any
    ) -> list[Player]:
        """Two players at one table, in the order of its `players`."""
        first = self.enter(self.session("Ann", game, **fields), kinds[0])
        first.wait("matchmaking:waiting")
        return seated(first, self.enter(self.session("Ben", game, **fields), kinds[1]))

    def reconnect(self, player: Player, kind: ClientKind | None = None) -> Player:
        """A new connection of a player, before `game:reconnect`."""
        token = player.token or player.started["reconnectToken"]
        back = self.connect(player.name, kind or player.kind, token, player.place.namespace[1:])
        back.id, back.room, back.started = player.id, player.room, player.started
        return back

    def is_refused(self, token: str, kind: ClientKind = JS, game: str = "checkers") -> bool:
        """A token may be refused when connecting or, at the latest, when joining."""
        try:
            player = self.connect("Nobody", kind, token, game)
        except Refused:
            return True
        ack = player.emit("matchmaking:join", {"username": "Nobody"})
        return ack["ok"] is False and ack["error"]["code"] == "unauthorized"


def seated(*players: Player) -> list[Player]:
    """Waits for the table of these two; returns them in the order of its `players`."""
    for player in players:
        player.begin()
    order = [person["id"] for person in players[0].started["players"]]
    return sorted(players, key=lambda player: order.index(player.id))
