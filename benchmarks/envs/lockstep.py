"""`python -m benchmarks.envs.lockstep` compares checkers_v3 with PettingZoo's own, action by action.

The original plays random games, many of which end with an illegal action, and writes down what it shows; ours then
plays the same actions. Two differences are meant and counted too, both in `raw_env` after an illegal action: what it
pays, and the mask of the agent that didn't make it, where the original shows the other's moves with wrong numbers.
"""

from __future__ import annotations

import json
import logging
import subprocess
from collections import Counter
from typing import Any

from benchmarks.envs.original_peer import Game, show
from benchmarks.envs.peers import PEERS, ROOT, python_of, set_up
from ludus.envs import checkers_v3

GAMES = 200
"""Of `env` and of `raw_env` each."""


def original_games() -> list[Game]:
    command = [str(python_of("original")), "-m", f"benchmarks.envs.{PEERS['original'].module}", "lockstep", str(GAMES)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return [Game(*game) for game in json.loads(done.stdout.splitlines()[-1])]


def differences(game: Game) -> Counter[str]:
    """What ours shows differently, by name; the comparison ends with the first game that is over in one alone."""
    env: Any = getattr(checkers_v3, game.kind)(legal_moves=False)
    env.reset()
    found, is_illegal = Counter[str](), False
    for view, action in zip(game.views, [*game.actions, None], strict=True):
        ours = json.loads(json.dumps(show(env, env.terminations)))
        when = f"{game.kind}, after an illegal action" if is_illegal else game.kind
        found.update(f"{when}: {name}" for name in view if ours[name] != view[name])
        if ours["over"] != view["over"] or not env.agents:
            break
        is_illegal |= action is not None and action not in view["masks"][view["selected"]]
        env.step(action)
    return found


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # a line for each illegal action
    set_up("original")
    games = original_games()
    views = sum(len(game.views) for game in games)
    print(f"{len(games)} games, {views} positions, {sum(game.is_illegal for game in games)} illegal actions")
    for name, number in sorted(sum(map(differences, games), Counter[str]()).items()):
        print(f"{number:6} {name}")
