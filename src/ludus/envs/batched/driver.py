"""The loops over a batch, written once for all games: `game` is the kernel of the one being played.

`state` has a column of integers for each game. `history` is flat; that of game `i` starts at `i * game.HISTORY`.
`last` has the columns of the games that ended in the last step, as they were then. `transition` is a tuple of arrays:
reward, terminated, truncated. `view` is another: observation, mask, to_play.
"""

from __future__ import annotations

from typing import Any

from ludus.envs.batched.streams import key_of

game: Any = None
"""Bound by `ludus.core.kernel`."""

WON, TRUNCATED = 1, 3
PACKED, BYTES = 1, 2
"""Layouts: bit sets, or a byte for each entry."""
SHOW, CONTINUE, SEED = range(3)
"""What `refresh` does with a game: shows it; starts a new one, with its next random numbers or with those of a seed."""
TAG, OUTCOME = range(2)
HEADER = 2
"""What a saved state has before the kernel's words."""
BLOCK = 128
"""Games whose columns stay in the first-level cache from their draw to their step."""


def find_illegal(state: Any, actions: Any) -> int:
    """The first game whose action is not legal, or -1."""
    for i in range(len(actions)):
        if not game.is_legal(state, i, actions[i]):
            return i
    return -1


def advance(state: Any, i: int, history: Any, at: int, action: int, limit: int, last: Any, row: int) -> int:
    """Plays a legal action and resets a game that ends. The low two bits say how (0: not yet), the rest its points.

    These are the actor's: negative if the action lost the game.
    """
    code = play(state, i, history, at, action, limit)
    if code:
        for word in range(game.WORDS):
            last[word, row] = state[word, i]
        game.reset(state, i)
    return code


def play(state: Any, i: int, history: Any, at: int, action: int, limit: int) -> int:
    """Like `advance`, but a game that ends stays as it is."""
    code: int = game.apply_action(state, i, history, at, action)
    if code == 0 and 0 < limit <= state[game.LENGTH, i]:
        code = TRUNCATED
    if code == WON:
        code |= game.points(state, i) << 2
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


def begin(state: Any, i: int, game_number: int, task: int, initial: Any, seed: int) -> None:
    """Starts a new game in a column."""
    for word in range(game.WORDS):
        if task == SEED or not is_random_counter(word):
            state[word, i] = initial[word]
    if task == SEED:
        state[game.KEY, i] = key_of(seed, game_number)
    game.reset(state, i)


def is_random_counter(word: int) -> bool:
    found = False
    for row in game.RNG:
        found = found or row == word
    return found


def refresh(
    state: Any, first: int, which: Any, task: int, initial: Any, seed: int, layout: int, transition: Any, view: Any
) -> None:
    """Shows chosen games after a change, or starts new ones; `first` is the number of the first game here."""
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    for i in range(len(to_play)):
        if which[i]:
            if task != SHOW:
                begin(state, i, first + i, task, initial, seed)
            write_transition(i, 0, False, reward, terminated, truncated)
            write_view(state, i, layout, observation, mask, to_play)


def step_all(
    state: Any,
    last: Any,
    history: Any,
    actions: Any,
    is_random: bool,
    limit: int,
    scored: bool,
    transition: Any,
    layout: int,
    view: Any,
) -> None:
    """One action in each game. Random ones are drawn a block ahead, so that no game waits for its own draw."""
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    for start in range(0, len(to_play), BLOCK):
        stop = min(start + BLOCK, len(to_play))
        if is_random:
            for i in range(start, stop):
                actions[i] = game.sample_action(state, i)
        for i in range(start, stop):
            end = advance(state, i, history, i * game.HISTORY, actions[i], limit, last, i)
            write_transition(i, end, scored, reward, terminated, truncated)
            write_view(state, i, layout, observation, mask, to_play)


def rollout_all(
    state: Any,
    last: Any,
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
            end = advance(state, i, history, i * game.HISTORY, game.sample_action(state, i), limit, last, i)
            if end:
                totals[i, result(player, end)] += 1
        write_transition(i, end, scored, reward, terminated, truncated)
        write_view(state, i, layout, observation, mask, to_play)
