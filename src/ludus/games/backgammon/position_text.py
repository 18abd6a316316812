"""Positions as text: XGID, which is complete, and GNU Backgammon's position and match IDs.

`XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10`: black's bar, points 1 to 24 and white's bar, as white counts
them, with capital letters for white's men; then the cube's value and owner, whose turn it is (1 white, -1 black), the
dice (00 before they are rolled), two scores, the Crawford or Jacoby rule, the match length and the cube's limit. Two
things are ours: the turn 0 before the opening roll, and two more fields for white's and black's number of men, if these
are not 15 and 15. Men that are not on the board are off.

`4HPwATDgc/ABMA:cIkKAAAAAAAE`: the position ID, which holds only the men, and the match ID, from which the player on
roll (the lower player is white) and the dice are read; it may be missing.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Final

from ludus.core.errors import MalformedPosition
from ludus.core.rules import Player
from ludus.games.backgammon.position import BAR, MOST_MEN, OFF, Men, Position, men

if TYPE_CHECKING:
    from collections.abc import Mapping

POINTS: Final = range(1, 26)
"""The points and the bar."""
XGID: Final = re.compile(
    r"(?:XGID=|xgid=)?([a-o-][A-Oa-o-]{24}[A-O-]):[0-9]{1,4}:-?[01]:([01]|-1):([0-9A-Za-z]{1,2})(?::[0-9]{1,4}){5}"
    r"(?::([0-9]{1,2}):([0-9]{1,2}))?"
)
XGID_FORM: Final = "an XGID such as XGID=-b----E-C---eE---c-e----B-:0:0:1:52:0:0:0:0:10"
DICE: Final = re.compile("00|[1-6][1-6]")
TURNS: Final = {"1": Player.FIRST, "-1": Player.SECOND, "0": None}
POSITION_ID: Final = re.compile(
    r"(?:(?:GNUBG|Position) ID ?: ?)?([A-Za-z0-9+/]{14})={0,2}(?::([A-Za-z0-9+/]{12}))?", re.IGNORECASE | re.ASCII
)
ROLL_BIT, DOUBLE_BIT, DICE_BIT = 6, 12, 15
"""Bits of a match ID: the player on roll, whether a double is offered, and three for each die."""
POSITION_ID_FORM: Final = "a position ID such as 4HPwATDgc/ABMA"


def read_position(text: str, men: int = MOST_MEN) -> Position:
    text = text.strip()
    if POSITION_ID.fullmatch(text):
        return read_position_id(text, men)
    if XGID.fullmatch(text):
        return read_xgid(text, men)
    raise MalformedPosition(f"{text[:60]!r} is neither {XGID_FORM} nor {POSITION_ID_FORM}")


def write_xgid(position: Position) -> str:
    white, black, mover, dice = position[:4]
    points = "".join(_letter(white.on(point), black.on(25 - point)) for point in range(1, BAR))
    places = f"{_letter(0, black.on(BAR))}{points}{_letter(white.on(BAR), 0)}"
    turn = next(sign for sign, player in TURNS.items() if player is mover)
    rolled = "".join(map(str, dice)) or "00"
    totals = sum(white.counts), sum(black.counts)
    sizes = "" if totals == (MOST_MEN, MOST_MEN) else f":{totals[0]}:{totals[1]}"
    return f"XGID={places}:0:0:{turn}:{rolled}:0:0:0:0:10{sizes}"


def _letter(white: int, black: int) -> str:
    return chr(ord("A") + white - 1) if white else chr(ord("a") + black - 1) if black else "-"


def read_xgid(text: str, men: int = MOST_MEN) -> Position:
    """The cube and the score must be there but are ignored."""
    match = XGID.fullmatch(text.strip())
    if not match:
        raise MalformedPosition(f"{text[:60]!r} is not {XGID_FORM}")
    places, turn, dice, *sizes = match.groups()
    mover, rolled = TURNS[turn], _read_dice(dice)
    if rolled and mover is None:
        raise MalformedPosition("before the opening roll, turn 0, the dice are 00")
    white = {place: ord(letter) - 64 for place, letter in enumerate(places) if letter.isupper()}
    black = {25 - place: ord(letter) - 96 for place, letter in enumerate(places) if letter.islower()}
    white_size, black_size = (int(size or men) for size in sizes)
    return Position(*_sides(white, black, white_size, black_size), mover, rolled)


def _read_dice(text: str) -> tuple[()] | tuple[int, int]:
    if text.upper() in ("D", "B", "R"):
        raise MalformedPosition(f"the dice are {text!r}, a double offered, but there is no cube here")
    if not DICE.fullmatch(text):
        raise MalformedPosition(f"the dice {text!r} are not two of 1 to 6, nor 00 before they are rolled")
    one, two = int(text[0]), int(text[1])
    return (max(one, two), min(one, two)) if one else ()


def write_position_id(position: Position) -> str:
    """The men from the side on roll, or from white's before the opening roll."""
    bits = "".join("1" * side.on(point) + "0" for side in (position.other, position.own) for point in POINTS)
    return base64.b64encode(int(bits[::-1], 2).to_bytes(10, "little")).decode().rstrip("=")


def read_position_id(text: str, men: int = MOST_MEN) -> Position:
    """Without a match ID white is on roll and has not rolled."""
    match = POSITION_ID.fullmatch(text.strip())
    if not match:
        raise MalformedPosition(f"{text[:60]!r} is not {POSITION_ID_FORM}")
    bits = int.from_bytes(base64.b64decode(match[1] + "=="), "little")
    other, bits = _count(bits)
    own, bits = _count(bits)
    mover, dice = _read_match_id(match[2]) if match[2] else (Player.FIRST, ())
    white, black = (own, other) if mover is Player.FIRST else (other, own)
    position = Position(*_sides(white, black, men, men), mover, dice)
    if bits or write_position_id(position) != match[1]:
        raise MalformedPosition(f"{match[1]!r} has more in it than a position")
    return position


def _read_match_id(text: str) -> tuple[Player, tuple[()] | tuple[int, int]]:
    """The player on roll and the dice; the lowest bit comes first."""
    bits = int.from_bytes(base64.b64decode(text), "little")
    if bits >> DOUBLE_BIT & 1:
        raise MalformedPosition(f"in the match ID {text!r} a double is offered, but there is no cube here")
    dice = f"{bits >> DICE_BIT & 7}{bits >> DICE_BIT + 3 & 7}"
    return (Player.FIRST if bits >> ROLL_BIT & 1 else Player.SECOND), _read_dice(dice)


def _count(bits: int) -> tuple[dict[int, int], int]:
    """One side's men, on each point a one for each man and then a zero, and the bits after them."""
    found = {}
    for point in POINTS:
        number = (~bits & bits + 1).bit_length() - 1
        found[point] = number
        bits >>= number + 1
    return found, bits


def _sides(white: Mapping[int, int], black: Mapping[int, int], white_size: int, black_size: int) -> tuple[Men, Men]:
    for point in range(1, BAR):
        if white.get(point) and black.get(25 - point):
            raise MalformedPosition(f"both sides have men on white's point {point}")
    if not any(white.values()) and not any(black.values()):
        raise MalformedPosition("both sides have all their men off")
    return _side("white", white, white_size), _side("black", black, black_size)


def _side(name: str, standing: Mapping[int, int], size: int) -> Men:
    number = sum(standing.values())
    if not 1 <= size <= MOST_MEN:
        raise MalformedPosition(f"a side has 1 to {MOST_MEN} men, not {size}")
    if number > size:
        raise MalformedPosition(f"{name} has {number} men on the board; {size} is the most")
    return men({**standing, OFF: size - number})
