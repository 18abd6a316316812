"""Random records that tests of codecs and datasets share."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from ludus import GAMES, Game
from ludus.engines.engine import roll

KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "checkers": ("checkers", {}),
    "repetition": ("checkers_v5", {}),
    "backgammon": ("backgammon", {}),
    "money": ("backgammon", {"cube": True, "jacoby": True, "beavers": True}),
    "match": ("backgammon", {"match_length": 5}),
}


@cache
def records(kind: str) -> tuple[Game[Any, Any], ...]:
    game, options = KINDS[kind]
    return tuple(random_record(game, Random(seed), **options) for seed in range(3))


def random_record(game: str, rng: Random, **options: Any) -> Game[Any, Any]:
    """Doubles are rare, so that most games are played out."""
    rules = GAMES[game.partition("_")[0]]
    record = Game(rules, rules.variant_name(**options))
    while not record.outcome:
        position = record.position
        moves = rules.moves(position)
        if rules.chances(position):
            record.play(roll(rules, position, rng))
        else:
            is_decision = len(moves) <= 3 and "cube" in str(moves[0]).lower()
            record.play(moves[0] if is_decision and rng.random() < 0.9 else rng.choice(moves))
    return record
