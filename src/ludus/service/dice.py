"""Provably fair dice: all rolls of a game follow from a secret seed, to which the platform commits beforehand.

Any change to the rolls needs a new number in `SCHEME`, or old games can no longer be verified. See `docs/dice.md`.
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
"""Bytes from here on are skipped: 252 is the largest multiple of 6 in a byte, so every face is equally likely."""
PAIRS: Final = frozenset(product(range(1, 7), repeat=2))


def commitment(seed: bytes, table: str) -> str:
    """Published before the first roll; it reveals nothing about the seed, and no other seed matches it."""
    _check_size(seed)
    return hashlib.sha256(f"{SCHEME} commitment/{table}/{seed.hex()}".encode()).hexdigest()


def roll(rules: Rules[P, M], position: P, seed: bytes, table: str, number: int) -> M:
    """The roll at this dice turn, after `number` earlier rolls in the game.

    Two faces make a roll in the order drawn, if the rules know it (white's and black's die in an opening), or else with
    the higher first; if neither is a roll (equal dice in an opening), the next two faces are drawn.
    """
    known: dict[Any, M] = {chance: chance for chance, _ in rules.chances(position)}
    if PAIRS.isdisjoint(known):
        raise IllegalMove("two dice cannot be rolled here")
    stream = faces(seed, table, number)
    for one, two in zip(stream, stream, strict=False):
        for pair in ((one, two), (max(one, two), min(one, two))):
            if pair in known:
                return known[pair]
    raise AssertionError("the stream is endless")


def faces(seed: bytes, table: str, number: int) -> Iterator[int]:
    """The endless stream of faces for roll `number`."""
    _check_size(seed)
    for block in count():
        message = f"{SCHEME}/{table}/{number}/{block}".encode()
        for byte in hmac.digest(seed, message, "sha256"):
            if byte < FAIR:
                yield byte % 6 + 1


def _check_size(seed: bytes) -> None:
    if len(seed) != SEED_BYTES:
        raise BadInput(f"a dice seed has {SEED_BYTES} bytes, not {len(seed)}")
