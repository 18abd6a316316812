"""Weights that `ludus train` has made, as a player: `hard` with these in place of the house's."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from typing import Any, Final

from ludus.core.errors import BadInput, LudusError
from ludus.engines import Engine
from ludus.engines.levels import BOTS

CELLS: Final = "cells.npy"
"""In a file of weights for checkers."""
LAYER, GAME = "weight_0.npy", "game.npy"
"""A network for backgammon has layers as a policy has, but a policy also says its game."""


def game_of(path: str) -> str | None:
    """The game whose weights a file holds; None for anything else, which the reader of policies can judge."""
    try:
        with zipfile.ZipFile(path) as file:
            names = set(file.namelist())
    except (OSError, zipfile.BadZipFile):
        return None
    if CELLS in names:
        return "checkers"
    return "backgammon" if LAYER in names and GAME not in names else None


def trained(path: str, game: str) -> Engine:
    """The player with these weights; what is wrong with the file is told now, not with the first move."""
    try:
        own = _checkers(path) if game == "checkers" else _backgammon(path)
    except LudusError as error:
        raise BadInput(f"{path}: {error}") from error
    player: Engine = replace(BOTS["hard"].games[game], **own)
    return player


def _checkers(path: str) -> dict[str, Any]:
    from ludus.engines.checkers.mind import Mind
    from ludus.engines.checkers.weights import load

    return {"mind": Mind(load(path))}


def _backgammon(path: str) -> dict[str, Any]:
    from ludus.engines.backgammon.network.weights import load_arrays

    load_arrays(path)
    return {"weights": path}
