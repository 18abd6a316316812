"""File handles: each connection takes one, and the process needs some for itself."""

from __future__ import annotations

from typing import Final

RESERVE: Final = 128
"""For the database, its readers, log, webhooks and the bus."""
PER_WORKER: Final = 8
"""Pipes and semaphores of one engine process."""
FEWEST: Final = 16
"""Connections, however few handles there are."""


def own_handles(workers: int) -> int:
    return RESERVE + PER_WORKER * workers


def raise_limit(wanted: int) -> int:
    """Raises the process's limit to `wanted` if the system allows; returns the limit that holds."""
    try:
        import resource
    except ModuleNotFoundError:  # no such limit on Windows
        return wanted
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else max(soft, min(wanted, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return soft


def connections_within(limit: int, wanted: int, workers: int) -> int:
    """How many of the connections wanted fit into a limit on handles.

    >>> connections_within(1024, 10_000, workers=1), connections_within(20_000, 10_000, workers=1)
    (888, 10000)
    """
    return max(FEWEST, min(wanted, limit - own_handles(workers)))
