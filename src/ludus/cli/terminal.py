"""Shared by the commands: the game argument, counted nouns, colour on terminals that have it."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Final

import typer

from ludus.games import GAMES

NAMES: Final = "|".join(GAMES)


def refuse_unknown(name: str | None) -> str | None:
    if name is not None and name not in GAMES:
        raise typer.BadParameter(f"{name!r} is not {' or '.join(GAMES)}.")
    return name


GameArgument = Annotated[
    str, typer.Argument(help="Which game.", metavar=NAMES, callback=refuse_unknown, show_default=False)
]
GameOption = Annotated[
    str | None,
    typer.Option(help="The game, if the file name doesn't tell.", metavar=NAMES, callback=refuse_unknown),
]


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def has_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
