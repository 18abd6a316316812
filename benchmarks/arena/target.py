"""A benchmark target: how to start the server, its players, and how to check the matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from benchmarks.arena.games import Played
from benchmarks.rooms.process import Server


class Player(NamedTuple):
    match: str
    key: str = ""


class Wire(NamedTuple):
    """A server's protocol; the field names are those of `load.c`."""

    turn: str
    end: str = ""
    greeted: int = 0


class Target(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def wire(self) -> Wire: ...

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command and its environment; it may keep files in the folder."""
        ...

    def players(self, server: Server, pairs: int) -> list[Player]:
        """Opens this many matches and returns the two players of each, the first mover first."""
        ...

    def check(self, server: Server, games: Sequence[Played]) -> None:
        """Fails unless the matches opened last ended as they should."""
        ...
