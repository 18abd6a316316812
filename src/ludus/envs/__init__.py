"""The door for learning code. No rules in here: the games are those of `ludus.games`, in shapes for learners.

Importing this registers the environments with PettingZoo and Gymnasium, where these are installed (`ludus[envs]`); the
batched environments need neither.
"""

from __future__ import annotations

from importlib.util import find_spec

from ludus.envs.batch import batch

__all__ = ["batch"]

if find_spec("pettingzoo"):
    import pettingzoo

    for name in ("checkers_v3", "checkers_v4", "backgammon_v0"):
        pettingzoo.register("aec", f"ludus/{name.replace('_', '-')}", entry_point=f"ludus.envs.{name}:env")
