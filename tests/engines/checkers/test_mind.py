from __future__ import annotations

import os
import signal
import threading
from time import sleep
from typing import Any

import pytest

from ludus.engines.checkers.memory import NODES
from ludus.engines.checkers.mind import Mind
from ludus.engines.engine import Limit
from ludus.games import GAMES

MANY = Limit(nodes=400_000_000)
"""About a minute's work."""
BEGUN = 2_000_000
"""Whoever has looked at so many positions is in the midst of it."""


def test_ctrl_c_ends_a_search() -> None:
    mind, position = Mind(), GAMES["checkers"].variants["standard"]
    mind.think(position, Limit(depth=1))  # compiled and loaded before anybody is impatient
    memory = mind.memory(MANY)
    memory[NODES] = 0
    impatience = threading.Thread(target=interrupt, args=(memory,), daemon=True)
    with pytest.raises(KeyboardInterrupt):
        impatience.start()
        mind.think(position, MANY)
    impatience.join()
    assert BEGUN <= int(memory[NODES]) < 400_000_000


def interrupt(memory: Any) -> None:
    """Presses Ctrl-C in the midst of a search."""
    while memory[NODES] < BEGUN:
        sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


def test_other_threads_search_by_themselves() -> None:
    mind, position, found = Mind(), GAMES["checkers"].variants["standard"], []
    limit = Limit(nodes=150_000)
    thread = threading.Thread(target=lambda: found.append(mind.think(position, limit)))
    thread.start()
    thread.join()
    assert found == [mind.think(position, limit)]
