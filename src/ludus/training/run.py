"""One sitting of a training: it ends when its work is done, its time is over or somebody presses Ctrl-C."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ludus.training.clock import TimeIsOver

Say = Callable[[str], None]


@contextmanager
def kept(learner: Any, keep: Callable[[], None], say: Say) -> Iterator[None]:
    """What was learned is kept, on Ctrl-C too."""
    try:
        yield
    except KeyboardInterrupt:
        keep()
        say(f"stopped after generation {learner.generation} of {learner.plan.generations}; --resume goes on")
        raise
    keep()


@contextmanager
def timed(learner: Any, say: Say) -> Iterator[None]:
    """Ends without more ado when the time is over."""
    try:
        yield
    except TimeIsOver:
        say(f"the time is over after generation {learner.generation} of {learner.plan.generations}")
