"""PettingZoo's own checkers_v3, in its last release: how fast it is, and what it shows in random games."""

from __future__ import annotations

import json
import logging
import random
import sys
import warnings
from importlib import import_module
from typing import Any, NamedTuple

STEPS = 8_000
LATEST_MISTAKE = 60
"""Illegal actions are made after fewer than so many others."""


class Game(NamedTuple):
    """A random game: what was made, its actions, and what was shown before each of them and at the end."""

    kind: str
    actions: list[int | None]
    views: list[dict[str, Any]]
    is_illegal: bool


def show(env: Any, over: dict[str, bool]) -> dict[str, Any]:
    """All that an environment shows; `over` is what it calls done."""
    seen = {agent: env.observe(agent) for agent in env.agents}
    return {
        "selected": env.agent_selection,
        "masks": {agent: each["action_mask"].nonzero()[0].tolist() for agent, each in seen.items()},
        "boards": {agent: each["observation"].ravel().nonzero()[0].tolist() for agent, each in seen.items()},
        "rewards": {agent: float(reward) for agent, reward in env.rewards.items()},
        "collected": {agent: float(reward) for agent, reward in env._cumulative_rewards.items()},
        "over": {agent: bool(is_over) for agent, is_over in over.items()},
    }


def play(kind: str, make: Any, seed: int) -> Game:
    """Makes an illegal action at a random moment, unless the game is over before."""
    rng, env = random.Random(seed), make()
    env.reset()
    mistake, is_illegal = rng.randrange(1, LATEST_MISTAKE), False
    actions: list[int | None] = []
    views = [show(env, env.dones)]
    while env.agents:
        legal = views[-1]["masks"][env.agent_selection]
        if env.dones[env.agent_selection]:
            actions.append(None)
        elif len(actions) == mistake:
            actions.append(rng.choice([action for action in range(256) if action not in legal]))
            is_illegal = True
        else:
            actions.append(rng.choice(legal))
        env.step(actions[-1])
        views.append(show(env, env.dones))
    return Game(kind, actions, views, is_illegal)


if __name__ == "__main__":
    checkers: Any = import_module("pettingzoo.classic.checkers_v3")
    makers = {kind: getattr(checkers, kind) for kind in ("env", "raw_env")}
    if sys.argv[1:2] == ["lockstep"]:
        logging.disable(logging.WARNING)
        warnings.simplefilter("ignore")
        games = [play(kind, make, seed) for kind, make in makers.items() for seed in range(int(sys.argv[2]))]
        print(json.dumps(games))
    else:
        from benchmarks.envs.turns import steps_per_second

        print(json.dumps({kind: steps_per_second(make, first=7, steps=STEPS) for kind, make in makers.items()}))
