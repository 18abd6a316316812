"""What a game tells the rest of the platform about its engines."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from ludus.core.errors import UnknownOption
from ludus.engines.engine import OWN_LIMIT, Analyst, Engine, Limit, Line
from ludus.engines.random import RandomPlayer
from ludus.engines.rollout import RolloutPlayer
from ludus.engines.study import Study
from ludus.games import GAMES, layer, package

LEVELS: Final = ("beginner", "novice", "easy", "steady", "medium", "hard")
"""The levels, from the weakest to the strongest."""
QUICK: Final = Limit(seconds=0.5)


def _default_levels() -> Mapping[str, Engine]:
    players: list[Engine] = [RandomPlayer(), *(RolloutPlayer(games) for games in (1, 2, 4, 8, 100))]
    return MappingProxyType(dict(zip(LEVELS, players, strict=True)))


@dataclass(frozen=True)
class EngineAdapter:
    """A game's module for the layer `engines` has one as `ADAPTER`. Every default works for any game.

    Nothing heavy is imported to make one: players, weights and tables load when they are first used.
    """

    levels: Mapping[str, Any] = field(default_factory=_default_levels)
    """The players by level. For a missing one, the next stronger one plays."""
    players: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """Other players by name, for measuring programs against."""
    analyst: Callable[[], Any] | None = None
    """Makes the strongest engine."""
    prospects: Callable[[Any, Limit], Line[None]] | None = None
    """Evaluates a position before the roll, in a game with dice."""
    luck: Callable[[Any, Any], float] | None = None
    """The luck of a roll in the position before it, in points, for the player who plays it."""
    default_limit: Limit = QUICK
    """The limit for one move if `ludus analyse` is given none."""
    report_limit: Limit = OWN_LIMIT
    """The limit for one move in the server's reports; independent of the machine, so everyone gets the same result."""
    deepening: tuple[Limit, ...] = (Limit(seconds=0.1), QUICK)
    """The limits for a position on the analysis board, used one after the other; about two seconds each at most."""
    study: Study | None = None
    """What the review of games with dice needs."""
    review_lines: int = 3
    """How many moves a review compares, all to the same depth."""
    thresholds: tuple[float, float, float] = (0.1, 0.25, 0.5)
    """The losses, in points, that make a move doubtful, a mistake or a blunder."""
    warmup_positions: tuple[str, ...] = ()
    """Positions that together use all compiled code of the engine."""
    kernels: tuple[tuple[str, str], ...] = ()
    """Module and name of each compiled function that the engine calls; these contain all others."""
    compile_seconds: int = 1
    """About how long it takes to compile them."""
    bench_positions: tuple[str, ...] = ()
    bench_depth: int = 1
    bench_engine: Callable[[], Any] | None = None
    """The engine to bench, if it isn't the analyst."""
    is_weights: Callable[[Collection[str]], bool] | None = None
    """Whether an .npz file with these entries holds weights for this game."""
    load_weights: Callable[[str], Any] | None = None
    """`hard` with the weights in a file."""
    variables: tuple[str, ...] = ()
    """Environment variables that the engine reads."""

    def player(self, level: str) -> Any:
        """The player for a level; levels above the strongest player get that player."""
        stronger = LEVELS[LEVELS.index(level) :]
        return next(self.levels[each] for each in (*stronger, *reversed(LEVELS)) if each in self.levels)


DEFAULT = EngineAdapter()


@cache
def adapter(game: str) -> EngineAdapter:
    module = layer(game, "engines") if game in GAMES else None
    found: EngineAdapter = module.ADAPTER if module else DEFAULT
    return found


@cache
def analyst(game: str) -> Analyst:
    """The strongest engine for this game. Made once: its tables and weights are large."""
    make = adapter(game).analyst
    if make is None:
        raise UnknownOption(f"no engine analyses {game!r}")
    engine: Analyst = make()
    return engine


def folders(game: str) -> list[Path]:
    """The folders with the source of a game's rules and engines."""
    modules = [import_module(package(game)), layer(game, "engines")]
    return sorted({Path(module.__file__).parent for module in modules if module and module.__file__})
