"""The contenders in a series: any player that can be named, or an agent served at an address."""

from __future__ import annotations

from random import Random
from typing import Any, Final, NamedTuple, Protocol
from urllib.parse import urlsplit

from ludus import players
from ludus.core.errors import BadInput, BadMove, LudusError
from ludus.core.game import Game
from ludus.engines import OWN_LIMIT, Engine
from ludus.players import find_player

MOST_PAST: Final = 80
"""Earlier positions passed to an engine. An older one cannot repeat: the game would be drawn before."""
ADDRESSES: Final = ("http://", "https://")
MOVE_SECONDS: Final = 60.0
"""Default time limit per move for an agent at an address."""
ROUND: Final = "Round"
"""The tag that numbers the games of a series."""


class AgentFailed(LudusError):
    """An agent at an address cannot be reached, or does not answer with a legal action."""

    code = "agent_failed"


class Resignation(NamedTuple):
    """Returned instead of a move."""


class Contender(Protocol):
    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        """The move to play, or a resignation."""
        ...


def find_contender(name: str, game: str, move_seconds: float = MOVE_SECONDS) -> Contender:
    """The contender with this name; `move_seconds` limits one at an address."""
    if name.startswith(ADDRESSES):
        return _remote(name, move_seconds)
    return EngineContender(find_player(name, game))


def display_name(name: str) -> str:
    """A contender's name in results: an address without its scheme and password."""
    if not name.startswith(ADDRESSES):
        return players.display_name(name)
    parts = urlsplit(name)
    return parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")


class EngineContender:
    """An engine with its own limits; it gets the earlier positions too."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        past = game.positions[:-1][-MOST_PAST:]
        return self._engine.choose(game.rules, game.position, OWN_LIMIT, rng, past)


def play_move(contender: Contender, name: str, game: Game[Any, Any], rng: Random) -> None:
    """Plays a contender's move; the error for an illegal one gives the position, to help find the bug."""
    try:
        move = contender.move(game, rng)
        if isinstance(move, Resignation):
            assert game.turn.player is not None
            game.resign(game.turn.player)
        else:
            game.play(move)
    except BadMove as error:
        where = game.rules.notation.write_position(game.position)
        raise BadInput(f"{name} made an illegal move in {where}: {error}") from error


def _remote(name: str, move_seconds: float) -> Contender:
    from ludus.series.remote import RemoteContender  # slow to import

    return RemoteContender(name, move_seconds)
