"""A terminal that a command under test writes to."""

from __future__ import annotations

import os


def drained(screen: int) -> str:
    """What else is written to a terminal until nobody has it open."""
    said = b""
    try:
        while part := os.read(screen, 10_000):
            said += part
    except OSError:  # the other end is closed
        pass
    finally:
        os.close(screen)
    return said.decode(errors="replace")
