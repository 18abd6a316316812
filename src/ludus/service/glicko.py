"""Glicko-2 for one rating period, after Mark Glickman's paper "Example of the Glicko-2 system".

The paper is at https://www.glicko.net/glicko/glicko2.pdf; steps are numbered as there. A game may have a weight: then
it counts as that fraction of a game, in the evidence and in the length of the period. A weight of 1 gives the paper's
formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, hypot, log, pi, sqrt
from typing import Final, NamedTuple

CENTRE: Final = 1500.0
SCALE: Final = 173.7178
"""Points of a rating in one unit of the paper's internal scale."""
TAU: Final = 0.5
"""How much the volatility may change in a period; the paper suggests 0.3 to 1.2."""
CONVERGENCE: Final = 1e-6


class Strength(NamedTuple):
    rating: float
    deviation: float
    volatility: float


class Result(NamedTuple):
    opponent: Strength
    score: float
    """1 for a win, 0.5 for a draw, 0 for a loss."""
    weight: float = 1.0
    """Above 0, at most 1."""


class Evidence(NamedTuple):
    """What results say about a player."""

    precision: float
    gain: float


def idle(own: Strength) -> Strength:
    """After a period without games: the rating stays, and is less certain."""
    return own._replace(deviation=SCALE * hypot(own.deviation / SCALE, own.volatility))


def rated(own: Strength, results: Sequence[Result]) -> Strength:
    """After a period with these results, at least one."""
    mu, phi = (own.rating - CENTRE) / SCALE, own.deviation / SCALE  # step 2
    precision, gain = _evidence(own, results)
    v = 1 / precision  # step 3
    sigma = _volatility(phi, own.volatility, v, delta=v * gain)  # steps 4 and 5
    length = min(1.0, sum(result.weight for result in results))
    phi = 1 / sqrt(1 / (phi**2 + length * sigma**2) + precision)  # steps 6 and 7
    return Strength(SCALE * (mu + phi**2 * gain) + CENTRE, SCALE * phi, sigma)  # step 8


def limited(own: Strength, result: Result, most: float) -> Result:
    """The result with its weight lowered, if need be, until it changes the rating by no more than `most` points."""
    precision, gain = _evidence(own, [result._replace(weight=1.0)])
    change, certainty = most / SCALE, 1 / ((own.deviation / SCALE) ** 2 + own.volatility**2)
    surplus = abs(gain) - change * precision
    return result if surplus <= 0 else result._replace(weight=min(result.weight, change * certainty / surplus))


def _evidence(own: Strength, results: Sequence[Result]) -> Evidence:
    mu = (own.rating - CENTRE) / SCALE
    precision = gain = 0.0
    for opponent, score, weight in results:
        g = 1 / sqrt(1 + 3 * (opponent.deviation / SCALE) ** 2 / pi**2)
        expected = 1 / (1 + exp(-g * (mu - (opponent.rating - CENTRE) / SCALE)))
        precision += weight * g**2 * expected * (1 - expected)
        gain += weight * g * (score - expected)
    return Evidence(precision, gain)


def _volatility(phi: float, sigma: float, v: float, delta: float) -> float:
    """Step 5, which looks for the root of f by the Illinois algorithm."""
    a, spread, surprise = log(sigma**2), phi**2 + v, delta**2

    def f(x: float) -> float:
        ex = exp(x)
        return ex * (surprise - spread - ex) / (2 * (spread + ex) ** 2) - (x - a) / TAU**2

    x0, x1 = a, log(surprise - spread) if surprise > spread else _below(f, a)
    f0, f1 = f(x0), f(x1)
    while abs(x1 - x0) > CONVERGENCE:
        x2 = x0 + (x0 - x1) * f0 / (f1 - f0)
        f2 = f(x2)
        if f2 * f1 <= 0:
            x0, f0 = x1, f1
        else:
            f0 /= 2
        x1, f1 = x2, f2
    return exp(x0 / 2)


def _below(f: Callable[[float], float], a: float) -> float:
    """The first point in steps of tau below `a` where f isn't negative, so that a root lies between."""
    x = a - TAU
    while f(x) < 0:
        x -= TAU
    return x
