"""The PettingZoo environments as other libraries take them: `make libraries` runs these tests, which need torch."""

from __future__ import annotations

from typing import Any

import pytest

from ludus.envs import aec, backgammon_v0, backgammon_v1, checkers_v3, checkers_v4, checkers_v5

AGENTS = ["player_0", "player_1"]
MAKERS: dict[str, Any] = {
    "checkers_v3": lambda: checkers_v3.env(legal_moves=False),
    "checkers_v4": checkers_v4.env,
    "checkers_v5": checkers_v5.env,
    "backgammon_v0": backgammon_v0.env,
    "backgammon_v0, whole plays": lambda: backgammon_v0.env(plays=True),
    "backgammon_v1": lambda: backgammon_v1.env(cube=True, variant="hypergammon"),
    "any game": lambda: aec.env("checkers"),
}
every_env = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
