"""How fast a bot answers at a terminal: as in the house, about as long as a person might take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from ludus.players import HOUSE


@dataclass(frozen=True)
class Pace:
    """Of one bot. `rng` is not the game's: without pauses its dice would be others."""

    bot: str
    rng: Random
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def kept(self) -> Iterator[None]:
        """What is done within, the thinking, takes a natural time in all; a line says what is waited for."""
        from rich.console import Console

        from ludus.service.pauses import pause

        began, seconds = self.clock(), pause(self.bot.removeprefix(HOUSE), self.rng)
        with Console(stderr=True).status(f"{self.bot} is thinking"):
            yield
            self.sleep(max(0.0, began + seconds - self.clock()))
