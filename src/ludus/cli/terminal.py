"""Shared by the commands: the game argument, boards and tables that fit the terminal, line editing at prompts."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from ludus.core.board import Board
from ludus.engines import ENGINES
from ludus.games import GAMES

if TYPE_CHECKING:
    from rich.console import Console

NAMES: Final = "|".join(GAMES)
UNLIMITED: Final = 10_000
"""Columns if the output isn't a terminal, so that no line is cut or folded."""
HISTORY: Final = 1000
"""Lines kept between games."""


def completing(choices: Iterable[str]) -> Callable[[str], list[str]]:
    """A function that completes one of these words in the shell."""
    return lambda incomplete: [choice for choice in choices if choice.startswith(incomplete)]


def complete_variant(ctx: typer.Context, incomplete: str) -> list[str]:
    """The starting positions of the game on the command line, or of all games."""
    words = (ctx.params.get("game"), *ctx.args)  # it is in `args` as long as an option has no value
    games = [rules for name, rules in GAMES.items() if name in words] or GAMES.values()
    return completing(dict.fromkeys(name for rules in games for name in rules.variants))(incomplete)


complete_game = completing(GAMES)
complete_player = completing(ENGINES)


def refuse_unknown(name: str | None) -> str | None:
    if name is not None and name not in GAMES:
        raise typer.BadParameter(f"{name!r} is not {' or '.join(GAMES)}.")
    return name


GameArgument = Annotated[
    str,
    typer.Argument(
        help="Which game.", metavar=NAMES, callback=refuse_unknown, show_default=False, autocompletion=complete_game
    ),
]
GameOption = Annotated[
    str | None,
    typer.Option(
        help="The game, if the file name doesn't tell.",
        metavar=NAMES,
        callback=refuse_unknown,
        autocompletion=complete_game,
    ),
]


MatchLengthOption = Annotated[
    int | None, typer.Option("--match-length", help="Play a match to this many points (backgammon).", metavar="N")
]
CubeOption = Annotated[
    bool | None,
    typer.Option("--cube/--no-cube", help="Play with the doubling cube (backgammon); matches do.", show_default=False),
]
JacobyOption = Annotated[
    bool | None, typer.Option("--jacoby", help="Gammons count only after a double.", show_default=False)
]
BeaversOption = Annotated[
    bool | None,
    typer.Option("--beavers", help="A player who is doubled may double again at once.", show_default=False),
]


def counted(number: int, noun: str) -> str:
    """`1 game`, `2 games`, `2 passes`."""
    plural = "es" if noun.endswith("s") else "s"
    return f"{number:,} {noun}{'' if number == 1 else plural}"


def has_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def drawn(board: Board, *, flipped: bool = False, highlight: Collection[int] = ()) -> str:
    """The board as text, narrow if the terminal is."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    return board.text(colour=has_colour(), flipped=flipped, highlight=highlight, width=width)


def output() -> Console:
    """A console for tables: as wide as the terminal or, if the output goes elsewhere, as the tables need."""
    from rich.console import Console

    console = Console(emoji=False)
    if not console.is_terminal:
        console.width = UNLIMITED
    return console


@contextmanager
def line_editing() -> Iterator[Callable[[str], str]]:
    """Arrow keys and history at prompts, if Python has readline; yields a replacement for `input`.

    The history is a convenience: if its file can't be read or written, there is none.
    """
    readline = find_readline() if sys.stdin.isatty() and sys.stdout.isatty() else None
    if readline is None:
        yield input
        return
    file = history_file()
    readline.set_auto_history(False)
    with suppress(OSError):
        if file:
            readline.read_history_file(file)

    def ask(question: str) -> str:
        line = input(question)
        if line.strip():
            readline.add_history(line)
        return line

    try:
        yield ask
    finally:
        readline.set_history_length(HISTORY)
        with suppress(OSError):
            if file:
                file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                readline.write_history_file(file)


def find_readline() -> ModuleType | None:
    """The module; None on Windows, whose console edits lines itself, and if Python was built without it."""
    try:
        import readline
    except ImportError:
        return None
    return readline


def history_file() -> Path | None:
    """A file in the user's state folder; None for a user without a home."""
    try:
        base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    except RuntimeError:
        return None
    return Path(base) / "ludus" / "history"
