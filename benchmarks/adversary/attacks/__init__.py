"""The attacks by name, one file for each part of the server they are aimed at."""

from __future__ import annotations

from typing import Final

from benchmarks.adversary.attack import Attack
from benchmarks.adversary.attacks.arena import ReplayedAction
from benchmarks.adversary.attacks.rooms import NeverReads, SpectateBurst, SpectateLongGame

ATTACKS: Final[tuple[type[Attack], ...]] = (ReplayedAction, SpectateLongGame, SpectateBurst, NeverReads)
BY_NAME: Final = {attack.name: attack for attack in ATTACKS}
