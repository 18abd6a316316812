"""Sockets of which each player or agent has only one at a time, across all processes: the newest."""

from __future__ import annotations

import uuid

from ludus.service.platform import Platform
from ludus.service.ports.bus import SocketOpened


def opened(platform: Platform, place: str) -> SocketOpened:
    """A socket that was opened just now."""
    return SocketOpened(place, platform.clock.moment().clock, uuid.uuid4().hex)


def is_earlier(one: SocketOpened, other: SocketOpened) -> bool:
    """Every process puts the same two sockets in the same order, so that exactly one of them stays."""
    return (one.at, one.socket) < (other.at, other.socket)
