"""OpenSpiel from Python, with observation tensor and mask requested at every decision."""

from __future__ import annotations

import json
import random
import sys
from importlib import import_module
from typing import Any

from benchmarks.envs import openspiel_search
from benchmarks.report import cpu_seconds

pyspiel: Any = import_module("pyspiel")
STEPS = {"checkers": 20_000, "backgammon": 10_000}


def play(name: str, steps: int) -> int:
    """Plays this many random decisions; returns how many games ended."""
    rng, games, game = random.Random(1), 0, pyspiel.load_game(name)
    state = game.new_initial_state()
    while steps:
        if state.is_chance_node():
            rolls, odds = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(rng.choices(rolls, odds)[0])
            continue
        state.observation_tensor(state.current_player())
        state.legal_actions_mask()
        state.apply_action(rng.choice(state.legal_actions()))
        steps -= 1
        if state.is_terminal():
            games += 1
            state = game.new_initial_state()
    return games


def measure(name: str) -> dict[str, float]:
    if name == "checkers":
        assert len(pyspiel.load_game(name).new_initial_state().legal_actions()) == 7
    steps = STEPS[name]
    games = play(name, steps)
    low, high = (55, 90) if name == "checkers" else (95, 130)
    assert low < steps / games < high
    seconds = cpu_seconds(lambda: play(name, steps), best_of=5)
    return {"steps": steps / seconds, "games": games / seconds, "length": steps / games}


if __name__ == "__main__":
    measured = openspiel_search.measure if sys.argv[2:] == ["search"] else measure
    print(json.dumps(measured(sys.argv[1])))
