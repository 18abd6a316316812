"""The messages that one player received at one table, across all connections."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import orjson

STATES = frozenset({"game:started", "game:reconnected"})
"""The whole state; not numbered like the other messages."""

REPEATED = frozenset({"game:over", "player:disconnected"})
"""Sent again to a player who joins after the end, or while the opponent is away."""

OPENING = 1
"""The version whose messages, the first dice, come after the state that shows them."""


class Entry(NamedTuple):
    event: str
    version: int
    part: int
    digest: str
    """Of the payload."""


def to_entry(event: str, data: dict[str, Any]) -> Entry:
    text = orjson.dumps(data, option=orjson.OPT_SORT_KEYS)
    return Entry(event, data["version"], data["part"], hashlib.blake2b(text, digest_size=8).hexdigest())


class MessageLog:
    def __init__(self, room: str, player: str, version: int) -> None:
        """`version` is that of the state that the player joined at."""
        self.room = room
        self.player = player
        self.first = version
        self.version = version
        self.part: int | None = None
        """None if the last message was a state, which stands for all parts of its version."""
        self.entries: list[Entry] = []
        self.problems: list[str] = []

    def add(self, event: str, data: dict[str, Any]) -> None:
        entry = to_entry(event, data)
        if event in REPEATED and not self.entries and entry.version <= self.first:
            return
        last = self.version, self.part
        follows = {(self.version + 1, 0)}
        if self.part is not None:
            follows.add((self.version, self.part + 1))
        elif self.version == OPENING:
            follows.add((OPENING, 0))
        if (entry.version, entry.part) not in follows:
            self.problems.append(f"{self}: {event} {entry.version}.{entry.part} came after {last[0]}.{last[1]}")
        self.entries.append(entry)
        self.version, self.part = entry.version, entry.part

    def check_state(self, event: str, version: int) -> None:
        """A state must be that after the last message."""
        if version != self.version:
            self.problems.append(f"{self}: {event} shows version {version} after {self.version}.{self.part}")

    def __str__(self) -> str:
        return f"{self.player[:8]} at table {self.room[:8]}"
