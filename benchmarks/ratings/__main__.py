"""Prints the rank correlation of ratings with true strengths, and where colluders end up, beside plain Glicko-2."""

from __future__ import annotations

import argparse

from benchmarks.ratings.collusion import KINDS
from benchmarks.ratings.simulation import Agent, Arena, OurRatings, PlainGlicko, Ratings, place, rank_correlation
from benchmarks.report import heading, machine, row


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--agents", type=int, default=10_000)
    options.add_argument("--rounds", type=int, default=60, help="games of each honest agent")
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    plain, ours = PlainGlicko(), OurRatings()
    arena = Arena((plain, ours), given.agents, given.seed)
    assert ours.now(arena.honest[0]) == plain.now(arena.honest[0])
    arena.play_rounds(given.rounds)
    print(f"{machine()}; {given.agents} agents, {given.rounds} games each, seed {given.seed}\n")
    heading("what", "ours", "plain Glicko-2")
    row(
        "rank correlation with true strength",
        *(f"{rank_correlation(each, arena.honest):.4f}" for each in (ours, plain)),
    )
    listed = [sum(map(each.is_listed, arena.honest)) for each in (ours, plain)]
    row("on the board", *listed)
    print()
    heading(
        "an average agent (true place about half-way) wins against",
        "ours: rating ± deviation",
        "place",
        "plain",
        "place",
    )
    for name, collude in KINDS.items():
        boss = collude(arena)
        row(name, *_shown(ours, arena, boss), *_shown(plain, arena, boss))


def _shown(system: Ratings, arena: Arena, boss: Agent) -> tuple[str, str]:
    rating, found = system.now(boss), place(system, boss, arena.honest)
    return f"{rating.rating:.0f} ± {rating.deviation:.0f}", "not listed" if found is None else str(found)


if __name__ == "__main__":
    main()
