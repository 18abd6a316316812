"""What an attack is: a number of connections that do the same harm, and what the server answered them."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, ClassVar, NamedTuple

from benchmarks.adversary.wire import CODE, Answer, Closed, Connection, Refused, RoomSocket, code_in


class Field(NamedTuple):
    """Where an attack takes place."""

    port: int
    addresses: tuple[str, ...]
    connections: int
    home: str
    """The attackers' address before the attack."""


class Attack(ABC):
    """`served` counts answers; `refused` and `closed` count by code."""

    name: ClassVar[str]
    about: ClassVar[str]
    connections: ClassVar[int]
    handles: ClassVar[int] = 0
    """The server's limit of open files; 0 leaves it as it is."""
    pause: ClassVar[float] = 0.05
    """Seconds before a closed or refused connection is opened again."""
    needs_stored_games: ClassVar[bool] = False
    has_easy_bot: ClassVar[bool] = False
    """Whether to time an easy bot's answers meanwhile."""

    def __init__(self, field: Field) -> None:
        self.port = field.port
        self.home = field.home
        self.addresses = field.addresses
        self.number = field.connections
        self.served = 0
        self.bytes_in = 0
        self.refused: Counter[str] = Counter()
        self.closed: Counter[str] = Counter()
        self.more: defaultdict[str, float] = defaultdict(float)
        """Figures of this attack alone."""

    async def prepare(self) -> None:  # noqa: B027  # most need nothing
        """What it needs before it starts, such as a long game."""

    @abstractmethod
    async def connect(self, address: str) -> None:
        """The life of one connection; it is begun again whenever it ends."""

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            for number in range(self.number):
                group.create_task(self.persist(self.connect, self.addresses[number % len(self.addresses)]))

    async def persist(self, connect: Callable[[str], Awaitable[None]], address: str) -> None:
        while True:
            try:
                await connect(address)
            except Refused as refusal:
                self.refused[str(refusal)] += 1
            except Closed as end:
                kind, _, rest = str(end).partition(" ")
                (self.refused if kind == "refused" else self.closed)[rest or kind] += 1
            except OSError as error:
                self.closed[type(error).__name__] += 1
            await asyncio.sleep(self.pause)

    def note(self, content: bytes) -> None:
        """Counts an answer by whether it contains an error."""
        if b'rror"' in content and (found := CODE.search(content)):
            self.refused[found[1].decode()] += 1
        else:
            self.served += 1

    def note_answer(self, answer: Answer) -> None:
        if answer.status < 400:
            self.served += 1
        else:
            self.refused[str(answer)] += 1

    def note_ack(self, ack: Mapping[str, Any]) -> None:
        if ack["ok"]:
            self.served += 1
        else:
            self.refused[ack["error"]["code"]] += 1

    def account(self, connection: Connection) -> None:
        """Adds the traffic of a connection that is done with, and why it was refused, and closes it."""
        self.bytes_in += connection.bytes_in
        if isinstance(connection, RoomSocket) and (refusal := connection.events.pop("game:error", None)):
            self.refused[code_in(refusal)] += 1
        connection.close()
