"""The registry of games. A game knows nothing about other games or its players: no clocks, files or randomness here.

A built-in game is a folder in here; a third-party one is a package that an entry point of the group `ludus.games`
names (`tictactoe = "tictactoe_ludus"`). Both have `RULES` and `ABOUT`. What other layers need from a game is in the
modules that `layer` finds.
"""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import Any, Final, Generic, TypeVar

from ludus.core.about import About
from ludus.core.errors import BrokenGame
from ludus.core.rules import Rules

GROUP: Final = "ludus.games"
"""The entry points' group."""
NAME: Final = re.compile("[a-z][a-z0-9_-]{0,31}")
"""A game's name is part of addresses, socket namespaces, HTML elements and paths of files."""
RESERVED: Final = "generic"
"""The web page's folder for games without files of their own."""

T = TypeVar("T")


class _Registry(Mapping[str, T], Generic[T]):
    """One attribute of every game's package. Looking up a built-in game does not search for third-party ones."""

    def __init__(self, attribute: str) -> None:
        self._attribute = attribute
        self._found: dict[str, T] = {}

    def __getitem__(self, game: str) -> T:
        try:
            return self._found[game]
        except KeyError:
            found: T = getattr(_load(game), self._attribute)
            self._found[game] = found
            return found

    def __iter__(self) -> Iterator[str]:
        return iter(_names())

    def __len__(self) -> int:
        return len(_names())

    def __repr__(self) -> str:
        return f"<{self._attribute} of {', '.join(self)}>"


GAMES: Final[Mapping[str, Rules[Any, Any]]] = _Registry("RULES")
ABOUT: Final[Mapping[str, About]] = _Registry("ABOUT")


def find_game(file_name: str, text: str = "") -> Rules[Any, Any] | None:
    """The rules of a file's game, recognized by the end of its name or, if no game has that, by its text."""
    by_name = (rules for rules in GAMES.values() if file_name.lower().endswith(rules.notation.suffix))
    by_text = (rules for rules in GAMES.values() if rules.notation.recognizes(text))
    return next(by_name, None) or next(by_text, None)


def package(game: str) -> str:
    """The importable name of a game's package; `KeyError` if there is no such game."""
    if game in _built_in():
        return f"{__name__}.{game}"
    return str(_third_party()[game].value)


@cache
def layer(game: str, name: str) -> ModuleType | None:
    """The module with what a layer, `name` (`engines`, `envs`, `wire`, `training`), needs from a game, if any."""
    own = package(game)
    module = f"ludus.{name}.{game}" if game in _built_in() else f"{own}.{name}"
    parent = importlib.import_module(module.rpartition(".")[0])
    if not hasattr(parent, "__path__") or find_spec(module) is None:
        return None
    return importlib.import_module(module)


@cache
def _built_in() -> frozenset[str]:
    return frozenset(found.name for found in pkgutil.iter_modules(__path__) if found.ispkg)


@cache
def _third_party() -> dict[str, Any]:
    """Entry points by name."""
    from importlib.metadata import entry_points

    found: dict[str, Any] = {}
    for entry in entry_points(group=GROUP):
        if not NAME.fullmatch(entry.name):
            raise _broken(entry, "a name has lowercase letters, digits, - and _, 32 at most, and starts with a letter")
        if entry.name in (RESERVED, *_built_in()) or (entry.name in found and found[entry.name].value != entry.value):
            raise _broken(entry, "another game has this name")
        found[entry.name] = entry
    return found


@cache
def _names() -> tuple[str, ...]:
    """The names of all games, in the order in which lists show them."""
    return tuple(sorted([*_built_in(), *_third_party()], key=lambda game: (ABOUT[game].rank, game)))


@cache
def _load(game: str) -> ModuleType:
    if game in _built_in():
        return importlib.import_module(f"{__name__}.{game}")
    entry = _third_party()[game]
    try:
        module = importlib.import_module(entry.value)
    except Exception as error:
        raise _broken(entry, f"{type(error).__name__}: {error}") from error
    for attribute in ("RULES", "ABOUT"):
        if not hasattr(module, attribute):
            raise _broken(entry, f"{entry.value} has no {attribute}")
    if module.RULES.name != game:
        raise _broken(entry, f"its rules are named {module.RULES.name!r}")
    return module


def _broken(entry: Any, why: str) -> BrokenGame:
    source = f" of {entry.dist.name} {entry.dist.version}" if entry.dist else ""
    return BrokenGame(f"the entry point {entry.name} = {entry.value}{source} gives no game: {why}")
