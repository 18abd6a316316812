"""The environments on a GPU take what those on a CPU take, and leave their data on the device."""

from __future__ import annotations

from typing import Any

import numpy as np
from tests.envs.strict_cuda import StrictArray, simulated

from ludus.envs import batch, stateless

GAMES = ("checkers", "backgammon")
DEVICES: Any = ("cpu", "cuda")


def both(game: str, **options: Any) -> Any:
    return [batch(game, 6, device=device, seed=3, **options) for device in DEVICES]


def host(array: Any) -> Any:
    return array.copy_to_host()


@simulated
def test_moves_are_counted_and_named_on_the_device() -> None:
    for game in GAMES:
        ours, theirs = (env.afterstates() for env in both(game))
        assert isinstance(theirs.counts, StrictArray)
        assert isinstance(theirs.games, StrictArray)
        assert np.array_equal(ours.counts, host(theirs.counts))
        assert np.array_equal(ours.games, host(theirs.games))
        assert ours.counts.min() > 1


@simulated
def test_after_states_are_written_where_they_are_read() -> None:
    for game in GAMES:
        functions = [stateless(game, device=device) for device in DEVICES]
        ours, theirs = (each.afterstates(each.init(2)) for each in functions)
        assert np.array_equal(ours.states, host(theirs.states))
        rolled = [each.roll(found.states) for each, found in zip(functions, (ours, theirs), strict=True)]
        assert np.array_equal(rolled[0], host(rolled[1]))
        assert np.array_equal(ours.states, host(theirs.states))
