from __future__ import annotations

import os
import signal
import threading
from time import sleep
from typing import Any

import pytest

from ludus.engines.checkers.searcher import Searcher
from ludus.engines.checkers.state import NODES
from ludus.engines.engine import Limit
from ludus.games import GAMES

MANY = Limit(nodes=400_000_000)
"""About a minute's work."""
BEGUN = 2_000_000
"""After so many nodes the search is well under way."""


def test_ctrl_c_ends_a_search() -> None:
    searcher, position = Searcher(), GAMES["checkers"].variants["standard"]
    searcher.search(position, Limit(depth=1))  # compiled and loaded before the interrupt
    state = searcher.state(MANY)
    state[NODES] = 0
    impatience = threading.Thread(target=interrupt, args=(state,), daemon=True)
    with pytest.raises(KeyboardInterrupt):
        impatience.start()
        searcher.search(position, MANY)
    impatience.join()
    assert BEGUN <= int(state[NODES]) < 400_000_000


def interrupt(state: Any) -> None:
    """Presses Ctrl-C during a search."""
    while state[NODES] < BEGUN:
        sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)


def test_other_threads_search_by_themselves() -> None:
    searcher, position, found = Searcher(), GAMES["checkers"].variants["standard"], []
    limit = Limit(nodes=150_000)
    thread = threading.Thread(target=lambda: found.append(searcher.search(position, limit)))
    thread.start()
    thread.join()
    assert found == [searcher.search(position, limit)]
