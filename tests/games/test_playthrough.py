from __future__ import annotations

from typing import Any

import pytest

from ludus import GAMES
from ludus.core.rules import Rules

from .playthrough import path, playthrough


@pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)
def test_the_log_of_a_game_has_not_changed(rules: Rules[Any, Any]) -> None:
    assert playthrough(rules) == path(rules).read_text(encoding="utf-8")
