"""What a game must provide to have environments: an `Encoding` and a kernel.

A game's adapter is `ludus.envs.NAME`, or the `envs` module of a third-party package. It has an instance of `Encoding`
as `ENCODING`, and needs neither PettingZoo nor Gymnasium. Where the encoding of some variants differs, `VERSIONS` maps
names such as `NAME_v0` and `NAME_v1` to all encodings; the first one that plays a variant is used for it.

A kernel is a module of plain functions over integers, compiled for CPUs and GPUs by `ludus.core.kernel`. It may import
functions from other such modules (`ludus.core.bits`, `ludus.envs.batched.streams`), and nothing else. A game is column
`i` of the integer array `state`, always seen by the player to move; its history starts at `history[at]`. A game that
has ended keeps its last position until `reset`.

| constant | |
|---|---|
| `WORDS` | the rows of `state`: integers in a game |
| `PLAYER`, `LENGTH` | the rows with the player to move (0 or 1) and the number of actions in this game |
| `KEY`, `STEPS` | the rows with the key of the random numbers and the number of actions in all games of this column |
| `RNG` | the rows that survive a reset without a seed: `KEY`, `STEPS` and other counters of random numbers |
| `HISTORY` | words of history a game needs; 0 for none |
| `LATEST` | optional, for faster steps: the row with the place of the latest word in the history |
| `BOUNDS` | optional: rows that index arrays, each with its greatest value, for `restore` to check |
| `WAITING` | only with dice: a row, and the bit in it that is set while the game waits for them |
| `ACTIONS` | the number of actions |
| `MOST_ROLLS` | the number of rolls that chance chooses from; 1 in a game without chance |
| `OBSERVATION_WORDS`, `MASK_WORDS` | the length of a row that `write_bytes` fills, in words of eight bytes |
| `PACKED_OBSERVATION`, `PACKED_MASK` | the words that `write_packed` fills, 16 at most |
| `COMPACT` | the words that `write_compact` fills; those of the mask start at `PACKED_OBSERVATION` |

| function | |
|---|---|
| `reset(state, i)` | starts a game; rows that `Encoding.initial_state` filled still hold their values |
| `set_position(state, i, history, at, *words)` | starts a game from the words of `Encoding.encode_position` |
| `is_legal(state, i, action)` | for any integer |
| `write_legal(state, i, sets, at)` | optional, for faster draws: the legal actions as sets of 64, from this index on |
| `list_legal(state, i, listed, ids, at)` | with it: the same as a list of bytes, in order; returns where it ends |
| `listed_action(number)` | what `listed` has for the numbers below `LISTED`, for `list_members` of `ludus.core.bits` |
| `sample_action(state, i)` | a random legal action, a function of the key and `STEPS` |
| `apply_action(state, i, history, at, action)` | plays a legal action: 0 game continues, 1 mover wins, 2 draw |
| `points(state, i)` | what the game just won is worth to the player who acted; negative if the action lost it |
| `count_rolls(state, i)` | how many rolls chance chose from before this action, 1 if it didn't choose |
| `roll_weight(state, i, number)` | how often a roll occurs, in proportion to the others |
| `set_roll(state, i, number)` | replaces the roll, if there are several |
| `find_roll(state, i, one, two)` | the number of the roll with these dice, -1 if it can't be set; only with dice |
| `write_bytes(state, i, observation, mask, row)` | writes a row of both arrays, a byte an entry, eight to a word |
| `write_packed(state, i, observation, at, mask, mask_at)` | writes bit sets, from these indices on |
| `write_compact(state, i, out, at)` | writes what a GPU makes the bytes from, with the next two |
| `observation_word(compact, at, word)` | a word of the observation; `compact` is an array of bytes here |
| `mask_word(compact, at, word)` | a word of the mask; its compact bytes start at `at` |
| `recall(state, i, history, at)` | only with `Encoding.encode_history`: updates the column to its history |
"""

from __future__ import annotations

import abc
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from ludus.core.board import Board
from ludus.core.errors import UnknownOption
from ludus.core.rules import Reason
from ludus.games import GAMES, layer

Observations = NDArray[np.int8]


