"""The defaults for games that inherit from `Rules`."""

from __future__ import annotations

from typing import Any

import pytest

from ludus import GAMES
from ludus.core.errors import BadInput
from ludus.core.rules import Rules


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("game", "depth"), [("checkers", 3), ("backgammon", 1)])
def test_the_default_count_of_lines_is_that_of_the_kernels(game: str, depth: int, weighted: bool) -> None:
    rules = GAMES[game]
    start: Any = rules.variants["standard"]
    perft: Any = Rules.perft
    default = type("Default", (type(rules),), {"perft": perft})()
    assert default.perft(start, depth, weighted=weighted) == rules.perft(start, depth, weighted=weighted)
    with pytest.raises(BadInput, match="-1"):
        default.perft(start, -1)
