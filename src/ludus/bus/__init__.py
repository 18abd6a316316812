"""The `Bus` port: notifies the platform's parts of changes, in this process and in others.

A note says what has changed; nothing is stored and no decisions are made in here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.bus.dispatcher import Do
from ludus.bus.memory import MemoryBus
from ludus.service.ports.bus import Bus

if TYPE_CHECKING:
    from ludus.bus.redis import Watch


def bus_for(
    bus: str, member: str, watch: Watch | None = None, do: Do | None = None, *, name: str = "ludus", key: bytes = b""
) -> Bus:
    """The bus for a setting: empty for a process on its own, or a URL of Redis or Valkey.

    `member` is an id that no other process has. Processes that give the same `name` and secret `key` hear each other.
    `do` does the work of the listeners.
    """
    if not bus:
        return MemoryBus(do)
    from ludus.bus.redis import RedisBus  # takes a third of a second to import

    return RedisBus(bus, member, watch=watch, do=do, name=name, key=key)
