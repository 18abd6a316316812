"""Compares `checkers_v3` with OpenSpiel hop by hop: the same actions, the same winners.

OpenSpiel also plays one jump at a time. Its first player sits at the bottom. It draws after forty moves without a
capture, whichever piece moved; the comparison ends there. It has no draw by repetition.
"""

from __future__ import annotations

import numpy as np
import pyspiel

from ludus.envs import checkers_v3

PLIES = 200_000
DIRECTIONS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def to_openspiel(action: int, player: int, is_jump: bool) -> str:
    """An action as OpenSpiel writes it, such as `a3b4`."""
    square, direction = action % 64, action // 64
    if player == 1:
        square, direction = 63 - square, 3 - direction
    row, column = divmod(square, 8)
    reach = 2 if is_jump else 1
    down, right = (reach * part for part in DIRECTIONS[direction])
    return name(row, column) + name(row + down, column + right)


def name(row: int, column: int) -> str:
    return f"{'hgfedcba'[column]}{row + 1}"


def test_two_hundred_thousand_plies_have_the_same_actions() -> None:
    env, rng = checkers_v3.raw_env(), np.random.default_rng(1)
    game, plies, games, decided = pyspiel.load_game("checkers"), 0, 0, 0
    while plies < PLIES:
        env.reset(seed=games)
        state = game.new_initial_state()
        while not env.terminations["player_0"] and not state.is_terminal():
            agent = env.agent_selection
            player = env.possible_agents.index(agent)
            assert state.current_player() == player
            theirs = {state.action_to_string(action): action for action in state.legal_actions()}
            is_jump = any(abs(ord(text[1]) - ord(text[3])) == 2 for text in theirs)
            ours = {to_openspiel(action, player, is_jump): action for action in env.infos[agent]["legal_moves"]}
            assert set(ours) == set(theirs)
            chosen = sorted(ours)[rng.integers(len(ours))]
            env.step(ours[chosen])
            state.apply_action(theirs[chosen])
            plies += 1
        games += 1
        if env.terminations["player_0"] and env.infos["player_0"]["winner"]:
            assert state.is_terminal()
            assert state.returns() == list(env.rewards.values())
            decided += 1
        elif env.terminations["player_0"]:
            assert str(env.infos["player_0"]["reason"]) in ("repetition", "forty_moves")
        else:
            assert state.returns() == [0, 0]
    assert decided > games / 2
