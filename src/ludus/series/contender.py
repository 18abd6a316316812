"""Who plays in a series: an engine of the house, a policy file, or a function or engine of the user's own."""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any, Final, Protocol

from ludus.core.errors import BadInput, BadMove
from ludus.core.game import Game
from ludus.engines import ENGINES
from ludus.engines.engine import Engine

MOST_PAST: Final = 80
"""Earlier positions that an engine is told; no game repeats a position later than that, a draw comes first."""
SUFFIX: Final = ".npz"
HOUSE: Final = "house:"


class Contender(Protocol):
    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        """What to play in a game that waits for a move: a legal move, or its text."""
        ...


class Function(Protocol):
    """What `module:function` names: the same as an engine's `choose`."""

    def __call__(self, rules: Any, position: Any, rng: Random) -> Any: ...


def find_contender(name: str, game: str) -> Contender:
    """The contender that a user has named."""
    level = name.removeprefix(HOUSE)
    if level in ENGINES:
        return EngineContender(ENGINES[level])
    if name.endswith(SUFFIX):
        return EngineContender(_policy(name, game))
    if name.startswith(("http://", "https://")):
        raise BadInput(f"{name} is no contender: whoever plays in an arena is met there, by an agent")
    if ":" in name:
        return _imported(name)
    known = ", ".join(ENGINES)
    raise BadInput(f"there is no contender {name!r}; there are {known}, policy files ({SUFFIX}) and module:function")


def shown(name: str) -> str:
    """A contender as results name it: a file without its folders."""
    return Path(name).stem if name.endswith(SUFFIX) else name


class EngineContender:
    """An engine; one whose `choose` has a parameter `past` is told the positions before, oldest first."""

    def __init__(self, engine: Any) -> None:
        self._choose = engine.choose
        self._wants_past = "past" in signature(engine.choose).parameters

    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        if not self._wants_past:
            return self._choose(game.rules, game.position, rng)
        return self._choose(game.rules, game.position, rng, past=game.positions[:-1][-MOST_PAST:])


class FunctionContender:
    def __init__(self, function: Function) -> None:
        self._function = function

    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        return self._function(game.rules, game.position, rng)


def _policy(name: str, game: str) -> Engine:
    try:
        from ludus.series.policy import PolicyPlayer  # it brings the environments, which are not always installed
    except ModuleNotFoundError as error:
        raise BadInput(f"policies need {error.name}: pip install 'ludus[envs]'") from error
    return PolicyPlayer.load(name, game)


def _imported(name: str) -> Contender:
    """A function, or anything with a method `choose`, from a module that may lie in the present folder."""
    module, _, attribute = name.partition(":")
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    try:
        found = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise BadInput(f"{name}: {error}") from None
    except ValueError:
        raise BadInput(f"{name} is not module:function") from None
    if hasattr(found, "choose"):
        return EngineContender(found)
    if callable(found):
        return FunctionContender(found)
    raise BadInput(f"{name} is neither a function nor an engine")


def play_move(contender: Contender, name: str, game: Game[Any, Any], rng: Random) -> None:
    """Lets a contender move; one that wants something illegal is told where, since that is a fault in it."""
    move = contender.move(game, rng)
    try:
        game.play(move)
    except BadMove as error:
        where = game.rules.notation.write_position(game.position)
        raise BadInput(f"{name} wants to play {str(move)[:80]!r} in {where}: {error}") from error
