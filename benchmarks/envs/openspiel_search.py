"""OpenSpiel's tree search in C++, which plays leaves out at random."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

from benchmarks.report import cpu_seconds

pyspiel: Any = import_module("pyspiel")
SIMULATIONS, POSITIONS = 64, 12


def positions(name: str) -> list[Any]:
    """Positions of random games in which somebody is to move."""
    rng, game = random.Random(1), pyspiel.load_game(name)
    found: list[Any] = []
    while len(found) < POSITIONS:
        state = game.new_initial_state()
        for _ in range(rng.randrange(10, 40)):
            if state.is_terminal():
                break
            if state.is_chance_node():
                rolls, odds = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(rolls, odds)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
        if not state.is_terminal() and not state.is_chance_node():
            found.append(state)
    return found


def measure(name: str) -> dict[str, float]:
    game = pyspiel.load_game(name)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, 2.0, SIMULATIONS, 100, True, 1, False)
    searched = positions(name)
    searches = [bot.mcts_search(state).explore_count for state in searched]
    assert max(searches) == SIMULATIONS

    def search() -> None:
        for state in searched:
            bot.mcts_search(state)

    return {"simulations": sum(searches) / cpu_seconds(search)}
