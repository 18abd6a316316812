"""The door as an app uses it: its back end makes sessions, its people come with the tokens."""

from __future__ import annotations

import itertools
from typing import Any

from .house import House, Tenant
from .loop import Loop, PythonPlayer
from .node import Node, NodePlayer
from .player import Payload, Place, Player, Refused, Way

PATH = "/socket.io"
JS, PYTHON = Way("js", "websocket"), Way("python", "websocket")


class Clients:
    """Makes players of either library, and sends them home."""

    def __init__(self, node: Node, loop: Loop) -> None:
        self._node, self._loop = node, loop
        self._made: list[Player] = []

    def make(self, name: str, way: Way, place: Place) -> Player:
        player: Player = (
            NodePlayer(self._node, name, way, place)
            if way.client == "js"
            else PythonPlayer(self._loop, name, way, place)
        )
        player.connect()
        self._made.append(player)
        return player

    def close(self) -> None:
        for player in self._made:
            player.close()


class Door:
    """One tenant's way into one house; `clients` does the talking."""

    _names = itertools.count(1)

    def __init__(self, house: House, tenant: Tenant, clients: Clients) -> None:
        self.house, self.tenant, self._clients = house, tenant, clients

    def beside(self, tenant: Tenant) -> Door:
        return Door(self.house, tenant, self._clients)

    def person(self, name: str) -> dict[str, str]:
        """A user of the tenant who has never played before."""
        return {"id": f"{name.lower()}-{next(self._names)}", "displayName": name}

    def session(self, name: str, game: str = "checkers", **fields: Any) -> Payload:
        body = {"game": game, "players": [self.person(name)], **fields}
        key = self.tenant.test if fields.get("mode") == "test" else self.tenant.live
        made: Payload = self.house.post("/v1/sessions", key, body)
        return made

    def status(self, session: Payload) -> Payload:
        key = self.tenant.test if session["mode"] == "test" else self.tenant.live
        found: Payload = self.house.get(f"/v1/sessions/{session['sessionId']}", key, game=session["game"])
        return found

    def connect(
        self,
        name: str,
        way: Way = JS,
        token: str = "",
        game: str = "checkers",
        path: str = PATH,
        in_query: bool = False,
    ) -> Player:
        credentials = {"token": token} if token else {}
        auth = credentials if token and not in_query else None
        place = Place(self.house.url, f"/{game}", path, auth, credentials if in_query else {})
        return self._clients.make(name, way, place)

    def enter(self, session: Payload, way: Way = JS, **join: Any) -> Player:
        """The session's first player connects and asks for a game."""
        person = session["players"][0]
        player = self.connect(person["displayName"], way, session["sessionToken"], session["game"])
        player.id = person["id"]
        player.must("matchmaking:join", {"username": player.name, "sessionId": session["sessionId"], **join})
        return player

    def guest(self, name: str, way: Way = JS, game: str = "checkers", **join: Any) -> Player:
        player = self.connect(name, way, game=game)
        player.must("matchmaking:join", {"username": name, **join})
        return player

    def pair(self, ways: tuple[Way, Way] = (JS, PYTHON), game: str = "checkers", **fields: Any) -> list[Player]:
        """Two people at one table, in the order of its `players`."""
        first = self.enter(self.session("Ann", game, **fields), ways[0])
        first.wait("matchmaking:waiting")
        return seated(first, self.enter(self.session("Ben", game, **fields), ways[1]))

    def come_back(self, player: Player, way: Way | None = None) -> Player:
        """A new connection for a seat; the game has not been asked for yet."""
        token = player.token or player.started["reconnectToken"]
        back = self.connect(player.name, way or player.way, token, player.place.namespace[1:])
        back.id, back.room, back.started = player.id, player.room, player.started
        return back

    def is_turned_away(self, token: str, way: Way = JS, game: str = "checkers") -> bool:
        """A token may be refused at the door or, at the latest, when it asks for a game."""
        try:
            player = self.connect("Nobody", way, token, game)
        except Refused:
            return True
        ack = player.emit("matchmaking:join", {"username": "Nobody"})
        return ack["ok"] is False and ack["error"]["code"] == "unauthorized"


def seated(*players: Player) -> list[Player]:
    """These two at the table that brings them together, in the order of its `players`."""
    for player in players:
        player.begin()
    order = [person["id"] for person in players[0].started["players"]]
    return sorted(players, key=lambda player: order.index(player.id))
