"""The weights of a softmax, in integers, so that every device draws the same actions.

A weight is exp((logit - highest) / temperature) with thirty bits after the point. It takes a subtraction and a product
of float32, which are the same everywhere, and a polynomial in integers. Sums of integers don't depend on the order of
their terms, so it doesn't matter how a device shares out the actions of a row.
"""

from __future__ import annotations

import math

POINT = 30
ONE = 1 << POINT
RANGE = 31
"""The binary logarithm of the highest weight over the least."""
FRACTION = 26
C1, C2, C3, C4, C5 = 744265627, 257871477, 59927303, 9664534, 2012743
"""2 ** x = 1 + C1 * x + C2 * x ** 2 and so on for x from 0 to 1, with a relative error of 1.2e-7."""
LOG_ONE = POINT * math.log(2)
LOG_2 = math.log(2)


def weight_of(value: float, highest: float, scale: float, is_greedy: bool) -> int:
    """`scale` is log2(e) / temperature. Without a finite highest logit it is 0 for all actions."""
    if is_greedy:
        return 1 if value - highest == 0 else 0
    exponent = (value - highest) * scale
    if not exponent > -RANGE:
        return 0
    rise = (RANGE << FRACTION) + int(exponent * (1 << FRACTION))
    part = rise & (1 << FRACTION) - 1
    power = C4 + (C5 * part >> FRACTION)
    power = C3 + (power * part >> FRACTION)
    power = C2 + (power * part >> FRACTION)
    power = C1 + (power * part >> FRACTION)
    return ONE + (power * part >> FRACTION) >> RANGE - (rise >> FRACTION)


def log_probability(difference: float, scale: float, is_greedy: bool, total: int) -> float:
    """The log-probability of an action with this difference from the highest logit, in a row with this total weight."""
    return 0.0 if is_greedy else float(difference) * scale * LOG_2 - (math.log(total) - LOG_ONE)
