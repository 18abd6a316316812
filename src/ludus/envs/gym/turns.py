"""One seat against the other in many games, written once for all: `game` is the module of the one that is played.

`state`, `history` and `seen` are those of `ludus.envs.batched.driver`. `seats` has the agent's number in each game, and
`ends` are three arrays: the agent's reward, what is terminated, what is over.
"""

from __future__ import annotations

from typing import Any

from ludus.envs.batched.driver import WON

game: Any = None


def play(state: Any, i: int, history: Any, across: int, action: int, seat: int, scored: bool, ends: Any) -> None:
    """One legal action of either side; a game that ends stays as it is."""
    reward, terminated, over = ends
    player = state[game.PLAYER, i]
    code = game.act(state, i, history, i * across, 1, action)
    if code:
        terminated[i] = over[i] = True
    if code == WON:
        worth = game.points(state, i) if scored else 1
        reward[i] = worth if player == seat else -worth


def play_all(state: Any, history: Any, across: int, actions: Any, seats: Any, scored: bool, ends: Any) -> None:
    """One action in each game that has one; below 0 there is none."""
    for i in range(len(seats)):
        if actions[i] >= 0:
            play(state, i, history, across, actions[i], seats[i], scored, ends)


def answer_all(state: Any, history: Any, across: int, seats: Any, scored: bool, ends: Any) -> None:
    """The other side's turns, at random."""
    over = ends[2]
    for i in range(len(seats)):
        while state[game.PLAYER, i] != seats[i] and not over[i]:
            play(state, i, history, across, game.pick_random(state, i), seats[i], scored, ends)


def pick_all(state: Any, actions: Any) -> None:
    """A random legal action in each game."""
    for i in range(len(actions)):
        actions[i] = game.pick_random(state, i)


def begin_all(state: Any, which: Any) -> None:
    for i in range(len(which)):
        if which[i]:
            game.begin(state, i)


def write_all(state: Any, which: Any, seen: Any) -> None:
    """Observation, mask and player of the games in `which`, as the side to move sees them."""
    observation, mask, to_play = seen
    for i in range(len(which)):
        if which[i]:
            to_play[i] = state[game.PLAYER, i]
            game.write_bytes(state, i, observation, mask, i)
