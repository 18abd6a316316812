"""Backgammon masks by brute force: a step is legal if a play with the most possible steps continues with it.

Shares nothing with the package but Numba. A side is an array of 26 numbers of men by place: 0 the bar, 25 off.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np


@numba.njit(cache=True)
def can_step(own: Any, other: Any, place: int, die: int) -> bool:
    if own[place] == 0 or place == 25 or (own[0] > 0 and place != 0):
        return False
    landing = place + die
    if landing < 25:
        return bool(other[25 - landing] < 2)
    for outside in range(19):
        if own[outside] > 0:
            return False
    if landing > 25:
        for behind in range(19, place):
            if own[behind] > 0:
                return False
    return True


@numba.njit(cache=True)
def step(own: Any, other: Any, place: int, die: int) -> bool:
    """Makes a step; whether it hits."""
    landing = min(place + die, 25)
    own[place] -= 1
    own[landing] += 1
    if landing < 25 and other[25 - landing] == 1:
        other[25 - landing] = 0
        other[0] += 1
        return True
    return False


@numba.njit(cache=True)
def take_back(own: Any, other: Any, place: int, die: int, is_hit: bool) -> None:
    landing = min(place + die, 25)
    own[landing] -= 1
    own[place] += 1
    if is_hit:
        other[25 - landing] = 1
        other[0] -= 1


@numba.njit(cache=True)
def longest(own: Any, other: Any, dice: Any) -> int:
    """The most steps that can be made with the dice left, `dice[d]` of value d."""
    best, left = 0, dice.sum()
    for die in range(1, 7):
        if dice[die] == 0:
            continue
        dice[die] -= 1
        for place in range(25):
            if best < left and can_step(own, other, place, die):
                is_hit = step(own, other, place, die)
                best = max(best, 1 + longest(own, other, dice))
                take_back(own, other, place, die, is_hit)
        dice[die] += 1
    return best


@numba.njit(cache=True)
def legal(own: Any, other: Any, dice: Any, mask: Any) -> None:
    """Writes which actions (place * 6 + die - 1, or 150 to pass) are legal."""
    mask[:] = 0
    most = longest(own, other, dice)
    highest = 0
    for die in range(1, 7):
        if dice[die] == 0:
            continue
        dice[die] -= 1
        for place in range(25):
            if can_step(own, other, place, die):
                is_hit = step(own, other, place, die)
                if 1 + longest(own, other, dice) == most:
                    mask[place * 6 + die - 1] = 1
                    highest = max(highest, die)
                take_back(own, other, place, die, is_hit)
        dice[die] += 1
    if most == 0:
        mask[150] = 1
    if most == 1:
        for action in range(150):
            if action % 6 + 1 < highest:
                mask[action] = 0


@numba.njit(cache=True)
def find_difference(observations: Any, masks: Any) -> int:
    """The first row whose mask differs from brute force, or -1. Rows are observations as documented."""
    mask = np.zeros(156, np.int8)
    own, other, dice = np.zeros(26, np.int64), np.zeros(26, np.int64), np.zeros(7, np.int64)
    for i in range(len(observations)):
        row = observations[i]
        own[:] = row[0:26]
        dice[1:] = row[26:32]
        other[0], other[25] = row[32], row[57]
        for place in range(1, 25):
            other[25 - place] = row[32 + place]
        legal(own, other, dice, mask)
        for action in range(156):
            if mask[action] != masks[i, action]:
                return i
    return -1
