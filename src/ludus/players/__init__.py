"""Who can be named as a player, wherever a level can: an engine, what was trained, or code of one's own.

Above engines and environments, since policies are trained there; below the house, whose bots may be any of these.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from ludus.core.errors import BadInput, UnknownOption
from ludus.engines import ENGINES, Engine
from ludus.players.imported import imported
from ludus.players.trained import game_of, trained

SUFFIX: Final = ".npz"
BOT_PREFIX: Final = "house:"
"""Stands before an engine's name where the arena names its bots."""


def find_player(name: str, game: str) -> Engine:
    """The player that a user has named, for this game."""
    engine = name.removeprefix(BOT_PREFIX)
    if engine in ENGINES:
        return ENGINES[engine]
    if name.endswith(SUFFIX):
        return _from_file(name, game)
    if ":" in name:
        return imported(name)
    known = f"{', '.join(ENGINES)}, policy files and weights ({SUFFIX}), and module:function"
    raise BadInput(f"there is no player {name!r}; there are {known}")


def shown(name: str) -> str:
    """A player as results name it: a file without its folders."""
    return Path(name).stem if name.endswith(SUFFIX) else name


def _from_file(name: str, game: str) -> Engine:
    """What the environments trained, or what `ludus train` did."""
    own = game_of(name)
    if own is None:
        return _policy(name, game)
    if own != game:
        raise UnknownOption(f"{name} plays {own}, not {game}")
    return trained(name, game)


def _policy(name: str, game: str) -> Engine:
    try:
        from ludus.players.policy import PolicyPlayer  # it brings the environments, which are not always installed
    except ModuleNotFoundError as error:
        raise BadInput(f"policies need {error.name}: pip install 'ludus[envs]'") from error
    return PolicyPlayer.load(name, game)
