"""What one player heard at one table, message by message, across all connections."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import orjson

STATES = frozenset({"game:started", "game:reconnected"})
"""Show where the game stands; they are not part of the table's story."""


OPENING = 1
"""The version whose messages, the first dice, are told after the state that shows them."""


class Heard(NamedTuple):
    event: str
    version: int
    part: int
    digest: str
    """Of all that the message said."""


def heard(event: str, data: dict[str, Any]) -> Heard:
    text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    return Heard(event, data["version"], data["part"], hashlib.blake2b(text, digest_size=8).hexdigest())


class MessageLog:
    def __init__(self, room: str, player: str, version: int) -> None:
        """`version` is that of the state with which the player came to the table."""
        self.room = room
        self.player = player
        self.first = version
        self.version = version
        self.part: int | None = None
        """None while the last thing seen is a state, which stands for all parts of its version."""
        self.pages: list[Heard] = []
        self.problems: list[str] = []

    def note(self, event: str, data: dict[str, Any]) -> None:
        page = heard(event, data)
        if event == "game:over" and not self.pages and page.version <= self.first:
            return  # told again to whoever comes after the end
        last = self.version, self.part
        follows = {(self.version + 1, 0)}
        if self.part is not None:
            follows.add((self.version, self.part + 1))
        elif self.version == OPENING:
            follows.add((OPENING, 0))
        if (page.version, page.part) not in follows:
            self.problems.append(f"{self}: {event} {page.version}.{page.part} came after {last[0]}.{last[1]}")
        self.pages.append(page)
        self.version, self.part = page.version, page.part

    def check_state(self, event: str, version: int) -> None:
        """A state shows what the last message led to."""
        if version != self.version:
            self.problems.append(f"{self}: {event} shows version {version} after {self.version}.{self.part}")

    def __str__(self) -> str:
        return f"{self.player[:8]} at table {self.room[:8]}"
