"""Players that users have written: a function, or anything with a method `choose`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Protocol

from ludus.core.errors import BadInput, IllegalMove
from ludus.core.rules import Turn
from ludus.engines.engine import Engine, Limit, roll


class Function(Protocol):
    """What `module:function` names; it answers with a legal move, or with its text."""

    def __call__(self, rules: Any, position: Any, rng: Random) -> Any: ...


class EnginePlayer:
    """An engine of the user's: what it answers is looked at before anybody plays it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """What the engine wants; dice are thrown without it."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return _checked(rules, position, self._engine.choose(rules, position, limit, rng, past))


class FunctionPlayer:
    def __init__(self, function: Function) -> None:
        self._function = function

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """What the function wants; dice are thrown without it."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return _checked(rules, position, self._function(rules, position, rng))


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
        return EnginePlayer(found)
    if callable(found):
        return FunctionPlayer(found)
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
