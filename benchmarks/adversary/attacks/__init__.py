"""The attacks by name, one file for each part of the server they are aimed at."""

from __future__ import annotations

from typing import Final

from benchmarks.adversary.attack import Attack
from benchmarks.adversary.attacks.arena import GameListReads, ReplayedAction
from benchmarks.adversary.attacks.pages import PlainGets, SilentConnections
from benchmarks.adversary.attacks.rooms import (
    BotsHard,
    GuestGames,
    LeaveAndReturn,
    NamespaceStorm,
    NeverReads,
    SlowPollers,
    SpectateBurst,
    SpectateLongGame,
    UnawaitedAcks,
)

ATTACKS: Final[tuple[type[Attack], ...]] = (
    ReplayedAction,
    SpectateLongGame,
    SpectateBurst,
    NeverReads,
    SlowPollers,
    UnawaitedAcks,
    NamespaceStorm,
    PlainGets,
    GameListReads,
    BotsHard,
    SilentConnections,
    GuestGames,
    LeaveAndReturn,
)
BY_NAME: Final = {attack.name: attack for attack in ATTACKS}
