"""What the commands share: the game's name as an argument, and colour where the terminal has it."""

from __future__ import annotations

import enum
import os
import sys
from typing import Annotated

import typer


class GameName(enum.StrEnum):
    CHECKERS = "checkers"
    BACKGAMMON = "backgammon"


GameArgument = Annotated[
    GameName, typer.Argument(help="Which game.", metavar="checkers|backgammon", show_default=False)
]


def has_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
