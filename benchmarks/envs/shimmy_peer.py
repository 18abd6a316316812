"""OpenSpiel's checkers as an AEC environment through Shimmy."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any

from benchmarks.envs.turns import steps_per_second

shimmy: Any = import_module("shimmy")

if __name__ == "__main__":
    steps = steps_per_second(lambda: shimmy.OpenSpielCompatibilityV0(game_name="checkers"), first=7)
    print(json.dumps({"steps": steps}))
