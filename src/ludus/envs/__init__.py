"""The door for learning code. No rules in here: the games are those of `ludus.games`, in shapes for learners.

Importing this registers the environments with PettingZoo and Gymnasium, where these are installed (`ludus[envs]`); the
batched environments need neither.
"""

from __future__ import annotations

from importlib.util import find_spec

from ludus.envs.batched import batch

__all__ = ["batch"]

if find_spec("pettingzoo"):
    import pettingzoo

    for _name in ("checkers_v3", "checkers_v4", "backgammon_v0"):
        pettingzoo.register("aec", f"ludus/{_name.replace('_', '-')}", entry_point=f"ludus.envs.{_name}:env")

if find_spec("gymnasium"):
    from ludus.envs.gym import register

    register()
