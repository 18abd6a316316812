"""Kinds of collusion. Each has accomplices lose to one agent of average strength, and returns that agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from benchmarks.ratings.simulation import DAY, MEAN, SPREAD, Agent, Arena

ACCOMPLICES: Final = 60
SETTLING_ROUNDS: Final = 30
STRONG: Final = MEAN + 2 * SPREAD


def resign_at_once(arena: Arena) -> Agent:
    boss = arena.agent()
    for _ in range(ACCOMPLICES):
        arena.throw(arena.agent(), boss, is_early=True)
    return boss


def resign_after_the_least_moves(arena: Arena) -> Agent:
    boss = arena.agent()
    for _ in range(ACCOMPLICES):
        arena.throw(arena.agent(), boss)
    return boss


def six_hundred_new_accounts(arena: Arena) -> Agent:
    boss = arena.agent()
    for _ in range(10 * ACCOMPLICES):
        arena.throw(arena.agent(), boss)
    return boss


def farm_on_one_address(arena: Arena) -> Agent:
    boss = arena.agent()
    for _ in range(ACCOMPLICES):
        arena.throw(arena.agent(address="address/farm"), boss)
    return boss


def own_address(arena: Arena) -> Agent:
    boss = arena.agent(address="address/own")
    for _ in range(ACCOMPLICES):
        arena.throw(arena.agent(address="address/own"), boss)
    return boss


def one_partner(arena: Arena) -> Agent:
    boss, partner = arena.agent(), arena.agent()
    for _ in range(25):
        arena.throw(partner, boss)
    return boss


def one_partner_for_a_year(arena: Arena) -> Agent:
    """A game a day."""
    boss, partner, began = arena.agent(), arena.agent(), arena.at
    for _ in range(365):
        arena.at += DAY
        arena.throw(partner, boss)
    arena.at = began
    return boss


def sandbaggers(arena: Arena) -> Agent:
    """Five strong agents, rated honestly, who then lose to one again and again."""
    boss = arena.agent()
    strong = sorted(arena.honest, key=lambda agent: abs(agent.strength - STRONG))[:5]
    for _ in range(10):
        for accomplice in strong:
            arena.throw(accomplice, boss)
    return boss


def settled_ring(arena: Arena) -> Agent:
    """Accomplices play each other evenly until their ratings are settled, then each loses to one."""
    return _fed(arena, _ring(arena))


def pyramid(arena: Arena) -> Agent:
    """Twenty agents are fed by a settled ring each, then play each other evenly until they are settled too."""
    bosses = [_fed(arena, _ring(arena)) for _ in range(20)]
    _play_evenly(arena, bosses)
    return max(bosses, key=lambda boss: arena.systems[-1].now(boss).rating)


def _ring(arena: Arena) -> list[Agent]:
    ring = [arena.agent() for _ in range(ACCOMPLICES)]
    _play_evenly(arena, ring)
    return ring


def _play_evenly(arena: Arena, agents: list[Agent]) -> None:
    """Everyone meets everyone about equally often, and wins every other game."""
    losses = dict.fromkeys(agents, 0)
    first, *others = agents
    for number in range(SETTLING_ROUNDS):
        turned = number % len(others)
        order = [first, *others[turned:], *others[:turned]]
        for one, two in zip(order[: len(order) // 2], reversed(order), strict=False):
            loser, winner = sorted((one, two), key=losses.__getitem__)
            losses[loser] += 1
            arena.throw(loser, winner)


def _fed(arena: Arena, ring: list[Agent]) -> Agent:
    boss = arena.agent()
    for accomplice in ring:
        arena.throw(accomplice, boss)
    return boss


KINDS: Final[dict[str, Callable[[Arena], Agent]]] = {
    "60 new accounts resign at move 0": resign_at_once,
    "60 new accounts, 60 addresses, lose after the least moves": resign_after_the_least_moves,
    "600 new accounts, 600 addresses, the same": six_hundred_new_accounts,
    "60 new accounts on one address": farm_on_one_address,
    "60 new accounts on the winner's address": own_address,
    "one partner, 25 games": one_partner,
    "one partner, a game a day for a year": one_partner_for_a_year,
    "5 sandbaggers rated about 2100, 10 games each": sandbaggers,
    "ring of 60 settled accounts, 60 addresses": settled_ring,
    "pyramid: 20 rings feed 20 agents, who settle each other": pyramid,
}
