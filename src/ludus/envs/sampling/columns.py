"""Draws for the games of a batch, whose columns say what is legal: `game` is the kernel being played."""

from __future__ import annotations

from typing import Any

from ludus.envs.batched.streams import draw
from ludus.envs.sampling.rows import ROWS, can_draw_together, draw_one_by_one, draw_together, first_bad

game: Any = None
"""Bound by `ludus.core.kernel`."""


def sample_all(state: Any, first: int, actions: Any, copy: Any) -> None:
    """The random actions of `step()`, for a caller who wants to see them first."""
    for i in range(len(actions)):
        actions[i] = copy[i] = game.sample_action(state, first + i)


def sample_columns(
    state: Any,
    first: int,
    logits: Any,
    purpose: int,
    softmax: Any,
    actions: Any,
    copy: Any,
    log_probs: Any,
    listed: Any,
    scratch: Any,
) -> int:
    """`sample_rows` for the games from `first` on, with their own random numbers and without their masks."""
    bad, is_together = -1, can_draw_together(game.ACTIONS, logits, softmax)
    for start in range(0, len(actions), ROWS):
        block, logs, row = actions[start : start + ROWS], log_probs[start : start + ROWS], first + start
        draw_numbers(state, row, purpose, block, scratch[3])
        if is_together:
            list_games(state, row, len(block), listed, scratch[4], scratch[5])
            draw_together(row, logits, softmax, block, logs, scratch)
        else:
            write_games(state, row, len(block), scratch[0])
            draw_one_by_one(row, game.ACTIONS, logits, softmax, block, logs, scratch)
        found = first_bad(row, block)
        bad = found if bad < 0 else bad
    for i in range(len(actions)):
        copy[i] = actions[i]
    return bad


def draw_numbers(state: Any, first: int, purpose: int, numbers: Any, keys: Any) -> None:
    """The games' random numbers: computed in vectors, since another loop reads the columns."""
    for i in range(len(numbers)):
        keys[i] = state[game.KEY, first + i]
        numbers[i] = state[game.STEPS, first + i]
    for i in range(len(numbers)):
        numbers[i] = draw(keys[i], purpose, numbers[i])


def list_games(state: Any, first: int, number: int, listed: Any, ids: Any, starts: Any) -> None:
    """`list_actions` of these games."""
    end = 0
    for i in range(number):
        starts[i] = end
        end = game.list_legal(state, first + i, listed, ids, end)
    starts[number] = end


def write_games(state: Any, first: int, number: int, sets: Any) -> None:
    parts = game.ACTIONS + 63 >> 6
    for i in range(number):
        game.write_legal(state, first + i, sets, i * parts)
