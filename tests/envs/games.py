"""Opponents and games that tests of environments share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ludus import GAMES
from ludus.engines.random import RandomPlayer
from ludus.envs.gym import register
from ludus.envs.opponents import EngineOpponent, PolicyOpponent
from ludus.envs.policy import Policy
from ludus.envs.value import Value

IDS = {"checkers": "ludus/Checkers-v0", "backgammon": "ludus/Backgammon-v0"}
SHAPES = {"checkers": ((6, 8, 8), 256), "backgammon": ((59,), 156)}
FIRST_ACTIONS = [145, 147, 149, 151, 209, 211, 213]

register()


def lowest(observation: Any, mask: Any, rng: Any) -> int:
    return int(mask.argmax())


def highest(observation: Any, mask: Any, rng: Any) -> int:
    return int(np.flatnonzero(mask)[-1])


def anything(observation: Any, mask: Any, rng: np.random.Generator) -> Any:
    return rng.choice(np.flatnonzero(mask))


def a_policy(game: str) -> Policy:
    rng, (shape, actions) = np.random.default_rng(0), SHAPES[game]
    size = int(np.prod(shape))
    layers = [(rng.normal(size=(size, 16)), rng.normal(size=16)), (rng.normal(size=(16, actions)), np.zeros(actions))]
    return Policy.from_layers(game, layers)


def a_value(game: str) -> Value:
    """Likes own pieces in checkers, and men borne off in backgammon."""
    weight = np.zeros((int(np.prod(SHAPES[game][0])), 2))
    if game == "checkers":
        weight[:128, 0] = weight[128:256, 1] = 1
    else:
        weight[[25, 57]] = [[15, 0], [0, 15]]
    return Value.from_layers(game, [1, -1], [(weight, np.zeros(2))])


OPPONENTS: dict[str, Any] = {
    "random": lambda game: "random",
    "function": lambda game: anything,
    "policy": a_policy,
    "policy at temperature 2": lambda game: PolicyOpponent(a_policy(game), temperature=2),
    "value": a_value,
    "engine": lambda game: EngineOpponent(game, RandomPlayer()),
}

games = pytest.mark.parametrize("game", GAMES)
opponents = pytest.mark.parametrize("opponent", OPPONENTS)


def play(env: Any, steps: int, seed: int | None = 1, chooser: Any = anything) -> list[Any]:
    """What a random agent sees over some steps, resets included."""
    rng = np.random.default_rng(3)
    observation, info = env.reset(seed=seed)
    found: list[Any] = [(observation, info)]
    for _ in range(steps):
        result = env.step(chooser(observation, info["action_mask"], rng))
        found.append(result)
        observation, info = result[0], result[4]
        if result[2] or result[3]:
            observation, info = env.reset()
            found.append((observation, info))
    return found


def finish(env: Any, chooser: Any, seed: int | None = None) -> float:
    """The reward at the end of one game."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    while True:
        observation, reward, terminated, truncated, info = env.step(chooser(observation, info["action_mask"], rng))
        if terminated or truncated:
            return float(reward)
        assert reward == 0
