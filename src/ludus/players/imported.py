"""Players that users have written: a function, or anything with a method `choose`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Protocol

from ludus.core.errors import BadInput
from ludus.core.rules import Turn
from ludus.engines.engine import Engine, Limit, roll


class Function(Protocol):
    """What `module:function` names; it answers with a legal move, or with its text."""

    def __call__(self, rules: Any, position: Any, rng: Random) -> Any: ...


class FunctionPlayer:
    def __init__(self, function: Function) -> None:
        self._function = function

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        """What the function wants; dice are thrown without it."""
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        move = self._function(rules, position, rng)
        return rules.notation.read_move(position, move) if isinstance(move, str) else move


def imported(name: str) -> Engine:
    """The player that `module:attribute` names; the module may lie in the present folder."""
    found = _attribute(name)
    if hasattr(found, "choose"):
        engine: Engine = found
        return engine
    if callable(found):
        return FunctionPlayer(found)
    raise BadInput(f"{name} is neither a function nor an engine")


def _attribute(name: str) -> Any:
    module, _, attribute = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{name}: {error}") from None
    except ValueError:
        raise BadInput(f"{name} is not module:function") from None
