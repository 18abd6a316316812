"""Who may connect, and for how long a connection may keep us waiting."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from copy import copy
from math import inf
from time import monotonic
from typing import Final, Protocol

import structlog

from ludus.server.connections.backlog import Backlogs
from ludus.server.http.addresses import counted
from ludus.server.http.rate_limit import SocketCount

log = structlog.get_logger(__name__)

ADDRESS_LIMIT: Final = "address_limit"
CONNECTION_LIMIT: Final = "connection_limit"
MADE_ROOM: Final = "made_room"
SLOW_READER: Final = "slow_reader"
LOGGED: Final = frozenset({ADDRESS_LIMIT, CONNECTION_LIMIT, MADE_ROOM, SLOW_READER, "send_queue", "send_total"})
"""Reasons worth a line; the others also happen to well-behaved clients."""
LINGER_SECONDS: Final = 5.0
"""For the last bytes of a closed connection to leave."""
STALL_SECONDS: Final = 10.0
STALL_BYTES: Final = 10 * 1024
"""What a client must read in that time while more waits for it."""
CONNECTIONS_PER_SOCKET: Final = 4
"""A polling client uses two at a time, a browser up to six beside its socket."""
FEWEST_PER_ADDRESS: Final = 64


def most_per_address(max_sockets: int) -> int:
    return max(FEWEST_PER_ADDRESS, CONNECTIONS_PER_SOCKET * max_sockets)


class Owner(Protocol):
    """The protocol object of a connection."""

    def time_out(self, reason: str) -> None:
        """Ends the connection, with an answer if one is due."""


class Gate:
    """All connections of the server. `sweep` must be called about once a second."""

    def __init__(
        self,
        most: int,
        most_per_address: int,
        backlogs: Backlogs,
        *,
        is_exempt: Callable[[str], bool] = lambda _address: False,
        on_close: Callable[[str], None] = lambda _reason: None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`is_exempt`: addresses of proxies, whose clients are counted when their requests name them."""
        self._most = most
        self._addresses = SocketCount(most_per_address)
        self._backlogs = backlogs
        self._is_exempt = is_exempt
        self._on_close = on_close
        self._clock = clock
        self._slots: set[Slot] = set()
        self._waiting: dict[Slot, None] = {}
        """Connections without a request in progress, the one that waits longest first."""
        self._closed: Counter[str] = Counter()
        """By reason, since the last line of the log."""

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def private(self) -> Gate:
        """The same for connections of other processes, which are not counted by address: their clients have been."""
        other = copy(self)
        other._is_exempt = lambda _address: True
        return other

    def enter(self, transport: asyncio.Transport, owner: Owner, address: str) -> Slot | str:
        """A slot for a new connection, or the reason why there is none.

        When all are taken, the connection that has been without a request for longest makes room.
        """
        key = None if self._is_exempt(address) else counted(address)
        if key is not None and not self._addresses.enter(key):
            return self.note(ADDRESS_LIMIT)
        if len(self._slots) >= self._most and not self._make_room():
            if key is not None:
                self._addresses.leave(key)
            return self.note(CONNECTION_LIMIT)
        slot = Slot(self, transport, owner, key)
        self._slots.add(slot)
        self._waiting[slot] = None
        return slot

    def _make_room(self) -> bool:
        oldest = next(iter(self._waiting), None)
        if oldest is None:
            return False
        self.note(MADE_ROOM)
        oldest.transport.abort()
        oldest.release()
        return True

    def note(self, reason: str) -> str:
        """Counts a connection that was refused or ended."""
        self._on_close(reason)
        if reason in LOGGED:
            self._closed[reason] += 1
        return reason

    def sweep(self) -> None:
        """Ends connections that have kept us waiting for too long, and logs one line for all that went."""
        now = self._clock()
        for slot in [slot for slot in self._slots if slot.is_due(now)]:
            slot.check(now)
        if self._closed:
            log.warning("connections refused or ended", open=len(self._slots), **self._closed)
            self._closed.clear()


class Slot:
    """One connection's place; released when it is lost."""

    __slots__ = ("_backlog", "_deadline", "_gate", "_key", "_owner", "_reason", "_unread", "transport")

    def __init__(self, gate: Gate, transport: asyncio.Transport, owner: Owner, key: str | None) -> None:
        self._gate = gate
        self._owner = owner
        self._key = key
        self._deadline = inf
        self._reason = ""
        self._unread: int | None = None
        """Bytes in the transport when the client was last found to be behind; None if it isn't."""
        self._backlog = gate._backlogs.open(self.cut, most=gate._backlogs.most_in_all)
        self.transport = transport

    def expect(self, seconds: float, reason: str) -> None:
        """Something must happen in this time; the reason is why the connection ends otherwise."""
        self._deadline = self._gate._clock() + seconds
        self._reason = reason

    @property
    def is_expecting(self) -> bool:
        return self._deadline != inf

    def settle(self) -> None:
        self._deadline = inf

    def begin(self) -> None:
        """A request is in progress, so the connection makes room for no other."""
        self._gate._waiting.pop(self, None)

    def finish(self) -> None:
        if self in self._gate._slots:
            self._gate._waiting[self] = None

    def hand_over(self, owner: Owner) -> None:
        """To the protocol that the connection was upgraded to."""
        self._owner = owner
        self.settle()
        self.begin()

    def pause(self) -> None:
        """More waits in the transport than it should hold."""
        self._unread = self.transport.get_write_buffer_size()
        self._backlog.set(self._unread)
        self.expect(STALL_SECONDS, SLOW_READER)

    def resume(self) -> None:
        self._unread = None
        self._backlog.set(0)
        self.settle()

    def is_due(self, now: float) -> bool:
        return now >= self._deadline or (self._deadline == inf and self.transport.is_closing())

    def check(self, now: float) -> None:
        if now < self._deadline:  # closing, but not all has left
            self.expect(LINGER_SECONDS, SLOW_READER)
        elif self._has_read_enough():
            self.pause()
        else:
            self._gate.note(self._reason)
            self.settle()
            self._end()

    def _has_read_enough(self) -> bool:
        if self._unread is None or self.transport.is_closing():
            return False
        return self._unread - self.transport.get_write_buffer_size() >= STALL_BYTES

    def _end(self) -> None:
        if self.transport.is_closing() or self._unread is not None:
            self.transport.abort()
        else:
            self._owner.time_out(self._reason)

    def cut(self) -> None:
        self.transport.abort()

    def release(self) -> None:
        """May be called twice."""
        if self in self._gate._slots:
            self._gate._slots.remove(self)
            self._gate._waiting.pop(self, None)
            self._backlog.close()
            if self._key is not None:
                self._gate._addresses.leave(self._key)


class SlotProtocol(asyncio.Protocol):
    """A mixin for the protocol of a connection: tells its slot when the client falls behind, and gives it back."""

    slot: Slot | None = None

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.slot is not None:
            self.slot.release()
            self.slot = None

    def pause_writing(self) -> None:
        super().pause_writing()
        if self.slot is not None:
            self.slot.pause()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.slot is not None:
            self.slot.resume()
