"""One game stepped action by action: what the AEC environments and policy players run on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.board import Board
from ludus.core.errors import IllegalMove
from ludus.core.kernel import compiled
from ludus.envs.batched import driver, streams
from ludus.envs.batched.states import StateFormat
from ludus.envs.options import check_seed, find_version, read_position
from ludus.games import GAMES

Array = NDArray[Any]


class Simulator:
    """The game's kernel on a single column; observations as in a batch. Subclasses may show or step it differently."""

    num_actions: int
    high: Array
    """The greatest values of an observation, in its shape and dtype."""

    def __init__(self, game: Any, variant: str = "standard", **choices: Any) -> None:
        """`game` may be an encoding; `choices` are options of the game's rules."""
        encoding, variant = find_version(game, variant, choices)
        kernel = encoding.kernel
        self._arguments: tuple[Any, ...] = game, variant
        self._encoding = encoding
        self._rows = kernel
        self._kernel = compiled(kernel)
        self._apply = compiled(driver, kernel).apply_one
        self._initial = encoding.initial_state(variant)
        self._state = np.zeros((kernel.WORDS, 1), np.int64)
        self._history = np.zeros(kernel.HISTORY + 1, np.int64)
        self._has_started = False
        self._words = np.zeros((1, kernel.OBSERVATION_WORDS), np.int64), np.zeros((1, kernel.MASK_WORDS), np.int64)
        self._observation = self._words[0].view(np.int8)[0][: encoding.high.size].reshape(encoding.shape)
        self._mask = self._words[1].view(np.int8)[0][: kernel.ACTIONS]
        self.num_actions = encoding.num_actions
        self.high = encoding.high

    def __reduce__(self) -> Any:
        """Rebuilds a copy from arguments and state: compiled functions and views of arrays can't be copied."""
        return _restore, (type(self), self._arguments, self._state.copy(), self._history.copy(), self._has_started)

    def seed(self, seed: int) -> None:
        """From here on, rolls the dice of game 0 in a batch with this seed."""
        self._state[:, 0] = self._initial
        self._state[self._rows.KEY, 0] = streams.key_of(check_seed(seed), 0)

    def reset(self) -> None:
        self._kernel.reset(self._state, 0)
        self._refresh()

    def read_position(self, position: Any) -> Any:
        """A position as `set_position` takes it, from a value or from text in the game's notation."""
        return read_position(self._encoding, position)

    def set_position(self, position: Any, past: Sequence[Any] = ()) -> None:
        """`past` are earlier positions, oldest first, for observations that depend on them."""
        self._kernel.set_position(self._state, 0, self._history, 0, *self._encoding.encode_position(position))
        if past and (words := self._encoding.encode_history(position, past)):
            self._history[: len(words)] = words
            self._kernel.recall(self._state, 0, self._history, 0)
        self._refresh()

    def step(self, action: int) -> int:
        """Plays a legal action: 0 if the game continues, 1 if it is won (`points` says by whom), 2 if it is drawn."""
        return int(self._apply(self._state, self._history, action, *self._words))

    def _refresh(self) -> None:
        """Writes observation and mask."""
        self._has_started = True
        self._kernel.write_bytes(self._state, 0, *self._words, 0)

    def save(self) -> Array:
        """The state of the game, a row as `Batch.save` returns it."""
        layout = StateFormat(self._encoding)
        states = np.zeros((1, layout.words), np.int64)
        states[0, driver.TAG] = layout.tag
        states[0, layout.column] = self._state[:, 0]
        states[0, layout.history] = self._history[:-1]
        return states

    @property
    def name(self) -> str:
        """The name of the encoding."""
        return self._encoding.name

    @property
    def player(self) -> int:
        return int(self._state[self._rows.PLAYER, 0])

    @property
    def length(self) -> int:
        """The number of actions played in this game."""
        return int(self._state[self._rows.LENGTH, 0])

    def is_legal(self, action: int) -> bool:
        return bool(self._mask[action])

    def legal_actions(self) -> list[int]:
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    def action_mask(self) -> Array:
        return np.array(self._mask)

    def observe(self, player: int) -> Array:
        """The game as this player sees it."""
        seen = self._observation
        return np.array(seen if player == self.player else self._encoding.flip(seen[None])[0])

    def points(self) -> int:
        """What the game just won is worth to the player who acted; negative if the action lost it."""
        return int(self._kernel.points(self._state, 0))

    def reason(self) -> str:
        """Why the game has ended."""
        return self._encoding.reason(self._column())

    def finishes_move(self, action: int) -> bool:
        """Plays a legal action; returns whether the move that it is part of is complete."""
        return self.advance(action)[1]

    def advance(self, action: int) -> tuple[int, bool]:
        """Like `step`, but also returns whether the move that the action is part of is complete."""
        before = self._column()
        code = self.step(action)
        return code, bool(code) or not self._encoding.is_same_turn(before, self._column())

    def position(self) -> Any:
        """The position in the rules' form; in the middle of a move, as far as the rules can express it."""
        return self._encoding.decode_position(self._column())

    def write_action(self, action: int) -> str:
        """A legal action as text."""
        return self._encoding.write_action(self.position(), action)

    def read_move(self, text: str) -> list[int]:
        """The actions of a move in the game's notation."""
        rules, position = GAMES[self._encoding.game], self.position()
        move = rules.notation.read_move(position, text)
        if move not in rules.moves(position):
            raise IllegalMove(f"{text} is not a move of the player to act")
        return self._encode_move(position, move)

    def _encode_move(self, position: Any, move: Any) -> list[int]:
        return self._encoding.encode_move(position, move)

    @property
    def seen(self) -> tuple[Array, Array]:
        """Observation and mask of the player to move, in arrays that the next step overwrites."""
        return self._observation, self._mask

    def board(self) -> Board:
        return self._encoding.board(self._column())

    def _column(self) -> list[int]:
        return list(self._state[:, 0].tolist())


def _restore(kind: Any, arguments: Any, state: Any, history: Any, has_started: bool) -> Any:
    simulator = kind(*arguments)
    simulator._state[:], simulator._history[:] = state, history
    if has_started:
        simulator._refresh()
    return simulator
