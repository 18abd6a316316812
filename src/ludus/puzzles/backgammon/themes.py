"""What a puzzle of backgammon is about, in players' words. None gives the solution away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ludus.games.backgammon.position import BAR, Men, Position, Stage

VOCABULARY: Final = (
    "checker_play",
    "double_or_not",
    "take_or_drop",
    "opening",
    "bar",
    "blitz",
    "prime",
    "back_game",
    "holding_game",
    "race",
    "bear_off",
)
OPENING_PIPS: Final = 150
"""The fewest pips that each side has in an opening."""
PRIME: Final = 4
"""The points in a row that make a prime."""
ZONE, ZONE_MEN = range(1, 13), 10
"""An attack has at least this many men on these points."""
BEHIND: Final = 40
"""The fewest pips by which a side in a back game is behind."""
HOME_OF_OTHER: Final = range(19, BAR)
ANCHORS: Final = range(18, 22)
"""The anchors of a holding game."""


def themes(position: Position) -> Iterator[str]:
    yield _question(position)
    own, other = position.own, position.other
    if _is_race(own, other):
        yield "bear_off" if _is_home(own) else "race"
        return
    if min(own.pips, other.pips) >= OPENING_PIPS:
        yield "opening"
    if own.on(BAR) and position.dice:
        yield "bar"
    yield from (name for name, is_so in _plans(own, other) if is_so)


def _question(position: Position) -> str:
    if position.dice:
        return "checker_play"
    return "take_or_drop" if is_doubled(position) else "double_or_not"


def is_doubled(position: Position) -> bool:
    return position.cube is not None and position.cube.stage is Stage.DOUBLED


def _plans(own: Men, other: Men) -> Iterator[tuple[str, bool]]:
    """The plans of either side."""
    sides = (own, other), (other, own)
    yield "blitz", any(_is_blitz(*each) for each in sides)
    yield "prime", any(_is_prime(*each) for each in sides)
    yield "back_game", any(_is_back_game(*each) for each in sides)
    yield "holding_game", any(_is_holding_game(*each) for each in sides)
    yield "bear_off", any(_is_home(each) for each in (own, other))


def _is_race(own: Men, other: Men) -> bool:
    """Whether the sides have passed each other."""
    return _last(own) + _last(other) < BAR


def _last(men: Men) -> int:
    return max((point for point in range(1, BAR + 1) if men.on(point)), default=0)


def _is_home(men: Men) -> bool:
    return _last(men) <= 6


def _is_blitz(own: Men, other: Men) -> bool:
    """Whether many men attack one on the bar, or two blots in the home board, and there is no anchor."""
    attackers = sum(own.on(point) for point in ZONE)
    blots = sum(other.on(point) == 1 for point in HOME_OF_OTHER)
    return attackers >= ZONE_MEN and (other.on(BAR) > 0 or blots > 1) and not _anchors(other)


def _is_prime(own: Men, other: Men) -> bool:
    """Whether there are points in a row in front of a man of the other side."""
    run = 0
    for point in range(1, 13):
        run = run + 1 if own.on(point) > 1 else 0
        if run >= PRIME and _last(other) > BAR - point + run - 1:
            return True
    return False


def _is_back_game(own: Men, other: Men) -> bool:
    return _anchors(own) > 1 and own.pips - other.pips >= BEHIND


def _is_holding_game(own: Men, other: Men) -> bool:
    """Whether one side's last men hold a high anchor, and the other side's last men have got away."""
    last = _last(own)
    return last in ANCHORS and own.on(last) > 1 and _last(other) < min(ANCHORS)


def _anchors(men: Men) -> int:
    """The number of points made in the other side's home board."""
    return sum(men.on(point) > 1 for point in HOME_OF_OTHER)
