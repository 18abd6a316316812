from __future__ import annotations

import os
import signal
import threading

import pytest

from ludus.engines.checkers.memory import NODES
from ludus.engines.checkers.mind import Mind
from ludus.engines.engine import Limit
from ludus.games import GAMES

MANY = Limit(nodes=400_000_000)
"""About a minute's work."""


def test_ctrl_c_ends_a_search() -> None:
    mind, position = Mind(), GAMES["checkers"].variants["standard"]
    mind.think(position, Limit(depth=1))  # compiled and loaded before anybody is impatient
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        mind.think(position, MANY)
    timer.join()
    assert 0 < int(mind.memory(MANY)[NODES]) < 400_000_000


def test_other_threads_search_by_themselves() -> None:
    mind, position, found = Mind(), GAMES["checkers"].variants["standard"], []
    limit = Limit(nodes=150_000)
    thread = threading.Thread(target=lambda: found.append(mind.think(position, limit)))
    thread.start()
    thread.join()
    assert found == [mind.think(position, limit)]
