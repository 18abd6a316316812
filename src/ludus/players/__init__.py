"""Players by name: an engine, trained weights, a policy, or a user's own code.

This layer is above engines and environments, which policies need, and below the service, whose bots can be any player.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ludus.core.errors import BadInput
from ludus.engines import Engine, engines
from ludus.engines.trained import find_trained
from ludus.players.imported import imported

SUFFIX: Final = ".npz"
BOT_PREFIX: Final = "house:"
"""The prefix of bots' names in the arena."""


def find_player(name: str, game: str, variant: str = "standard") -> Engine:
    """The player with this name, for this game; one that can't play the variant is refused."""
    engine, known = name.removeprefix(BOT_PREFIX), engines(game)
    if engine in known:
        return known[engine]
    if name.endswith(SUFFIX):
        return find_trained(name, game) or _policy(name, game, variant)
    if ":" in name:
        return imported(name)
    others = f"policy files and weights ({SUFFIX}), and module:function"
    raise BadInput(f"there is no player {name!r}; there are {', '.join(known)}, {others}")


def display_name(name: str) -> str:
    """A player's name in results; for a file, its name without the folders."""
    return Path(name).stem if name.endswith(SUFFIX) else name


def _policy(name: str, game: str, variant: str) -> Engine:
    """A policy, or a value function."""
    from ludus.envs.value import is_value  # these are slow to import
    from ludus.players.policy import PolicyPlayer
    from ludus.players.value import ValuePlayer

    if is_value(name):
        return ValuePlayer.load(name, game, variant)
    return PolicyPlayer.load(name, game, variant)
