"""Checks of users' options: a wrong value raises an error that lists or describes the right ones."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Collection, Mapping
from typing import Any

from ludus.core.errors import UnknownOption, UnknownVariant
from ludus.envs.encoding import Encoding, find_encoding, versions
from ludus.games import GAMES

LARGEST = SEED_BITS = (1 << 63) - 1


def check_choice(name: str, value: Any, known: Collection[str]) -> None:
    if not isinstance(value, str) or value not in known:
        raise UnknownOption(f"there is no {name} {value!r}; there are {', '.join(known)}")


def find_version(name: Any, variant: Any, choices: Mapping[str, Any]) -> tuple[Encoding, str]:
    """The encoding for a game, or for one version of its environments, and the variant with the choices in its name."""
    if not isinstance(variant, str):
        raise UnknownVariant(f"a variant is named by text, not by {type(variant).__name__}")
    game = find_encoding(name).game
    variant = GAMES[game].variant_name(variant, **choices)
    GAMES[game].start(variant)
    encoding = find_encoding(name, variant)
    if not encoding.plays(variant):
        others = ", ".join(other for other, version in versions(game).items() if version.plays(variant))
        raise UnknownVariant(f"{name} has no variant {variant!r}; {others} has")
    return encoding, variant


def read_position(encoding: Encoding, position: Any) -> Any:
    """A position to start from, given as a value or as text in the game's notation."""
    rules = GAMES[encoding.game]
    if isinstance(position, type(rules.start("standard"))):
        rules.moves(position)  # refuses what can't be on a board
        position = rules.notation.read_position(rules.notation.write_position(position))
    elif isinstance(position, str):
        position = rules.notation.read_position(position)
    else:
        raise UnknownOption(f"a position is text or a Position, not {type(position).__name__}")
    if rules.outcome(position):
        raise UnknownOption(f"the game is over in {rules.notation.write_position(position)!r}")
    encoding.encode_position(position)
    return position


def check_integer(name: str, value: Any, low: int, high: int | None = None) -> int:
    """The value as an int, if it is an integer in the range; without `high`, one that compiled code can take."""
    most = LARGEST if high is None else high
    try:
        number = int(operator.index(value))
    except TypeError:
        number = low - 1
    if not low <= number <= most:
        span = f"{low} or more" if high is None and number < low else f"{low} to {most:,}"
        raise UnknownOption(f"{name} must be an integer, {span}, not {value!r}")
    return number


def check_seed(seed: Any) -> int:
    """The low 63 bits of a seed; random ones for None."""
    if seed is None:
        return secrets.randbits(63)
    try:
        return operator.index(seed) & SEED_BITS
    except TypeError:
        raise UnknownOption(f"a seed must be an integer, not {seed!r}") from None
