"""Dice that anyone can check: all rolls of a game follow from a secret seed, to which the platform is bound beforehand.

A change to what falls here needs a new number in `SCHEME`, or old games can no longer be checked. See `docs/dice.md`.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from itertools import count, product
from typing import Any, Final, TypeVar

from ludus.core.errors import BadInput, IllegalMove
from ludus.core.rules import Rules

P = TypeVar("P")
M = TypeVar("M")

SEED_BYTES: Final = 32
SCHEME: Final = "ludus dice 1"
FAIR: Final = 252
"""Bytes from here on are skipped: 252 is the last multiple of 6, so below it each face has as many bytes."""
PAIRS: Final = frozenset(product(range(1, 7), repeat=2))


def commitment(seed: bytes, table: str) -> str:
    """What is published before the first roll; it tells nothing of the seed, and no other seed fits it."""
    _refuse_other_size(seed)
    return hashlib.sha256(f"{SCHEME} commitment/{table}/{seed.hex()}".encode()).hexdigest()


def roll(rules: Rules[P, M], position: P, seed: bytes, table: str, number: int) -> M:
    """What falls at this dice turn, where `number` rolls have fallen in the game before.

    Two faces are a roll as they fell, if the rules know it so (white's and black's die in an opening), or else the
    higher first; if they are no roll either way (equal dice in an opening), the next two are taken.
    """
    known: dict[Any, M] = {chance: chance for chance, _ in rules.chances(position)}
    if PAIRS.isdisjoint(known):
        raise IllegalMove("two dice cannot be rolled here")
    stream = faces(seed, table, number)
    for one, two in zip(stream, stream, strict=False):
        for pair in ((one, two), (max(one, two), min(one, two))):
            if pair in known:
                return known[pair]
    raise AssertionError("the faces never end")


def faces(seed: bytes, table: str, number: int) -> Iterator[int]:
    """The endless faces of roll `number`, of which a roll takes as many as it needs."""
    _refuse_other_size(seed)
    for block in count():
        message = f"{SCHEME}/{table}/{number}/{block}".encode()
        for byte in hmac.digest(seed, message, "sha256"):
            if byte < FAIR:
                yield byte % 6 + 1


def _refuse_other_size(seed: bytes) -> None:
    if len(seed) != SEED_BYTES:
        raise BadInput(f"a seed of the dice has {SEED_BYTES} bytes, not {len(seed)}")
