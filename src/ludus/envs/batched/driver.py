"""The loops over a batch, written once for all games: `game` is the kernel of the one being played.

`state` has a column of integers for each game. `history` is flat; that of game `i` starts at `i * game.HISTORY`.
`last` has the columns of the games that ended in the last step, as they were then. `transition` is a tuple of arrays:
reward, terminated, truncated. `view` is another: observation, mask, to_play.
"""

from __future__ import annotations

from typing import Any

from ludus.core.bits import prefetch
from ludus.envs.batched.streams import key_of

game: Any = None
"""Bound by `ludus.core.kernel`."""

WON, DRAWN, TRUNCATED = 1, 2, 3
PACKED, BYTES = 1, 2
"""Layouts: bit sets, or a byte for each entry."""
SHOW, CONTINUE, SEED = range(3)
"""What `refresh` does with a game: shows it, or starts a new one with its next random numbers or those of a seed."""
RANDOM, CHECKED, LEGAL = range(3)
"""Where the actions of `step_all` come from: drawn there, the caller's, or the caller's after a check."""
TAG, OUTCOME = range(2)
HEADER = 2
"""The words of a saved state before the kernel's."""
AHEAD = 8
"""How many games before its own step a game's history is loaded into the cache."""
LINE = 8
"""Words of a cache line."""
BLOCK = 128
"""Columns in the scratch array of the loops over saved states: they stay in the first-level cache."""


def find_illegal(state: Any, actions: Any, drawn: Any) -> int:
    """The first game whose action is not legal, or -1. `drawn` has actions known to be legal, or nothing."""
    if is_same(actions, drawn):
        return -1
    for i in range(len(actions)):
        if not game.is_legal(state, i, actions[i]):
            return i
    return -1


def is_same(actions: Any, others: Any) -> bool:
    """Compares without branches, so that a processor can do it in vectors."""
    different = 0
    for i in range(min(len(actions), len(others))):
        different |= actions[i] ^ others[i]
    return len(actions) == len(others) and different == 0


def advance(state: Any, i: int, history: Any, at: int, action: int, limit: int, last: Any, row: int) -> int:
    """Plays a legal action and resets a game that ends. The low two bits say how (0: not yet), the rest are points.

    The points are the actor's: negative if the action lost the game.
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
    """Writes what `advance` returned to the arrays."""
    reward[i] = end >> 2 if scored else min(max(end >> 2, -1), 1)
    terminated[i] = end != 0 and end != TRUNCATED
    truncated[i] = end == TRUNCATED


def result(player: int, end: int) -> int:
    """The index in `totals` for a game that this player's action ended in this way."""
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
    drawn: Any,
    source: int,
    latest: int,
    limit: int,
    scored: bool,
    transition: Any,
    layout: int,
    view: Any,
) -> int:
    """One action in each game, or none at all: returns the first game whose action is not legal, else -1.

    Random ones are all drawn first, so that no game waits for its own draw. `latest` is the row with the place of the
    latest word in a game's history, or -1 if it isn't known.
    """
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    if source == CHECKED:
        bad = find_illegal(state, actions, drawn)
        if bad >= 0:
            return bad
    if source == RANDOM:
        for i in range(len(to_play)):
            actions[i] = game.sample_action(state, i)
    for i in range(len(to_play)):
        if game.HISTORY > 0 and latest >= 0:
            fetch_history(state, min(i + AHEAD, len(to_play) - 1), history, latest)
        end = advance(state, i, history, i * game.HISTORY, actions[i], limit, last, i)
        write_transition(i, end, scored, reward, terminated, truncated)
        write_view(state, i, layout, observation, mask, to_play)
    return -1


def fetch_history(state: Any, i: int, history: Any, latest: int) -> None:
    """Prefetches the latest words: in a large batch they are rarely in a cache or next to the previous game's."""
    at, used = i * game.HISTORY, state[latest, i]
    prefetch(history, at + used)
    prefetch(history, at + max(used - LINE, 0))
    prefetch(history, at + max(used - 2 * LINE, 0))


def step_moves(
    state: Any, last: Any, history: Any, moves: Any, rows: Any, limit: int, scored: bool, transition: Any, layout: int,
    view: Any,
) -> None:  # fmt: skip
    """A whole move in each game: the actions in its row of `moves`."""
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    for i in range(len(to_play)):
        end = advance_move(state, i, history, i * game.HISTORY, moves, rows[i], limit, last)
        write_transition(i, end, scored, reward, terminated, truncated)
        write_view(state, i, layout, observation, mask, to_play)


def advance_move(state: Any, i: int, history: Any, at: int, moves: Any, row: int, limit: int, last: Any) -> int:
    """Plays the actions of a row, negative ones left out, until the game ends; returns what `advance` does."""
    end = 0
    for k in range(moves.shape[1]):
        action = int(moves[row, k])
        if end == 0 and action >= 0:
            end = advance(state, i, history, at, action, limit, last, i)
    return end


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


