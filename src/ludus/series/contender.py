"""Who plays in a series: whoever can be named as a player."""

from __future__ import annotations

from random import Random
from typing import Any, Final, Protocol

from ludus.core.errors import BadInput, BadMove
from ludus.core.game import Game
from ludus.engines import OWN_LIMIT, Engine
from ludus.players import find_player

MOST_PAST: Final = 80
"""Earlier positions that an engine is told; no game repeats a position later than that, a draw comes first."""


class Contender(Protocol):
    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        """What to play in a game that waits for a move."""
        ...


def find_contender(name: str, game: str) -> Contender:
    """The contender that a user has named."""
    if name.startswith(("http://", "https://")):
        raise BadInput(f"{name} is no contender: whoever plays in an arena is met there, by an agent")
    return EngineContender(find_player(name, game))


class EngineContender:
    """An engine, told the positions before; what it may think is its own affair."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        past = game.positions[:-1][-MOST_PAST:]
        return self._engine.choose(game.rules, game.position, OWN_LIMIT, rng, past)


def play_move(contender: Contender, name: str, game: Game[Any, Any], rng: Random) -> None:
    """Lets a contender move; one that wants something illegal is told where, since that is a fault in it."""
    try:
        game.play(contender.move(game, rng))
    except BadMove as error:
        where = game.rules.notation.write_position(game.position)
        raise BadInput(f"{name} has no legal move in {where}: {error}") from error
