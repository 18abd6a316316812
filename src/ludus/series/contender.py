"""Who plays in a series: whoever can be named as a player, and agents that are served at an address."""

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
"""Earlier positions that an engine is told; no game repeats a position later than that, a draw comes first."""
ADDRESSES: Final = ("http://", "https://")
MOVE_SECONDS: Final = 60.0
"""What an agent elsewhere may take for a move."""
ROUND: Final = "Round"
"""The tag that tells the games of a series apart."""


class AgentFailed(LudusError):
    """An agent elsewhere cannot be reached, or does not answer with a legal action."""

    code = "agent_failed"


class Resignation(NamedTuple):
    """Instead of a move."""


class Contender(Protocol):
    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        """What to play in a game that waits for a move, or a resignation."""
        ...


def find_contender(name: str, game: str, move_seconds: float = MOVE_SECONDS) -> Contender:
    """The contender that a user has named; `move_seconds` is what one at an address may take for a move."""
    if name.startswith(ADDRESSES):
        return _remote(name, move_seconds)
    return EngineContender(find_player(name, game))


def shown(name: str) -> str:
    """A contender as results name it: of an address neither the scheme nor a password."""
    if not name.startswith(ADDRESSES):
        return players.shown(name)
    parts = urlsplit(name)
    return parts.netloc.rpartition("@")[2] + parts.path.rstrip("/")


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
        move = contender.move(game, rng)
        if isinstance(move, Resignation):
            assert game.turn.player is not None
            game.resign(game.turn.player)
        else:
            game.play(move)
    except BadMove as error:
        where = game.rules.notation.write_position(game.position)
        raise BadInput(f"{name} answered with no legal move in {where}: {error}") from error


def _remote(name: str, move_seconds: float) -> Contender:
    try:
        from ludus.series.remote import RemoteContender  # it brings a client of HTTP, which is not always installed
    except ModuleNotFoundError as error:
        raise BadInput(f"agents elsewhere need {error.name}: pip install 'ludus[client]'") from error
    return RemoteContender(name, move_seconds)
