"""A backgammon position that was set up on the page's board."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ludus.core.errors import MalformedPosition
from ludus.core.rules import Player
from ludus.games.backgammon.position import BAR, MOST_MEN, OFF, VARIANTS, Cube, Match, Men, Position, men
from ludus.games.backgammon.rules import Backgammon

COLORS: Final = ("white", "black")
POINTS: Final = 25
"""The length of `board`, whose first entry is not used."""
MOST_CUBE: Final = 4096
LONGEST: Final = 25


class BackgammonSetup:
    def __init__(self, rules: Backgammon) -> None:
        self._rules = rules

    def read(self, payload: Mapping[str, Any]) -> Position:
        """`board` and `bar` as rooms send them, `turn`, `dice`, and `cube` and `match`, which may be null.

        Missing men are borne off. The XGID reader reports anything else that is wrong.
        """
        board, bar = payload.get("board"), payload.get("bar")
        if not isinstance(board, list) or len(board) != POINTS or not all(_is_within(each, MOST_MEN) for each in board):
            raise MalformedPosition("board must be 25 numbers of men, white's above zero and black's below")
        white = {point: count for point, count in enumerate(board) if point and count > 0}
        black = {25 - point: -count for point, count in enumerate(board) if point and count < 0}
        position = Position(
            _side(white, "white", _number(bar, "white", MOST_MEN)),
            _side(black, "black", _number(bar, "black", MOST_MEN)),
            _player(payload.get("turn")),
            _dice(payload.get("dice")),
            _cube(payload.get("cube")),
            _match(payload.get("match")),
        )
        notation = self._rules.notation
        return notation.read_position(notation.write_position(position))


def _side(standing: dict[int, int], color: str, bar: int) -> Men:
    total = sum(standing.values()) + bar
    if total > MOST_MEN:
        raise MalformedPosition(f"{color} has {total} men; {MOST_MEN} is the most")
    return men({**standing, BAR: bar, OFF: MOST_MEN - total})


def _player(value: object) -> Player:
    if value not in COLORS:
        raise MalformedPosition(f"turn must be one of {', '.join(COLORS)}")
    return Player(COLORS.index(str(value)))


def _dice(value: object) -> tuple[()] | tuple[int, int]:
    if value is None or value == []:
        return ()
    match value:
        case [int(one), int(two)] if 1 <= min(one, two) <= max(one, two) <= 6:
            return max(one, two), min(one, two)
    raise MalformedPosition("dice must be two numbers from 1 to 6, or none before the roll")


def _cube(value: object) -> Cube | None:
    if value is None:
        return None
    number = _number(value, "value", MOST_CUBE)
    if number < 1 or number & (number - 1):
        raise MalformedPosition(f"the cube shows a power of two, not {number}")
    owner = value.get("owner") if isinstance(value, Mapping) else None
    return Cube(number, None if owner is None else _player(owner))


def _match(value: object) -> Match | None:
    if value is None:
        return None
    length, score = _number(value, "length", LONGEST), value.get("score") if isinstance(value, Mapping) else None
    white, black = (_number(score, color, LONGEST) for color in COLORS)
    if not max(white, black) < length:
        raise MalformedPosition(f"the match to {length} is over at {white}-{black}")
    is_crawford = isinstance(value, Mapping) and value.get("isCrawford") is True
    if is_crawford and max(white, black) != length - 1:
        raise MalformedPosition("the Crawford game is played when a side has one point to go")
    layout = value.get("layout", "standard") if isinstance(value, Mapping) else "standard"
    if not isinstance(layout, str) or layout not in VARIANTS:
        raise MalformedPosition(f"the layout of a match must be one of {', '.join(VARIANTS)}")
    return Match(length, white, black, is_crawford, layout)


def _number(fields: object, name: str, most: int) -> int:
    value = fields.get(name) if isinstance(fields, Mapping) else None
    if type(value) is not int or not 0 <= value <= most:
        raise MalformedPosition(f"{name} must be a whole number from 0 to {most}")
    return value


def _is_within(value: object, most: int) -> bool:
    return type(value) is int and -most <= value <= most
