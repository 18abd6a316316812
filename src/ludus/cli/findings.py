"""What `ludus doctor` has found, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple


class Level(StrEnum):
    GOOD = "✓"
    WARNING = "!"
    BAD = "✗"


class Finding(NamedTuple):
    level: Level
    text: str
    advice: str = ""


Check = Iterator[Finding]
