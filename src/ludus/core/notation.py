"""How moves, positions and whole games of one game are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.core.game import Game

MOST_TEXT: Final = 16_000_000
"""The longest file that `read_games` takes, in characters; archives of some ten thousand games are shorter."""

P = TypeVar("P")
M = TypeVar("M")


class Notation(Protocol[P, M]):
    """Reading undoes writing. What cannot be read raises one of `ludus.core.errors`, whatever the text."""

    @property
    def suffix(self) -> str:
        """How the name of a game file ends, with its dot."""
        ...

    def write_move(self, position: P, move: M) -> str: ...

    def read_move(self, position: P, text: str) -> M: ...

    def write_position(self, position: P) -> str: ...

    def read_position(self, text: str) -> P: ...

    def write_games(self, games: Iterable[Game[P, M]]) -> str: ...

    def read_games(self, text: str) -> list[Game[P, M]]: ...

    def each_game(self, text: str) -> Iterator[Game[P, M]]:
        """The same one by one; what is wrong with a later game does not hinder an earlier one."""
        ...
