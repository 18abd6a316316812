"""Contenders for tests, named `contestants:NAME` in this folder."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

NOTHING = 7


def first_move(rules: Any, position: Any, rng: Random) -> Any:
    return rules.moves(position)[0]


def last_move_written(rules: Any, position: Any, rng: Random) -> str:
    text: str = rules.notation.write_move(position, rules.moves(position)[-1])
    return text


def cheat(rules: Any, position: Any, rng: Random) -> str:
    return "1-32" if rules.name == "checkers" else "24/1"


def crash(rules: Any, position: Any, rng: Random) -> Any:
    """Like a fault in compiled code."""
    os.kill(os.getpid(), signal.SIGKILL)


def sleeper(rules: Any, position: Any, rng: Random) -> Any:
    """Leaves a mark if it wakes up."""
    time.sleep(10)
    Path(os.environ["WOKEN"]).touch()
    raise RuntimeError("woken")


class Rememberer:
    """Takes the earlier positions and checks that they belong to one game."""

    def choose(self, rules: Any, position: Any, limit: Any, rng: Random, past: Any = ()) -> Any:
        assert position not in past[-1:]
        assert all(rules.play(before, move) for before in past[-1:] for move in rules.moves(before)[:1])
        return rng.choice(rules.moves(position))


rememberer = Rememberer()
