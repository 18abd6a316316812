"""Weights made by `ludus train`, as a player: `hard` with these instead of the packaged ones."""

from __future__ import annotations

import zipfile

from ludus.core.errors import BadInput, LudusError
from ludus.engines import Engine, adapter
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


def trained(path: str, game: str) -> Engine:
    """The player with these weights; a bad file raises here, not at the first move."""
    load = adapter(game).load_weights
    assert load is not None  # `game_of` found this game
    try:
        player: Engine = load(path)
    except LudusError as error:
        raise BadInput(f"{path}: {error}") from error
    return player
