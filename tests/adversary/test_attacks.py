"""The attacks of `benchmarks.adversary`, small: each is refused or bounded, and the good games go on meanwhile."""

from __future__ import annotations

import pytest
from benchmarks.adversary.attack import Attack
from benchmarks.adversary.attacks.arena import GameListReads, ReplayedAction
from benchmarks.adversary.attacks.pages import PlainGets, SilentConnections
from benchmarks.adversary.attacks.rooms import (
    GuestGames,
    LeaveAndReturn,
    NamespaceStorm,
    NeverReads,
    SlowPollers,
    SpectateBurst,
    UnawaitedAcks,
)

from ludus.server.settings import Settings

from .conftest import READS, Arena

DEFAULTS = Settings()
LARGEST = 64 * 1024
"""More than the largest message: one may be queued while there is still room."""

pytestmark = pytest.mark.slow


class EagerNeverReads(NeverReads):
    interval = 0.025  # below the limit on events, of which this one counts as twenty


def test_sockets_that_never_read_are_cut_off_and_their_memory_is_released(arena: Arena) -> None:
    before = arena.metric('ludus_connections_closed_total{reason="send_queue"}')
    most = 0.0

    def is_cut_off(_: EagerNeverReads) -> bool:
        nonlocal most
        most = max(most, arena.metric("ludus_queued_bytes"))
        return arena.metric('ludus_connections_closed_total{reason="send_queue"}') >= before + 2

    arena.attack(EagerNeverReads, 2, is_cut_off)
    assert 0 < most <= 2 * (DEFAULTS.max_queued + LARGEST)
    arena.wait_for("ludus_queued_bytes", 0)


def test_a_repeated_action_is_answered_and_soon_refused(arena: Arena) -> None:
    attack = arena.attack(ReplayedAction, 1, lambda attack: attack.closed["1008 too fast"] > 0)
    assert attack.refused["rate_limited"] > 0


@pytest.mark.parametrize("kind", [SpectateBurst, UnawaitedAcks, NamespaceStorm, PlainGets, SlowPollers])
def test_a_client_above_its_share_is_held_up_and_the_games_go_on(arena: Arena, kind: type[Attack]) -> None:
    """Whether it is refused as well depends on its patience and on the machine; `test_cpu_budget.py` has that."""
    answers = 300

    def is_held_up(attack: Attack) -> bool:
        nonlocal answers
        if attack.served + attack.more["sent"] <= answers:
            return False
        answers *= 2
        return arena.held_up() > 100  # the good players and the test itself send fewer requests than that

    attack = arena.attack(kind, 10, is_held_up)
    assert set(attack.refused) <= {"too_fast", "429 too_fast", "429 rate_limited", "400"}


def test_guests_of_one_address_start_only_so_many_games(arena: Arena) -> None:
    attack = arena.attack(GuestGames, 8, lambda attack: attack.refused["too_many_games"] > 8)
    assert attack.more["games"] <= DEFAULTS.guest_games


def test_silent_connections_are_limited_by_address(arena: Arena) -> None:
    attack = arena.attack(SilentConnections, 300, lambda attack: attack.closed.total() > 40)
    arena.await_new_metrics()
    assert arena.metric('ludus_connections_closed_total{reason="address_limit"}') >= 40
    assert attack.more["opened"] - attack.closed.total() <= 256


def test_reads_of_an_address_are_counted(arena: Arena) -> None:
    attack = arena.attack(GameListReads, 4, lambda attack: attack.refused["429 rate_limited"] > 0)
    assert attack.served <= READS


def test_an_opponent_who_comes_and_goes_is_hardly_noticed(arena: Arena) -> None:
    attack = arena.attack(LeaveAndReturn, 1, lambda attack: attack.more["times"] >= 240)
    assert attack.more["messages to the opponent"] <= attack.more["times"] / 4
