"""PettingZoo's own checkers_v3, in its last release."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from benchmarks.envs.turns import steps_per_second

checkers: Any = import_module("pettingzoo.classic.checkers_v3")
STEPS = 8_000

if __name__ == "__main__":
    figures = {name: steps_per_second(getattr(checkers, name), first=7, steps=STEPS) for name in ("env", "raw_env")}
    print(json.dumps(figures))
