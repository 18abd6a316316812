"""The official JavaScript client, in a Node process that takes commands."""

from __future__ import annotations

import itertools
import json
import subprocess
import threading
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urljoin

from ..npm import NODE
from .player import WAIT, ClientKind, Endpoint, Player, Refused

FOLDER = Path(__file__).parent / "js"


class Node:
    """The process, with its clients by number."""

    def __init__(self) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([NODE, FOLDER / "client.mjs"], stdin=pipe, stdout=pipe, text=True)
        assert self.process.stdin and self.process.stdout
        self._commands = self.process.stdin
        self._players: dict[int, NodePlayer] = {}
        self._count = itertools.count()
        self._reader = threading.Thread(target=self._read, args=[self.process.stdout], daemon=True)
        self._reader.start()

    def enter(self, player: NodePlayer) -> int:
        number = next(self._count)
        self._players[number] = player
        return number

    def tell(self, command: str, client: int, **more: Any) -> None:
        self._commands.write(json.dumps({"command": command, "client": client, **more}) + "\n")
        self._commands.flush()

    def _read(self, output: TextIO) -> None:
        for line in output:
            data = json.loads(line)
            self._players[data.pop("client")].receive_line(data.pop("kind"), data)

    def close(self) -> None:
        self._commands.close()
        assert self.process.wait(timeout=WAIT) == 0
        self._reader.join()
        assert self.process.stdout
        self.process.stdout.close()


class NodePlayer(Player):
    def __init__(self, node: Node, name: str, kind: ClientKind, place: Endpoint) -> None:
        super().__init__(name, kind, place)
        self._node, self._number = node, node.enter(self)
        self._acks: dict[int, list[Any]] = {}
        self._count = itertools.count()
        self._refusal: str | None = None
        self._transport = ""

    def receive_line(self, kind: str, data: dict[str, Any]) -> None:
        self.note(lambda: getattr(self, f"_on_{kind}")(**data))

    def _on_connected(self, transport: str) -> None:
        self.is_connected, self._transport = True, transport

    def _on_upgraded(self) -> None:
        self._transport = "websocket"

    def _on_refused(self, message: str) -> None:
        self._refusal = message

    def _on_disconnected(self, reason: str) -> None:
        self.is_connected = False

    def _on_event(self, name: str, args: list[Any]) -> None:
        self.receive(name, args)

    def _on_ack(self, ack: int, args: list[Any]) -> None:
        self._acks[ack] = args

    def connect(self) -> None:
        place = self.place
        options = {"path": place.path, "transports": self.kind.transports, "auth": place.auth, "query": place.query}
        self._node.tell("connect", self._number, url=urljoin(place.url, place.namespace), options=options)
        self.until(lambda: self.is_connected or self._refusal is not None, "a connection")
        if self._refusal is not None:
            raise Refused(self._refusal)
        self.until(lambda: self._transport == self.kind.transports[-1], "the transport")

    def send(self, name: str, *args: Any) -> None:
        self._node.tell("emit", self._number, name=name, args=args)

    def call(self, name: str, *args: Any) -> Any:
        ack = next(self._count)
        self._node.tell("emit", self._number, name=name, args=args, ack=ack)
        self.until(lambda: ack in self._acks, f"an answer to {name}")
        (answer,) = self._acks.pop(ack)
        return answer

    def disconnect(self) -> None:
        self._node.tell("disconnect", self._number)
        self.wait_for_the_end()

    def drop(self) -> None:
        self._node.tell("drop", self._number)
        self.wait_for_the_end()
