"""Users' own players: a function, or anything with a method `choose`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from traceback import extract_tb
from typing import Any, Protocol

from ludus.core.errors import BadInput, IllegalMove, LudusError
from ludus.core.rules import Turn
from ludus.engines.engine import Engine, Limit, roll


class Function(Protocol):
    """The function that `module:function` names; returns a legal move or its text."""

    def __call__(self, rules: Any, position: Any, rng: Random) -> Any: ...


class EnginePlayer:
    """A user's engine; its moves are checked."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._name, self._engine = name, engine

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return _call(self._name, rules, position, lambda: self._engine.choose(rules, position, limit, rng, past))


class FunctionPlayer:
    def __init__(self, name: str, function: Function) -> None:
        self._name, self._function = name, function

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return _call(self._name, rules, position, lambda: self._function(rules, position, rng))


def _call(name: str, rules: Any, position: Any, ask: Callable[[], Any]) -> Any:
    """A legal move; an error in the user's code is reported with the position and the line."""
    try:
        return _checked(rules, position, ask())
    except LudusError:
        raise
    except Exception as error:
        where = rules.notation.write_position(position)
        raise BadInput(f"{name} failed in {where}: {type(error).__name__}: {error}{_line(error)}") from error


def _line(error: Exception) -> str:
    """The last line of the user's file in the traceback."""
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def _checked(rules: Any, position: Any, move: Any) -> Any:
    """A legal move, given as a value or as text. Text can also be a resignation, of either side."""
    returned = move
    if isinstance(move, str):
        move = rules.notation.read_move(position, move)
    if move not in rules.moves(position):
        raise IllegalMove(f"the player returned {returned!r}, which is neither a legal move here nor its text")
    return move


def imported(name: str) -> Engine:
    """The player that `module:attribute` names; the module may be in the current folder."""
    found = _attribute(name)
    if isinstance(found, type):
        raise BadInput(f"{name} is a class; name a function or an instance")
    if hasattr(found, "choose"):
        return EnginePlayer(name, found)
    if callable(found):
        return FunctionPlayer(name, found)
    raise BadInput(f"{name} is neither a function nor an engine")


def _attribute(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if not module or module.startswith("."):
        raise BadInput(f"{name} is not module:function")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{name}: {error}") from None
    except Exception as error:  # anything can go wrong in the user's module
        raise BadInput(f"{name}: {type(error).__name__}: {error}") from error
