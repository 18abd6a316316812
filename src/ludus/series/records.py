"""The games of a series as a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.series.contender import display_name
from ludus.series.plan import Plan, Played


def write(plan: Plan, played: Iterable[Played]) -> str:
    """All games in the game's record format; the same plan gives the same text."""
    one, two = map(display_name, plan.contenders)
    event = f"{one} - {two}, seed {plan.seed}"
    return GAMES[plan.game].notation.write_games(game_of(plan, each, (one, two), {"Event": event}) for each in played)


def game_of(plan: Plan, played: Played, names: tuple[str, str], tags: Mapping[str, str]) -> Game[object, object]:
    rules = GAMES[plan.game]
    seats = {rules.players[played.player_of(each)].capitalize(): names[each] for each in range(2)}
    game: Game[object, object] = Game(rules, plan.variant, tags=dict(tags) | seats)
    for move in played.moves:
        game.play(move)
    if game.outcome is None:
        game.end(played.outcome)  # a resignation
    return game
