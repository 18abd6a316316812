"""The bots: the built-in levels, and players that the operator configures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, Self

from ludus.core.errors import BadInput, LudusError, UnknownOption
from ludus.engines.levels import LEVELS
from ludus.games import GAMES
from ludus.players import find_player

NAME: Final = r"[a-z][a-z0-9-]{0,31}"
MAX_PLAYERS: Final = 32


class Roster:
    def __init__(self, own: Mapping[str, str] | None = None) -> None:
        """`own` maps the names that people ask for to players, as `find_player` takes them."""
        self._own = dict(own or {})
        self._games = {name: tuple(GAMES) for name in LEVELS}
        for name, player in self._own.items():
            self._games[name] = _games_of(name, player)

    @classmethod
    def read(cls, text: str) -> Self:
        """From a setting: `name=player`, separated by commas."""
        pairs = [part.strip().partition("=") for part in text.split(",") if part.strip()]
        for name, _, player in pairs:
            if not re.fullmatch(NAME, name.strip()) or not player.strip():
                raise BadInput(f"players: {name.strip()!r} is not name=player with a lower-case name")
            if name.strip() in LEVELS:
                raise BadInput(f"players: {name.strip()} is a built-in level; choose another name")
        if len(pairs) > MAX_PLAYERS or len({name.strip() for name, _, _ in pairs}) < len(pairs):
            raise BadInput(f"players: at most {MAX_PLAYERS}, with distinct names")
        return cls({name.strip(): player.strip() for name, _, player in pairs})

    def __contains__(self, name: str) -> bool:
        return name in self._games

    def names(self, game: str) -> tuple[str, ...]:
        return tuple(name for name, games in self._games.items() if game in games)

    def player(self, name: str, game: str, variant: str = "standard") -> str:
        """The bot's name for `find_player`; one of the operator's that can't play the variant is refused."""
        if game not in self._games.get(name, ()):
            raise UnknownOption(f"there is no bot {name!r} at {game}; there are {', '.join(self.names(game))}")
        if name in self._own and not _plays(self._own[name], game, variant):
            raise UnknownOption(f"the bot {name} can't play {variant}")
        return self._own.get(name, name)


@lru_cache
def _plays(player: str, game: str, variant: str) -> bool:
    """Cached, so that a policy file is read once for each variant."""
    try:
        find_player(player, game, variant)
    except UnknownOption:
        return False
    return True


def _games_of(name: str, player: str) -> tuple[str, ...]:
    """The games a player can play; one that plays none is a mistake in the settings."""
    games, problem = [], ""
    for game in GAMES:
        try:
            find_player(player, game)
            games.append(game)
        except LudusError as error:
            problem = problem or str(error)
    if not games:
        raise BadInput(f"players: {name}={player}: {problem}")
    return tuple(games)
