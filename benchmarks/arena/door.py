"""What the benchmark asks of a server: how it is started, who plays there, and what became of the games."""

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
    """What frames of a server look like; the names are those of `load.c`."""

    turn: str
    end: str = ""
    greeted: int = 0


class Door(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def wire(self) -> Wire: ...

    def command(self, folder: Path) -> tuple[Sequence[str], Mapping[str, str]]:
        """What starts it, with its environment; it may keep files in the folder."""
        ...

    def players(self, server: Server, pairs: int) -> list[Player]:
        """Opens so many matches and returns the two players of each, the first mover first."""
        ...

    def check(self, server: Server, games: Sequence[Played]) -> None:
        """Fails unless the matches opened last, played to their ends, ended as they should."""
        ...