class Encoding(abc.ABC):
    """Translates between one game's rules and its kernel: positions, moves and observations."""

    game: ClassVar[str]
    kernel: ClassVar[Any]
    """The module with the game's compiled functions."""
    high: ClassVar[Observations]
    """The greatest value of each entry of an observation; the least is 0.

    With more than one dimension it must fill `OBSERVATION_WORDS` exactly; a vector may be padded.
    """

    aec_envs: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """PettingZoo ids (without `ludus/`) and entry points; without any, the game is registered as `NAME-v0`."""

    reward: ClassVar[Any] = np.int8
    """The type of a batch's rewards."""

    @property
    def gym_id(self) -> str:
        """Gymnasium's id, without `ludus/`. Gymnasium calls a version obsolete once there is a higher one."""
        return f"{self.game.capitalize()}-v0"

    @property
    def name(self) -> str:
        """The name that policies for these observations and actions give their game."""
        return self.game

    def plays(self, variant: str) -> bool:
        """Whether this encoding has room for everything that the variant's rules need."""
        return True

    @property
    def shape(self) -> tuple[int, ...]:
        return self.high.shape

    @property
    def num_actions(self) -> int:
        return int(self.kernel.ACTIONS)

    def packed_actions(self) -> NDArray[np.int64]:
        """The action that each bit of a packed mask stands for, word by word; -1 for a bit that is never set."""
        bits = np.arange(self.kernel.PACKED_MASK * 64)
        return np.where(bits < self.num_actions, bits, -1)

    def initial_state(self, variant: str) -> Sequence[int]:
        """The words of a column before its first `reset`; the key is set afterwards."""
        return [0] * self.kernel.WORDS

    @abc.abstractmethod
    def encode_position(self, position: Any) -> Sequence[int]:
        """The words that the kernel's `set_position` takes; raises `UnknownOption` if no game can start from there."""

    def decode_words(self, words: Sequence[int]) -> Any:
        """The position of the words of `encode_position`."""
        raise UnknownOption(f"{self.name} can't read positions as words")

    def shows(self, position: Any) -> bool:
        """Whether an observation holds all that matters in the position; `encode_position` refuses other positions."""
        return True

    def check_shown(self, position: Any) -> None:
        if not self.shows(position):
            others = [name for name, other in versions(self.game).items() if other.shows(position)]
            raise UnknownOption(f"{self.name} does not show all of this position; {', '.join(others)} does")

    @abc.abstractmethod
    def decode_position(self, column: Sequence[int]) -> Any:
        """A column of `state` as a position of the rules."""

    def decode_observations(self, observations: Observations, players: NDArray[Any]) -> NDArray[np.int64]:
        """A row for each observation: its column, with everything that `decode_position` reads; the rest is 0."""
        raise UnknownOption(f"{self.name} can't read observations")

    def start_of(self, position: Any) -> Any:
        """The start of a game whose first decision is in this position: before a roll, if a roll may have led here."""
        return position

    def decode_history(self, column: Sequence[int], history: Sequence[int]) -> tuple[Any, ...]:
        """Earlier positions that can occur again, oldest first."""
        return ()

    def encode_history(self, position: Any, past: Sequence[Any]) -> Sequence[int]:
        """The words of history up to a position, if observations depend on them; then the kernel has `recall`."""
        return ()

    @abc.abstractmethod
    def encode_move(self, position: Any, move: Any) -> list[int]:
        """The actions that make up a move."""

    def decode_move(self, rules: Any, position: Any, actions: list[int]) -> Any:
        """The legal move these actions make up."""
        return next(move for move in rules.moves(position) if self.encode_move(position, move) == actions)

    def write_action(self, position: Any, action: int) -> str:
        """A legal action as text, unique among them; `position` may be in the middle of a move."""
        return str(action)

    def is_same_turn(self, before: Sequence[int], after: Sequence[int]) -> bool:
        """Whether an action that led from one column to the other leaves the move unfinished."""
        return bool(before[self.kernel.PLAYER] == after[self.kernel.PLAYER])

    def forfeit(self, columns: NDArray[Any]) -> Any:
        """The points lost by an illegal action if that loses the game: the most that the game can be worth."""
        return GAMES[self.game].most_points

    @abc.abstractmethod
    def flip(self, observations: Observations) -> Observations:
        """A batch of observations as the player not to move sees them."""

    def finish(self, observations: Observations, players: NDArray[Any]) -> None:  # noqa: B027  # most games need nothing
        """Adjusts the last observations of finished games, as `players` see them, in place."""

    def board(self, column: Sequence[int]) -> Board:
        return GAMES[self.game].board(self.decode_position(column))

    def reason(self, column: Sequence[int]) -> str:
        """Why the game in this column ended."""
        outcome = GAMES[self.game].outcome(self.decode_position(column))
        return outcome.reason if outcome else Reason.REPETITION


def find_encoding(name: Any, variant: str = "standard") -> Encoding:
    """The encoding for a game, whose variant decides, or for one of its versions; `name` may also be an encoding."""
    if isinstance(name, Encoding):
        return name
    if isinstance(name, str):
        if name in GAMES and layer(name, "envs"):
            return next(encoding for encoding in versions(name).values() if encoding.plays(variant))
        for game in games():
            if name in versions(game):
                return versions(game)[name]
    known = (each for game in games() for each in dict.fromkeys((game, *versions(game))))
    raise UnknownOption(f"there is no game {name!r}; there are {', '.join(known)}")


def versions(game: str) -> Mapping[str, Encoding]:
    """A game's encodings by name, the oldest first."""
    adapter = layer(game, "envs")
    found = getattr(adapter, "VERSIONS", None) or {game: cast("Any", adapter).ENCODING}
    return cast("Mapping[str, Encoding]", found)


def games() -> tuple[str, ...]:
    """The games that have environments."""
    return tuple(game for game in GAMES if layer(game, "envs"))
