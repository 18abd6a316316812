"""What a game provides to have environments: an `Encoding` and a `Kernel`.

A game's adapter is `ludus.envs.NAME`, or the `envs` module of a third-party package. It has an instance of `Encoding`
as `ENCODING`, and needs neither PettingZoo nor Gymnasium.
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from ludus.core.board import Board
from ludus.core.errors import UnknownOption
from ludus.core.rules import Reason
from ludus.games import GAMES, layer

Observations = NDArray[np.int8]


class Kernel(Protocol):
    """A module of plain functions over integers, compiled for CPUs and GPUs by `ludus.core.kernel`.

    A game is column `i` of the integer array `state`, always seen by the player to move. Functions may write to the
    arrays they are given and return integers; they may not allocate. Import helpers by their own names from other such
    modules (`ludus.core.bits`, `ludus.envs.batched.streams`); modules of anything else do not compile.
    """

    WORDS: int
    """Rows of `state`: the integers a game consists of. The four below are indices of rows."""
    PLAYER: int
    """The player to move: 0 or 1."""
    LENGTH: int
    """Actions so far in this game."""
    STEPS: int
    """Actions so far in all games of this column; `sample_action` uses it as its counter."""
    KEY: int
    """The key of the column's random numbers, for `streams.draw`."""
    RNG: tuple[int, ...]
    """The rows that survive a reset without a seed: `KEY`, `STEPS`, and other counters of random numbers."""
    HISTORY: int
    """Words of history a game needs beside its state; 0 for none."""
    ACTIONS: int

    OBSERVATION_WORDS: int
    MASK_WORDS: int
    """A row in bytes, in words of eight bytes: `write_bytes` fills so many."""
    PACKED_OBSERVATION: int
    PACKED_MASK: int
    """A row as bit sets, in words, 16 at most: `write_packed` fills so many."""
    COMPACT: int
    """Words that `write_compact` fills; the mask's begin at `PACKED_OBSERVATION`."""

    def reset(self, state: Any, i: int, /) -> None:
        """Starts a new game. Rows that `Encoding.initial_state` filled still hold their values."""

    def set_position(self, state: Any, i: int, history: Any, at: int, /, *words: Any) -> None:
        """Starts a game from the words of `Encoding.encode_position`."""

    def is_legal(self, state: Any, i: int, action: int, /) -> bool:
        """False for any integer that is no action."""

    def sample_action(self, state: Any, i: int, /) -> int:
        """A random legal action: a function of the key and `STEPS`."""

    def apply_action(self, state: Any, i: int, history: Any, at: int, action: int, /) -> int:
        """Plays a legal action: 0 if the game continues, 1 if the mover has won, 2 if it is drawn.

        The game's history starts at `history[at]`. A finished game keeps its last position until `reset`.
        """

    def points(self, state: Any, i: int, /) -> int:
        """What the win just made is worth."""

    def write_bytes(self, state: Any, i: int, observation: Any, mask: Any, row: int, /) -> None:
        """Writes observation and mask, a byte an entry, as words `observation[row, ...]` and `mask[row, ...]`."""

    def write_packed(self, state: Any, i: int, observation: Any, at: int, mask: Any, mask_at: int, /) -> None:
        """Writes observation and mask as bit sets, from `observation[at]` and `mask[mask_at]` on."""

    def write_compact(self, state: Any, i: int, out: Any, at: int, /) -> None:
        """Writes what `observation_word` and `mask_word` read: on a GPU the bytes are made from it."""

    def observation_word(self, compact: Any, at: int, word: int, /) -> int:
        """One word of `write_bytes`; `compact` holds bytes, the observation's from `at` on."""

    def mask_word(self, compact: Any, at: int, word: int, /) -> int:
        """One word of the mask; the mask's bytes start at `at`."""


class Encoding(abc.ABC):
    """Translates between one game's rules and its kernel: positions, moves and observations."""

    game: ClassVar[str]
    kernel: ClassVar[Any]
    """The module that is this game's `Kernel`."""
    high: ClassVar[Observations]
    """The greatest value of each entry of an observation; the least is 0.

    With more than one dimension it must fill `OBSERVATION_WORDS` exactly; a vector may be padded.
    """

    aec_envs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """PettingZoo ids (without `ludus/`) and entry points; where there are none the game is registered as `NAME-v0`."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.high.shape

    @property
    def num_actions(self) -> int:
        return int(self.kernel.ACTIONS)

    def initial_state(self, variant: str) -> Sequence[int]:
        """The words of a column before its first `reset`; the key is set afterwards."""
        return [0] * self.kernel.WORDS

    @abc.abstractmethod
    def encode_position(self, position: Any) -> Sequence[int]:
        """The words that the kernel's `set_position` takes; raises `UnknownOption` if it can't be played from."""

    @abc.abstractmethod
    def decode_position(self, column: Sequence[int]) -> Any:
        """A column of `state` as a position of the rules."""

    def decode_history(self, column: Sequence[int], history: Sequence[int]) -> tuple[Any, ...]:
        """Earlier positions that can occur again, oldest first."""
        return ()

    @abc.abstractmethod
    def encode_move(self, position: Any, move: Any) -> list[int]:
        """The actions that make up a move."""

    def decode_move(self, rules: Any, position: Any, actions: list[int]) -> Any:
        """The legal move these actions make up."""
        return next(move for move in rules.moves(position) if self.encode_move(position, move) == actions)

    @abc.abstractmethod
    def flip(self, observations: Observations) -> Observations:
        """A batch of observations as the player not to move sees them."""

    def finish(self, observations: Observations, players: NDArray[Any]) -> None:  # noqa: B027
        """Adjusts the last observations of finished games, as `players` see them, in place."""

    def board(self, column: Sequence[int]) -> Board:
        return GAMES[self.game].board(self.decode_position(column))

    def reason(self, column: Sequence[int]) -> str:
        """Why the game in this column ended."""
        outcome = GAMES[self.game].outcome(self.decode_position(column))
        return outcome.reason if outcome else Reason.REPETITION


def find_encoding(game: Any) -> Encoding:
    adapter = layer(game, "envs") if isinstance(game, str) and game in GAMES else None
    if adapter is None:
        raise UnknownOption(f"there is no game {game!r}; there are {', '.join(games())}")
    return cast("Encoding", adapter.ENCODING)


def games() -> tuple[str, ...]:
    """The games that have environments."""
    return tuple(game for game in GAMES if layer(game, "envs"))
