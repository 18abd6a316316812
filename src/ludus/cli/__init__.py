"""The command line. Each command is a file; heavy imports wait until a command needs them."""

from __future__ import annotations

import sys
import warnings
from typing import Any, TextIO

import typer

from ludus.core.errors import LudusError
from ludus.core.kernel_cache import KernelCacheWarning

UsageError: Any = typer.BadParameter.__bases__[0]
"""Base of all usage errors; typer exports only its subclasses."""
INTERRUPTED = 130
"""The exit code that typer returns on Ctrl-C."""


def main() -> None:
    """Runs the command line. Bad input prints one line and exits with 2; Ctrl-C prints a line too."""
    code = 2
    warnings.showwarning = show_warning
    try:
        from ludus.cli.app import app  # lists all games, which fails if an installed one is broken

        if (code := app(standalone_mode=False)) != INTERRUPTED:
            sys.exit(code)
        problem = "stopped"
    except LudusError as error:
        problem = str(error)
    except UsageError as error:
        problem = error.format_message()
        if not problem:  # the help was shown instead
            sys.exit(code)
        problem += f" (see {error.ctx.command_path} --help)" if error.ctx else ""
    except ModuleNotFoundError as error:
        if error.name != "fcntl":
            raise
        problem = "this command needs Linux or macOS; on Windows, run it in WSL"
    except typer.Abort:
        problem = "stopped"
    typer.echo(f"ludus: {' '.join(problem.split())}", err=True)
    sys.exit(code)


def show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Shows a warning for operators as one plain line; all others are for developers."""
    if issubclass(category, KernelCacheWarning):
        typer.echo(f"ludus: {message}", err=True)
    else:
        typer.echo(warnings.formatwarning(message, category, filename, lineno, line), err=True, nl=False, file=file)
