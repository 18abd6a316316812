"""How Gymnasium finds the environments: only once `ludus.envs` is imported."""

from __future__ import annotations

import subprocess
import sys

import gymnasium
import pytest

import ludus.envs

NEWCOMER = """
import gymnasium
import ludus

def is_known(name):
    try:
        gymnasium.make(name).close()
    except gymnasium.error.NamespaceNotFound:
        return False
    return True

names = ["ludus/Checkers-v0", "ludus:ludus/Checkers-v0", "ludus.envs:ludus/Checkers-v0", "ludus/Checkers-v0"]
print([is_known(name) for name in names])
"""


@pytest.mark.slow
def test_an_id_is_known_once_the_module_that_registers_it_is_imported() -> None:
    run = subprocess.run([sys.executable, "-c", NEWCOMER], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[False, False, True, True]"


@pytest.mark.parametrize("game", ["Checkers", "Backgammon"])
def test_an_id_may_name_the_module_to_import(game: str) -> None:
    gymnasium.register_envs(ludus.envs)
    env = gymnasium.make(f"ludus.envs:ludus/{game}-v0")
    assert env.spec is not None
    assert env.spec.id == f"ludus/{game}-v0"
    envs = gymnasium.make_vec(f"ludus.envs:ludus/{game}-v0", num_envs=2)
    assert envs.num_envs == 2
    assert type(envs) is ludus.envs.gym.LudusVectorEnv
