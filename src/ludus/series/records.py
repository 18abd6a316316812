"""The games of a series as a file."""

from __future__ import annotations

from collections.abc import Iterable

from ludus.core.game import Game
from ludus.games import GAMES
from ludus.series.contender import display_name
from ludus.series.plan import Plan, Played


def write(plan: Plan, played: Iterable[Played]) -> str:
    """All games in the game's record format; the same plan gives the same text."""
    return GAMES[plan.game].notation.write_games(_game(plan, each) for each in played)


def _game(plan: Plan, played: Played) -> Game[object, object]:
    rules = GAMES[plan.game]
    one, two = map(display_name, plan.contenders)
    seats = {rules.players[played.player_of(0)].capitalize(): one, rules.players[played.player_of(1)].capitalize(): two}
    event = f"{one} - {two}, seed {plan.seed}"
    game: Game[object, object] = Game(rules, plan.variant, tags={"Event": event} | seats)
    for move in played.moves:
        game.play(move)
    if game.outcome is None:
        game.end(played.outcome)  # a resignation
    return game
