"""What a batch remembers of a game, as positions of the rules.

A batch keeps where the kings stood since the last move that cannot be undone; the men have not moved since.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludus.core.bits import reverse
from ludus.core.rules import Player
from ludus.envs.batched import checkers
from ludus.envs.batched.checkers import EVEN_ROWS
from ludus.envs.table import checkers_position
from ludus.games.checkers.kernel import DARK
from ludus.games.checkers.position import Position

CUT_OFF = 1 << 62
"""The square of the other side's that a key has no room for."""


def past_of(game: str, column: Sequence[int], history: Sequence[int]) -> tuple[Position, ...]:
    """The positions before this one that can come again, oldest first; at backgammon nobody asks about them."""
    if game != "checkers" or not column[checkers.QUIET]:
        return ()
    now = checkers_position(list(column))
    return tuple(_earlier(now, quiet, key) for quiet, key in enumerate(history[: now.quiet]))


def _earlier(now: Position, quiet: int, key: int) -> Position:
    """The position that stood at so many quiet moves, when its mover saw the kings so."""
    is_same = (now.quiet - quiet) % 2 == 0
    mover = now.mover if is_same else Player(1 - now.mover.value)
    other = now.other if is_same else now.own
    first, second = kings_of(key, (other & now.kings).bit_count())
    if mover is Player.SECOND:
        first, second = reverse(second), reverse(first)
    return Position(now.first & ~now.kings | first, now.second & ~now.kings | second, first | second, mover, quiet)


def kings_of(key: int, number: int) -> tuple[int, int]:
    """The mover's kings and the other's, of which there are so many, in a key that `kings_key` has made."""
    light = key & ~DARK
    other = (light & EVEN_ROWS) << 1 | (light & ~EVEN_ROWS) >> 1
    return key & DARK, other if other.bit_count() == number else other | CUT_OFF
