"""Many games at once, written once for all games: `game` is the module of the one that is played.

`state` has a column of integers for each game. `history` is flat; what game `i` must remember starts at `i * across`
and goes on in strides of `down`. `ends` are three arrays: reward, terminated, truncated. `seen` are three more:
observation, mask, to_play.
"""

from __future__ import annotations

from typing import Any

game: Any = None
"""Bound by `ludus.core.kernel`."""

WON, CUT = 1, 3
PACKED, BYTES = 1, 2
"""How observation and mask are written: as bit sets, or a byte for each entry."""


def find_illegal(state: Any, actions: Any) -> int:
    """The first game whose action is not legal, or -1."""
    for i in range(len(actions)):
        if not game.is_legal(state, i, actions[i]):
            return i
    return -1


def advance(state: Any, i: int, history: Any, at: int, down: int, action: int, limit: int) -> int:
    """One legal action; a game that ends starts anew. The low two bits say how (0: it goes on), the rest its points."""
    code: int = game.act(state, i, history, at, down, action)
    if code == 0 and 0 < limit <= state[game.LENGTH, i]:
        code = CUT
    if code == WON:
        code |= game.points(state, i) << 2
    if code:
        game.begin(state, i)
    return code


def play_one(state: Any, history: Any, action: int, observation: Any, mask: Any) -> int:
    """One legal action in the only game, and what is seen then; a game that ends stays as it is."""
    code: int = game.act(state, 0, history, 0, 1, action)
    game.write_bytes(state, 0, observation, mask, 0)
    return code


def begin_all(state: Any, layout: int, seen: Any) -> None:
    observation, mask, to_play = seen
    for i in range(len(to_play)):
        game.begin(state, i)
        to_play[i] = state[game.PLAYER, i]
        if layout == BYTES:
            game.write_bytes(state, i, observation, mask, i)
        else:
            game.write_packed(state, i, observation[i], 0, mask[i], 0)


def step_all(
    state: Any,
    history: Any,
    across: int,
    down: int,
    actions: Any,
    is_random: bool,
    limit: int,
    scored: bool,
    ends: Any,
    layout: int,
    seen: Any,
) -> None:
    """One action in each game; at random, all are chosen first, so that no game waits for the choice of its own."""
    reward, terminated, truncated = ends
    observation, mask, to_play = seen
    if is_random:
        for i in range(len(to_play)):
            actions[i] = game.pick_random(state, i)
    for i in range(len(to_play)):
        end = advance(state, i, history, i * across, down, actions[i], limit)
        reward[i] = end >> 2 if scored else end >> 2 != 0
        terminated[i] = end != 0 and end != CUT
        truncated[i] = end == CUT
        to_play[i] = state[game.PLAYER, i]
        if layout == BYTES:
            game.write_bytes(state, i, observation, mask, i)
        else:
            game.write_packed(state, i, observation[i], 0, mask[i], 0)


def roll_out_all(
    state: Any,
    history: Any,
    across: int,
    down: int,
    steps: int,
    limit: int,
    scored: bool,
    totals: Any,
    ends: Any,
    layout: int,
    seen: Any,
) -> None:
    """Random play; counts for each game who won (first player, second, nobody), and how often it was cut short."""
    reward, terminated, truncated = ends
    observation, mask, to_play = seen
    for i in range(len(to_play)):
        end = 0
        for _ in range(steps):
            player = state[game.PLAYER, i]
            end = advance(state, i, history, i * across, down, game.pick_random(state, i), limit)
            if end:
                totals[i, player if end & 3 == WON else end & 3] += 1
        reward[i] = end >> 2 if scored else end >> 2 != 0
        terminated[i] = end != 0 and end != CUT
        truncated[i] = end == CUT
        to_play[i] = state[game.PLAYER, i]
        if layout == BYTES:
            game.write_bytes(state, i, observation, mask, i)
        else:
            game.write_packed(state, i, observation[i], 0, mask[i], 0)
