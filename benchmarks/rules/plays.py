"""All plays of all 21 rolls from mid-game positions, one core: our kernel, our rules and OpenSpiel from Python.

OpenSpiel plays a double in two halves, so to list all its plays means to list the second half after each first one.
"""

from __future__ import annotations

import random
import re
from typing import Any

import numba
import numpy as np
import pyspiel

from benchmarks.report import cpu_seconds, row
from ludus import Player
from ludus.core.kernel import compiled
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import BAR, OFF, Men, Position, men
from ludus.games.backgammon.rules import ROLLS, Backgammon

POSITIONS, BY_PYTHON = 10_000, 300
THEIR_BAR = 100
DICE = re.compile(r"roll: (\d)(\d)")


def run() -> None:
    states = mid_game(POSITIONS)
    positions = [position(state) for state in states]
    ours = POSITIONS * 21 / by_kernel(positions)
    from_python = BY_PYTHON * 21 / by_rules(positions[:BY_PYTHON])
    peer, first_halves = (BY_PYTHON * 21 / seconds for seconds in by_openspiel(states[:BY_PYTHON]))
    name = f"{peer:,.0f} (OpenSpiel from Python)"
    row("backgammon, all plays of a roll, rolls/s, kernel", f"{ours:,.0f}", name, f"{ours / peer:.0f}", "≥ 20")
    row("the same as Python values (`rules.moves`)", f"{from_python:,.0f}", name, f"{from_python / peer:.1f}", "")
    name = f"{first_halves:,.0f} (OpenSpiel from Python)"
    row("kernel beside OpenSpiel's first half of doubles only", f"{ours:,.0f}", name, f"{ours / first_halves:.0f}", "")


def mid_game(number: int) -> list[Any]:
    """OpenSpiel's states of random games, from the tenth turn on, before a roll."""
    states: list[Any] = []
    rng, game = random.Random(1), pyspiel.load_game("backgammon")
    while len(states) < number:
        state, turns = game.new_initial_state(), 0
        while not state.is_terminal() and len(states) < number:
            if state.is_chance_node():
                turns += 1
                if turns > 10:
                    states.append(state.clone())
                state.apply_action(rng.choice(state.chance_outcomes())[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
    return states


def position(state: Any) -> Position:
    sides = []
    for player in (0, 1):
        layout = {i + 1 if player else 24 - i: state.board(player, i) for i in range(24)}
        layout[BAR] = state.board(player, THEIR_BAR)
        sides.append(men(layout | {OFF: 15 - sum(layout.values())}))
    return Position(sides[0], sides[1], Player.SECOND if "Previous player: 0" in str(state) else Player.FIRST)


def by_kernel(positions: list[Position]) -> float:
    write_plays = compiled(kernel).write_plays
    out = np.zeros(kernel.MOST_PLAYS * kernel.WORDS, np.int64)
    rows = np.array([(*p.own, *p.other) for p in positions], np.int64)

    @numba.njit
    def count(rows: Any, out: Any) -> int:
        total = 0
        for r in rows:
            for die in range(1, 7):
                for then in range(1, die + 1):
                    total += write_plays(out, 0, r[0], r[1], r[2], r[3], die, then)
        return total

    opening = Men(*Backgammon.variants["standard"].white)
    assert count(np.array([(*opening, *opening)], np.int64), out) == 447
    return cpu_seconds(lambda: count(rows, out))


def by_rules(positions: list[Position]) -> float:
    rolled = [p._replace(dice=(roll.one, roll.two)) for p in positions for roll, _ in ROLLS]
    rules = Backgammon().compiled()
    return cpu_seconds(lambda: [rules.moves(p) for p in rolled])


def by_openspiel(states: list[Any]) -> tuple[float, float]:
    """Seconds for whole turns, and for what is listed at once: of a double the plays of two steps, not of four."""
    rolled = [(state.child(action), dice) for state in states for dice, action in their_rolls(state).items()]
    assert len(rolled) == 21 * len(states)
    whole = cpu_seconds(lambda: [list_turn(state, is_double=len(dice) == 1) for state, dice in rolled])
    return whole, cpu_seconds(lambda: [state.legal_actions() for state, _ in rolled])


def their_rolls(state: Any) -> dict[frozenset[str], int]:
    """OpenSpiel's actions for the 21 rolls, by their dice: where these differ it lists both orders."""
    actions = (action for action, _ in state.chance_outcomes())
    return {frozenset(DICE.findall(state.action_to_string(action))[0]): action for action in actions}


def list_turn(state: Any, *, is_double: bool) -> list[list[int]]:
    """Everything OpenSpiel lists in one turn; of a double the second half after each distinct first one."""
    player, met, listed = state.current_player(), set(), [state.legal_actions()]
    for action in listed[0] if is_double else ():
        state.apply_action(action)
        if state.current_player() == player and (text := str(state)) not in met:
            met.add(text)
            listed.append(state.legal_actions())
        state.undo_action(player, action)
    return listed
