"""The loops over a batch in which an agent plays one seat of each game; `game` is the kernel of the one being played.

`state`, `history` and `view` are as in `ludus.envs.batched.driver`. `seats` has the agent's player number in each game.
`transition` is a tuple of arrays: the agent's reward, terminated, over.
"""

from __future__ import annotations

from typing import Any

from ludus.envs.batched.driver import WON

game: Any = None


def play(state: Any, i: int, history: Any, action: int, seat: int, scored: bool, transition: Any) -> None:
    """Plays a legal action of either side; a game that ends stays as it is."""
    reward, terminated, over = transition
    player = state[game.PLAYER, i]
    code = game.apply_action(state, i, history, i * game.HISTORY, action)
    if code:
        terminated[i] = over[i] = True
    if code == WON:
        points = game.points(state, i)
        worth = points if scored else min(max(points, -1), 1)
        reward[i] = worth if player == seat else -worth


def play_all(state: Any, history: Any, actions: Any, seats: Any, scored: bool, transition: Any) -> None:
    """One action in each game; negative ones are skipped."""
    for i in range(len(seats)):
        if actions[i] >= 0:
            play(state, i, history, actions[i], seats[i], scored, transition)


def play_random_opponents(state: Any, history: Any, seats: Any, scored: bool, transition: Any) -> None:
    """Plays the other side at random until the agent is to move."""
    over = transition[2]
    for i in range(len(seats)):
        while state[game.PLAYER, i] != seats[i] and not over[i]:
            play(state, i, history, game.sample_action(state, i), seats[i], scored, transition)


def sample_all(state: Any, actions: Any) -> None:
    for i in range(len(actions)):
        actions[i] = game.sample_action(state, i)


def reset_where(state: Any, which: Any) -> None:
    for i in range(len(which)):
        if which[i]:
            game.reset(state, i)


def write_where(state: Any, which: Any, view: Any) -> None:
    """Writes observation, mask and player as the side to move sees them."""
    observation, mask, to_play = view
    for i in range(len(which)):
        if which[i]:
            to_play[i] = state[game.PLAYER, i]
            game.write_bytes(state, i, observation, mask, i)
