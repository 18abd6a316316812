"""Options of a game, such as the length of a match: part of its variant's name in here, separate fields in all APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ludus.games import GAMES


def variant_with(game: str, options: Mapping[str, int | None]) -> str:
    """The variant with these options; None leaves one to the game. Raises `UnknownOption` where they make no sense."""
    return GAMES[game].variant_name("standard", **options)


def option_fields(game: str, variant: str) -> dict[str, Any]:
    """The options of a variant as all APIs name them; empty for a plain game.

    >>> option_fields("backgammon", "standard+match7")
    {'matchLength': 7, 'cube': True}
    """
    return {_camel(name): value for name, value in GAMES[game].options_of(variant).items()}


def shown_options(game: str, variant: str) -> dict[str, Any]:
    """The same as one field; nothing for a plain game."""
    found = option_fields(game, variant)
    return {"options": found} if found else {}


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)
