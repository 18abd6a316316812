"""Backgammon plays by brute force, to check the kernel against: every order of the dice, every man, kept if longest.

It shares nothing with the package. A board is both sides' men by point, each counting its own way (25 bar, 0 off).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

Side = tuple[int, ...]
Board = tuple[Side, Side]


def side(layout: dict[int, int]) -> Side:
    return tuple(layout.get(point, 0) for point in range(26))


def results(board: Board, dice: tuple[int, int]) -> set[Board]:
    """Every board a legal play of these dice can lead to."""
    one, two = dice
    orders = [(one,) * 4] if one == two else [(one, two), (two, one)]
    lines = [line for order in orders for line in _lines(board, order)]
    longest = max(len(used) for _, used in lines)
    kept = [(after, used) for after, used in lines if len(used) == longest]
    if longest == 1 and one != two:
        best = max(used[0] for _, used in kept)
        kept = [(after, used) for after, used in kept if used[0] == best]
    return {after for after, _ in kept}


def _lines(board: Board, dice: tuple[int, ...], used: tuple[int, ...] = ()) -> Iterator[tuple[Board, tuple[int, ...]]]:
    yield board, used
    if dice:
        for after in _steps(board, dice[0]):
            yield from _lines(after, dice[1:], (*used, dice[0]))


def _steps(board: Board, die: int) -> Iterator[Board]:
    own, other = board
    for point in range(25, 0, -1):
        if not own[point] or (own[25] and point != 25):
            continue
        target = point - die
        if target <= 0:
            if any(own[7:]) or (target < 0 and any(own[point + 1 :])):
                continue
            yield _moved(own, point, 0), other
        elif other[25 - target] < 2:
            hit = other[25 - target] == 1
            yield _moved(own, point, target), _moved(other, 25 - target, 25) if hit else other


def _moved(men: Side, source: int, target: int) -> Side:
    counts = Counter(dict(enumerate(men)))
    counts[source] -= 1
    counts[target] += 1
    return tuple(counts[point] for point in range(26))