def load(rows: Any, i: int, state: Any, j: int) -> None:
    """Puts the column of a saved state into `state`."""
    for word in range(game.WORDS):
        state[word, j] = rows[i, HEADER + word]


def store(state: Any, j: int, rows: Any, i: int) -> None:
    for word in range(game.WORDS):
        rows[i, HEADER + word] = state[word, j]


def copy_row(rows: Any, i: int, new: Any, j: int) -> None:
    for word in range(rows.shape[1]):
        new[j, word] = rows[i, word]


def outcome_of(player: int, end: int) -> int:
    """The outcome, as in a saved state, from what `play` returned for this player's action."""
    return end if player == 0 or end & 3 != WON else WON | -(end >> 2) << 2


def write_ended(i: int, outcome: int, reward: Any, terminated: Any, truncated: Any) -> None:
    """Writes the transition of a game that was already over."""
    reward[i] = 0
    terminated[i] = outcome & 3 != TRUNCATED
    truncated[i] = outcome & 3 == TRUNCATED


def write_saved(
    state: Any, j: int, outcome: int, layout: int, observation: Any, mask: Any, to_play: Any, i: int
) -> None:
    """Writes the view of a saved state, whose column is `j`. A game that was won or drawn has no legal actions."""
    to_play[i] = state[game.PLAYER, j]
    if layout == BYTES:
        game.write_bytes(state, j, observation, mask, i)
    else:
        game.write_packed(state, j, observation[i], 0, mask[i], 0)
    if outcome and outcome & 3 != TRUNCATED:
        for word in range(mask.shape[1]):
            mask[i, word] = 0


def init_rows(rows: Any, scratch: Any, first: int, tag: int, initial: Any, seed: int) -> None:
    """Writes states of new games, the first with the number `first`. `scratch` has room for `BLOCK` columns."""
    for i in range(len(rows)):
        begin(scratch, 0, first + i, SEED, initial, seed)
        rows[i, TAG] = tag
        rows[i, OUTCOME] = 0
        store(scratch, 0, rows, i)


def observe_rows(rows: Any, scratch: Any, layout: int, view: Any) -> None:
    observation, mask, to_play = view
    for i in range(len(rows)):
        load(rows, i, scratch, i % BLOCK)
        write_saved(scratch, i % BLOCK, rows[i, OUTCOME], layout, observation, mask, to_play, i)


def step_rows(
    rows: Any,
    new: Any,
    past: Any,
    scratch: Any,
    actions: Any,
    is_random: bool,
    limit: int,
    scored: bool,
    transition: Any,
    layout: int,
    view: Any,
) -> int:
    """One action in each game that isn't over, into new rows; `past` is their flat form.

    Stops at an action that is not legal and returns its row, else -1.
    """
    reward, terminated, truncated = transition
    observation, mask, to_play = view
    for i in range(len(rows)):
        j, outcome = i % BLOCK, rows[i, OUTCOME]
        copy_row(rows, i, new, i)
        load(rows, i, scratch, j)
        if outcome:
            write_ended(i, outcome, reward, terminated, truncated)
        else:
            action = game.sample_action(scratch, j) if is_random else actions[i]
            if not is_random and not game.is_legal(scratch, j, action):
                return i
            player = scratch[game.PLAYER, j]
            end = play(scratch, j, past, i * rows.shape[1] + HEADER + game.WORDS, action, limit)
            write_transition(i, end, scored, reward, terminated, truncated)
            outcome = outcome_of(player, end)
            store(scratch, j, new, i)
            new[i, OUTCOME] = outcome
        write_saved(scratch, j, outcome, layout, observation, mask, to_play, i)
    return -1


def count_rolls(rows: Any, scratch: Any, counts: Any) -> None:
    for i in range(len(rows)):
        load(rows, i, scratch, i % BLOCK)
        counts[i] = 1 if rows[i, OUTCOME] else game.count_rolls(scratch, i % BLOCK)


def expand_rolls(rows: Any, offsets: Any, scratch: Any, new: Any, weights: Any) -> None:
    """All rolls of each game, from its offset on."""
    for i in range(len(rows)):
        rolls = offsets[i + 1] - offsets[i]
        for number in range(rolls):
            at = offsets[i] + number
            copy_row(rows, i, new, at)
            weights[at] = 1
            if rolls > 1:
                load(rows, i, scratch, at % BLOCK)
                weights[at] = game.roll_weight(scratch, at % BLOCK, number)
                game.set_roll(scratch, at % BLOCK, number)
                store(scratch, at % BLOCK, new, at)


def set_dice_of_rows(rows: Any, dice: Any, scratch: Any, new: Any) -> int:
    """Gives each game its roll; stops at one that is not possible and returns its row, else -1."""
    for i in range(len(rows)):
        load(rows, i, scratch, i % BLOCK)
        number = game.find_roll(scratch, i % BLOCK, dice[i, 0], dice[i, 1])
        if number < 0 or rows[i, OUTCOME]:
            return i
        copy_row(rows, i, new, i)
        game.set_roll(scratch, i % BLOCK, number)
        store(scratch, i % BLOCK, new, i)
    return -1
