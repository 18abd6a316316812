"""What a quiet checkers position is worth, from counts of squares in sets."""

from __future__ import annotations

from ludus.games.checkers.kernel import DARK, steppers

MAN = 100
KING = 145
ADVANCE = 4
"""For each row a man has come forward."""
GUARD = 12
"""For each man that keeps the other side's from being crowned."""
CENTRE = 5
MOBILITY = 3
"""For each step that could be made."""
CHASE = 6
"""For each king of the stronger side near the weaker one's pieces, in an endgame."""

MIDDLE = DARK & 0x00003C3C3C3C0000
ODD_ROWS = 0xFF00FF00FF00FF00
TWO_OF_FOUR_ROWS = 0xFFFF0000FFFF0000
LOWER_HALF = 0xFFFFFFFF00000000
BACK_ROWS = (0xFF, 0xFF << 56)
FEW = 10
"""Pieces of both sides with which the endgame begins."""
ALL = 24


def worth(own: int, other: int, kings: int, side: int) -> float:
    """How good the position is for the side to move, in hundredths of a man; what can be jumped is not looked at."""
    ours = _men_worth(own & ~kings, other & ~kings, side) + CENTRE * (own & MIDDLE).bit_count()
    theirs = _men_worth(other & ~kings, own & ~kings, 1 - side) + CENTRE * (other & MIDDLE).bit_count()
    mobility = MOBILITY * (_steps(own, other, kings, side) - _steps(other, own, kings, 1 - side))
    return ours - theirs + mobility + _material(own, other, kings)


def _men_worth(men: int, against: int, side: int) -> int:
    """How far the men have come, and whether some stayed at home while there is somebody to stop."""
    guard = GUARD * (men & BACK_ROWS[side]).bit_count() if against else 0
    rows = (men & ODD_ROWS).bit_count() + 2 * (men & TWO_OF_FOUR_ROWS).bit_count() + 4 * (men & LOWER_HALF).bit_count()
    return guard + ADVANCE * (rows if side == 0 else 7 * men.bit_count() - rows)


def _steps(own: int, other: int, kings: int, side: int) -> int:
    a, b, c, d = steppers(own, other, kings, side)
    return a.bit_count() + b.bit_count() + c.bit_count() + d.bit_count()


def _material(own: int, other: int, kings: int) -> float:
    """A lead weighs more the fewer pieces there are, so that the stronger side exchanges and the weaker does not."""
    pieces, crowned = own.bit_count() + other.bit_count(), (own & kings).bit_count() - (other & kings).bit_count()
    lead = MAN * (own.bit_count() - other.bit_count()) + (KING - MAN) * crowned
    if lead and pieces <= FEW:
        lead += _chase(own & kings, other) if lead > 0 else -_chase(other & kings, own)
    return lead * (1 + (ALL - pieces) / (2 * ALL))


def _chase(kings: int, weaker: int) -> int:
    """A lead alone wins nothing: the stronger side's kings have to come near."""
    near = _around(_around(weaker))
    return CHASE * ((kings & near).bit_count() + (kings & _around(near)).bit_count())


def _around(squares: int) -> int:
    return (squares | squares << 9 | squares << 7 | squares >> 7 | squares >> 9) & DARK
