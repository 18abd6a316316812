"""The loops over a batch, written once for all games: `game` is the kernel of the one being played.

`state` has a column of integers for each game. `history` is flat; that of game `i` starts at `i * game.HISTORY`.
`transition` is a tuple of arrays: reward, terminated, truncated. `view` is another: observation, mask, to_play.
"""

from __future__ import annotations

from typing import Any

game: Any = None
"""Bound by `ludus.core.kernel`."""

WON, TRUNCATED = 1, 3
PACKED, BYTES = 1, 2
"""Layouts: bit sets, or a byte for each entry."""


def find_illegal(state: Any, actions: Any) -> int:
    """The first game whose action is not legal, or -1."""
    for i in range(len(actions)):
        if not game.is_legal(state, i, actions[i]):
            return i
    return -1


def advance(state: Any, i: int, history: Any, at: int, action: int, limit: int) -> int:
    """Plays a legal action and resets a game that ends. The low two bits say how (0: not yet), the rest its points.

    These are the actor's: negative if the action lost the game.
    """
    code: int = game.apply_action(state, i, history, at, action)
    if code == 0 and 0 < limit <= state[game.LENGTH, i]:
        code = TRUNCATED
    if code == WON:
        code |= game.points(state, i) << 2
    if code:
        game.reset(state, i)
    return code


def write_transition(i: int, end: int, scored: bool, reward: Any, terminated: Any, truncated: Any) -> None:
    """What `advance` returned, as arrays."""
    reward[i] = end >> 2 if scored else min(max(end >> 2, -1), 1)
    terminated[i] = end != 0 and end != TRUNCATED
    truncated[i] = end == TRUNCATED


def result(player: int, end: int) -> int:
    """Where `totals` counts a game that ended so by this player's action."""
    if end & 3 != WON:
        return end & 3
    return player if end > 0 else 1 - player


def write_view(state: Any, i: int, layout: int, observation: Any, mask: Any, to_play: Any) -> None:
    to_play[i] = state[game.PLAYER, i]
    if layout == BYTES:
        game.write_bytes(state, i, observation, mask, i)
    else:
        game.write_packed(state, i, observation[i], 0, mask[i], 0)


def apply_one(state: Any, history: Any, action: int, observation: Any, mask: Any) -> int:
    """Plays a legal action in a batch of one; a game that ends stays as it is."""
    code: int = game.apply_action(state, 0, history, 0, action)
    game.write_bytes(state, 0, observation, mask, 0)
    return code


def reset_all(state: Any, layout: int, view: Any) -> None:
    observation, mask, to_play = view
    for i in range(len(to_play)):
        game.reset(state, i)
        write_view(state, i, layout, observation, mask, to_play)


def step_all(
    state: Any,
    history: Any,
    actions: Any,
    is_random: bool,
    limit: int,
    scored: bool,
    transition: Any,
    layout: int,
    view: Any,
) -> None:
    """One action in each game. Random ones are all drawn first, so that no game waits for its own draw."""
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    if is_random:
        for i in range(len(to_play)):
            actions[i] = game.sample_action(state, i)
    for i in range(len(to_play)):
        end = advance(state, i, history, i * game.HISTORY, actions[i], limit)
        write_transition(i, end, scored, reward, terminated, truncated)
        write_view(state, i, layout, observation, mask, to_play)


def rollout_all(
    state: Any,
    history: Any,
    steps: int,
    limit: int,
    scored: bool,
    totals: Any,
    transition: Any,
    layout: int,
    view: Any,
) -> None:
    """Random play. `totals` counts each game's wins of the first and the second player, draws and truncations."""
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    for i in range(len(to_play)):
        end = 0
        for _ in range(steps):
            player = state[game.PLAYER, i]
            end = advance(state, i, history, i * game.HISTORY, game.sample_action(state, i), limit)
            if end:
                totals[i, result(player, end)] += 1
        write_transition(i, end, scored, reward, terminated, truncated)
        write_view(state, i, layout, observation, mask, to_play)
