"""The loop of the XLA call, written once for all games: `game` is the kernel of the one being played.

`rows` is flat: the states of all games, as `ludus.envs.batched.states` has them, one after the other. `state` has a
column for each game, which the kernel's functions take: on a CPU a part of the same memory. `rewards` is flat too, two
for each game. On a GPU each thread calls `run_one`.
"""

from __future__ import annotations

from typing import Any

from ludus.envs.batched.driver import HEADER, OUTCOME, TAG, TRUNCATED, WON

game: Any = None
"""Bound by `ludus.core.kernel`."""

TASK, HAS_KEYS, LIMIT, IS_SCORED, AUTORESETS, FORFEITS, OPTIONS = range(7)
"""The indices of the options, and their number."""
OBSERVE, RESET, STEP, STEP_AT_RANDOM = range(4)
"""The tasks."""
FOREIGN, ILLEGAL = 1, 2
"""The problems: a row of another environment, an illegal action."""
EVERY_BYTE = 0x0101010101010101
POSITIVE = 0x7FFFFFFFFFFFFFFF


def run(
    rows: Any,
    state: Any,
    tag: int,
    actions: Any,
    keys: Any,
    options: Any,
    observation: Any,
    mask: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    to_play: Any,
) -> int:
    """Does the task in every game and writes what the players then see; returns a problem, or 0."""
    for i in range(len(actions)):
        at = i * (HEADER + game.WORDS + game.HISTORY)
        problem = run_one(rows, at, state, i, tag, i, actions, keys, options, rewards, terminated, truncated, to_play)
        if problem:
            return problem
        game.write_bytes(state, i, observation, mask, i)
        if rows[at + OUTCOME]:
            allow_all(mask, i)
    return 0


def run_one(
    rows: Any,
    at: int,
    state: Any,
    j: int,
    tag: int,
    i: int,
    actions: Any,
    keys: Any,
    options: Any,
    rewards: Any,
    terminated: Any,
    truncated: Any,
    to_play: Any,
) -> int:
    """Does the task in game `i`, whose column is `j` and whose row starts at `at`; returns a problem, or 0.

    A game with a problem keeps its position.
    """
    if rows[at + TAG] != tag:
        return FOREIGN
    if options[HAS_KEYS]:
        state[game.KEY, j] = keys[i] & POSITIVE
    task, player, points, problem = options[TASK], state[game.PLAYER, j], 0, 0
    if task == RESET:
        start(rows, at, state, j)
    elif task != OBSERVE and rows[at + OUTCOME] == 0:
        action = game.sample_action(state, j) if task == STEP_AT_RANDOM else int(actions[i])
        if game.is_legal(state, j, action):
            points = play(rows, at, state, j, action, options[LIMIT])
        elif options[FORFEITS]:
            points = forfeit(rows, at, player)
        else:
            problem = ILLEGAL
    if not options[IS_SCORED]:
        points = min(max(points, -1), 1)
    rewards[2 * i + player] = points
    rewards[2 * i + 1 - player] = -points
    ending = rows[at + OUTCOME] & 3
    terminated[i] = ending != 0 and ending != TRUNCATED
    truncated[i] = ending == TRUNCATED
    if ending and options[AUTORESETS]:
        start(rows, at, state, j)
    to_play[i] = state[game.PLAYER, j]
    return problem


def start(rows: Any, at: int, state: Any, i: int) -> None:
    rows[at + OUTCOME] = 0
    game.reset(state, i)


def play(rows: Any, at: int, state: Any, i: int, action: int, limit: int) -> int:
    """Plays a legal action, and returns the points it wins."""
    player = state[game.PLAYER, i]
    code = game.apply_action(state, i, rows, at + HEADER + game.WORDS, action)
    if code == 0 and 0 < limit <= state[game.LENGTH, i]:
        code = TRUNCATED
    points: int = game.points(state, i) if code == WON else 0
    rows[at + OUTCOME] = outcome(player, points, code)
    return points


def forfeit(rows: Any, at: int, player: int) -> int:
    rows[at + OUTCOME] = outcome(player, -1, WON)
    return -1


def outcome(player: int, points: int, code: int) -> int:
    """How a game ended, with the first player's points; 0 if it goes on."""
    return (points if player == 0 else -points) << 2 | code


def allow_all(mask: Any, i: int) -> None:
    """A game that is over ignores its actions; an empty mask would make a masked softmax NaN."""
    for word in range(game.MASK_WORDS):
        mask[i, word] = EVERY_BYTE
