"""`ludus config`: every setting, its value and its origin."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.cli.terminal import output

if TYPE_CHECKING:
    from ludus.server.settings import Loaded, Value


def config() -> None:
    """Show every setting, its value and its origin.

    The command line overrides the environment, which overrides ludus.toml. Secrets are not shown.
    """
    from ludus.cli.settings import load_settings
    from ludus.server.settings import FILE, config_file

    file = config_file(os.environ, Path())
    loaded = load_settings({})
    console = output()
    console.print(table(loaded), markup=False, highlight=False)
    console.print(f"{FILE}: {file or 'none'}", markup=False, highlight=False, soft_wrap=True)


def table(loaded: Loaded) -> object:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from ludus.server.settings import FIELDS, hidden

    drawn = Table("setting", "value", "origin", "meaning", box=box.SIMPLE_HEAD)
    for name, field in FIELDS.items():
        origin = loaded.origins[name]
        style = "" if origin == "default" else "bold"
        cells = (name, written(hidden(name, getattr(loaded.settings, name))), origin, field.description or "")
        drawn.add_row(*(Text(cell) for cell in cells), style=style)
    return drawn


def written(value: Value) -> str:
    """The value as it would be set in the environment; an empty value is a pair of quotes."""
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) or '""'
