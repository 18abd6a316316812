"""Everyone meets everyone, by the circle method of Berger's tables."""

from __future__ import annotations

from ludus.tournaments.records import Pairing


def rounds(entrants: int, cycles: int = 1) -> list[list[Pairing]]:
    """All rounds. In every other cycle sides are swapped; with an odd number one entrant has a bye in each round."""
    return [
        [_swapped(pairing) if cycle % 2 else pairing for pairing in made]
        for cycle in range(cycles)
        for made in _cycle(entrants)
    ]


def _cycle(entrants: int) -> list[list[Pairing]]:
    """In an even circle the last place stays, and the others move on by half of the circle.

    So the entrant who stays and all the others alternate sides, except in one round.
    """
    size = entrants + entrants % 2
    turning, half = size - 1, size // 2
    made = []
    for number in range(size - 1):
        at = number * half % turning
        pairs = [(turning, at) if number % 2 else (at, turning)]
        pairs += [((at + k) % turning, (at - k) % turning) for k in range(1, half)]
        made.append([_real(first, second, entrants) for first, second in pairs])
    return made


def _real(first: int, second: int, entrants: int) -> Pairing:
    """The pairing, with a bye instead of a game against the empty place."""
    if first >= entrants:
        return Pairing(second, None)
    return Pairing(first, None if second >= entrants else second)


def _swapped(pairing: Pairing) -> Pairing:
    return pairing if pairing.second is None else Pairing(pairing.second, pairing.first)
