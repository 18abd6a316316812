"""Players that users have written: a function, or anything with a method `choose`."""

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
    """What `module:function` names; it answers with a legal move, or with its text."""

    def __call__(self, rules: Any, position: Any, rng: Random) -> Any: ...


class EnginePlayer:
    """An engine of the user's: what it answers is looked at before anybody plays it."""

    def __init__(self, name: str, engine: Engine) -> None:
        self._name, self._engine = name, engine

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """What the engine wants; dice are thrown without it."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return _asked(self._name, rules, position, lambda: self._engine.choose(rules, position, limit, rng, past))


class FunctionPlayer:
    def __init__(self, name: str, function: Function) -> None:
        self._name, self._function = name, function

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """What the function wants; dice are thrown without it."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return _asked(self._name, rules, position, lambda: self._function(rules, position, rng))


def _asked(name: str, rules: Any, position: Any, ask: Callable[[], Any]) -> Any:
    """A legal move; what goes wrong in the user's code is told with the position and the line."""
    try:
        return _checked(rules, position, ask())
    except LudusError:
        raise
    except Exception as error:
        where = rules.notation.write_position(position)
        raise BadInput(f"{name} failed in {where}: {type(error).__name__}: {error}{_line(error)}") from error


def _line(error: Exception) -> str:
    """The last one in the file that was asked, be it called or calling what failed."""
    frames = [frame for frame in extract_tb(error.__traceback__) if frame.filename != __file__]
    own = [frame for frame in frames if frame.filename == frames[0].filename]
    return f" ({Path(own[-1].filename).name}, line {own[-1].lineno})" if own else ""


def _checked(rules: Any, position: Any, move: Any) -> Any:
    """A legal move, whether it was answered as such or as its text."""
    if isinstance(move, str):
        return rules.notation.read_move(position, move)
    if move not in rules.moves(position):
        raise IllegalMove(f"the player answered {move!r}, which is neither a legal move here nor its text")
    return move


def imported(name: str) -> Engine:
    """The player that `module:attribute` names; the module may lie in the present folder."""
    found = _attribute(name)
    if isinstance(found, type):
        raise BadInput(f"{name} is a class; name a function, or an engine made of it")
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
    except Exception as error:  # whatever goes wrong in the user's module
        raise BadInput(f"{name}: {type(error).__name__}: {error}") from error
