"""Packages that only an extra of the distribution installs, such as `pip install 'ludus-games[envs]'`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from ludus.core.errors import BadInput

DISTRIBUTION: Final = "ludus-games"
TITLES: Final[Mapping[str, str]] = MappingProxyType({"PIL": "Pillow"})
"""Names of packages that differ from their module's name."""


class MissingExtra(BadInput, ModuleNotFoundError):
    """A package is not installed; the text says which extra has it."""


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Surrounds the imports of packages that the extra installs."""
    try:
        yield
    except MissingExtra:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "ludus"):
            raise
        raise MissingExtra(f"this needs {TITLES.get(package, package)}: pip install '{DISTRIBUTION}[{name}]'") from None
