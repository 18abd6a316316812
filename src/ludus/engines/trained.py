"""Weights made by `ludus train`, as a player: `hard` with these weights instead of the packaged ones."""

from __future__ import annotations

import zipfile

from ludus.core.errors import BadInput, LudusError, UnknownOption
from ludus.engines.adapters import adapter
from ludus.engines.engine import Engine
from ludus.games import GAMES


def game_of(path: str) -> str | None:
    """The game whose weights a file holds; None for any other file, which may be a policy."""
    try:
        with zipfile.ZipFile(path) as file:
            entries = frozenset(file.namelist())
    except (OSError, zipfile.BadZipFile):
        return None
    tests = ((game, adapter(game).is_weights) for game in GAMES)
    return next((game for game, is_weights in tests if is_weights and is_weights(entries)), None)


def find_trained(path: str, game: str) -> Engine | None:
    """The player with a file's weights, None if it holds none; bad weights raise here, not at the first move."""
    own = game_of(path)
    if own is None:
        return None
    if own != game:
        raise UnknownOption(f"{path} plays {own}, not {game}")
    load = adapter(game).load_weights
    assert load is not None  # `game_of` found this game
    try:
        player: Engine = load(path)
    except LudusError as error:
        raise BadInput(f"{path}: {error}") from error
    return player
