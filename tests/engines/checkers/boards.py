"""Random positions as the kernel's arguments: own, other, kings, side."""

from __future__ import annotations

from random import Random

from ludus.core.bits import reverse
from ludus.games.checkers import kernel

Four = tuple[int, int, int, int]


def after_random_moves(rng: Random, moves: int) -> Four:
    """A position of a random game that is not over; an earlier one if the game ended sooner."""
    words, here = [0] * (kernel.MOST_MOVES * kernel.WORDS), (kernel.FIRST_START, kernel.SECOND_START, 0, 0)
    last = here
    for _ in range(moves):
        end = kernel.write_moves(words, 0, *here)
        if not end:
            return last
        i = rng.randrange(end) * kernel.WORDS
        last, here = here, kernel.play(*here, words[i], words[i + 1], words[i + 2])
    return here if kernel.can_move(*here) else last


def some(number: int, seed: int = 1) -> list[Four]:
    rng = Random(seed)
    return [after_random_moves(rng, rng.randrange(4, 90)) for _ in range(number)]


def mirrored(position: Four) -> Four:
    """The same for the other player: rotated by 180 degrees."""
    own, other, kings, side = position
    return reverse(own), reverse(other), reverse(kings), 1 - side
