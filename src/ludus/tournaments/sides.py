"""Which of two entrants has the first move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ludus.tournaments.records import Card, Pairing


def with_sides(pair: tuple[int, int], made: Sequence[Card], ranks: Mapping[int, int], board: int) -> Pairing:
    """Gives the first move to the entrant for whom it is due; if both or neither, by the higher one's wish or turns."""
    one, two = sorted(pair, key=ranks.__getitem__)
    first, second = made[one], made[two]
    for due, other in ((first.is_due, second.is_due), (_side(first.wish), _side(second.wish))):
        if due is not None and due != other:
            return Pairing(one, two) if due == 0 else Pairing(two, one)
        if due is None and other is not None:
            return Pairing(two, one) if other == 0 else Pairing(one, two)
    difference = first.wish - second.wish
    if difference:
        return Pairing(one, two) if difference > 0 else Pairing(two, one)
    if first.wish:
        return Pairing(one, two) if first.wish > 0 else Pairing(two, one)
    return Pairing(two, one) if board % 2 else Pairing(one, two)


def _side(wish: int) -> int | None:
    return None if wish == 0 else 0 if wish > 0 else 1
