"""The loops over the moves of many games, written once: `game` is the kernel of the one being played.

States are rows of integers (see `ludus.envs.batched.states`). They come as `words`, flat, with `width` words per row,
and the kernel's words once more as `columns`. A list of moves is flat, with `game.MOVE_WORDS` integers per move.
"""

from __future__ import annotations

from typing import Any

from ludus.envs.batched.driver import BYTES, HEADER, OUTCOME, WON

game: Any = None
"""Bound by `ludus.core.kernel`."""


def list_moves(columns: Any, words: Any, width: int, i: int, moves: Any, n: int) -> int:
    """Appends the moves of game `i`; none if it is over, waits for dice, or isn't a position of the rules.

    Returns the list's new length.
    """
    if words[i * width + OUTCOME] or not game.can_list(columns, i):
        return n
    end: int = game.write_moves(columns, i, moves, n)
    return end


def list_all(columns: Any, words: Any, width: int, first: int, last: int, moves: Any, n: int, counts: Any) -> int:
    """Appends the moves of the games from `first` on while there is room; returns the first game that is left."""
    for i in range(first, last):
        if (n + game.MOST_MOVES) * game.MOVE_WORDS > len(moves):
            return i
        end = list_moves(columns, words, width, i, moves, n)
        counts[i] = end - n
        n = end
    return last


def write_child(
    words: Any, width: int, i: int, m: int, moves: Any, n: int, scored: bool, child_columns: Any, child_words: Any,
    actions: Any, reward: Any, discount: Any, terminated: Any, to_play: Any,
) -> None:  # fmt: skip
    """Writes row `m`: the state of game `i` after move `n` of the list, what it pays and who acts next."""
    for word in range(width):
        child_words[m * width + word] = words[i * width + word]
    player = child_columns[game.PLAYER, m]
    code = game.play_move(child_columns, m, child_words, m * width + HEADER + game.WORDS, moves, n)
    points = game.points(child_columns, m) if code == WON else 0
    if code:
        child_words[m * width + OUTCOME] = code | (-points if player else points) << 2
    reward[m] = points if scored else min(max(points, -1), 1)
    to_play[m] = child_columns[game.PLAYER, m]
    discount[m] = 0 if code else 1 if to_play[m] == player else -1
    terminated[m] = code != 0
    for k in range(game.MOVE_ACTIONS):
        actions[m, k] = game.move_action(moves, n, k)


def write_all(
    words: Any, width: int, first: int, last: int, offsets: Any, moves: Any, scored: bool, child_columns: Any,
    child_words: Any, rows: Any, layout: int, observation: Any, mask: Any,
) -> None:  # fmt: skip
    """Writes the after-states of these games, whose moves alone are in the list; `mask` is scratch space."""
    actions, reward, discount, terminated, to_play = rows
    start = offsets[first]
    for i in range(first, last):
        for m in range(offsets[i], offsets[i + 1]):
            write_child(
                words, width, i, m, moves, m - start, scored, child_columns, child_words,
                actions, reward, discount, terminated, to_play,
            )  # fmt: skip
            if layout == BYTES:
                game.write_bytes(child_columns, m, observation[m : m + 1], mask, 0)
            else:
                game.write_packed(child_columns, m, observation[m], 0, mask[0], 0)


def resolve(columns: Any, words: Any, width: int, i: int) -> None:
    """Rolls the dice if game `i` waits for them."""
    if not words[i * width + OUTCOME] and game.awaits_chance(columns, i):
        game.resolve_chance(columns, i)


def resolve_all(columns: Any, words: Any, width: int) -> None:
    for i in range(columns.shape[1]):
        resolve(columns, words, width, i)
