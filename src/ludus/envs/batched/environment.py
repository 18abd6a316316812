"""What batched environments share on every device: options, arrays and their meaning."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, NamedTuple, Self, TypedDict, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedAction, MalformedPosition, UnknownOption
from ludus.core.kernel import compiled
from ludus.envs import sampling
from ludus.envs.batched import driver, streams
from ludus.envs.batched.afterstates import Afterstates
from ludus.envs.batched.states import StateFormat
from ludus.envs.encoding import Encoding
from ludus.envs.options import check_choice, check_integer, check_seed, find_version, read_position

LAYOUTS: Mapping[str, int] = MappingProxyType({"bytes": driver.BYTES, "packed": driver.PACKED})
SCORINGS = ("win", "points")
ACTION = np.dtype(np.int64)
MASKS = ("bool", "int8", "uint8")
"""The types of a mask of games."""

Array = TypeVar("Array")
"""NumPy's on a CPU, Numba's device array on a GPU."""


class Options(TypedDict, total=False):
    """The keyword arguments of `Batch`."""

    seed: int | None
    layout: str
    scoring: str
    max_steps: int | None
    variant: str
    match_length: int | None
    cube: bool | None
    jacoby: bool | None
    beavers: bool | None


class Step(NamedTuple, Generic[Array]):
    """One row per game. The arrays belong to the environment, and the next step overwrites them.

    `reward` is that of the player who acted. A game that ended has been reset: observation, mask and `to_play` are
    those of its successor.
    """

    observation: Array
    action_mask: Array
    reward: Array
    terminated: Array
    truncated: Array
    to_play: Array


class FinalStep(NamedTuple, Generic[Array]):
    """The games that ended in the last step, and how they looked then.

    `which` has an entry for each game of the batch, the other arrays a row for each that ended. One that was won or
    drawn has no legal actions.
    """

    which: Any
    observation: Array
    action_mask: Array
    to_play: Array


class Totals(NamedTuple):
    steps: int
    first_wins: int
    second_wins: int
    draws: int
    truncated: int

    @property
    def games(self) -> int:
        return self.first_wins + self.second_wins + self.draws + self.truncated


class Environment(Generic[Array]):
    """A game, the options of its environment, and what follows from them."""

    device: ClassVar[str]
    _threads: int = 1
    """The host's threads, if the work is done there."""

    def __init__(
        self,
        game: str,
        *,
        layout: str = "bytes",
        scoring: str = "win",
        max_steps: int | None = None,
        variant: str = "standard",
        **choices: Any,
    ) -> None:
        """`scoring` pays 1 for a win, or its points. `max_steps` truncates games; None and 0 mean no limit.

        `choices` are options of the game's rules; `game` may also name one version of its environments.
        """
        encoding, variant = find_version(game, variant, choices)
        check_choice("layout", layout, LAYOUTS)
        check_choice("scoring", scoring, SCORINGS)
        self.game = encoding.game
        self.layout = layout
        self.variant = variant
        self._version = game
        self.num_actions = encoding.num_actions
        self._encoding = encoding
        self._kernel = encoding.kernel
        self._format = self._state_format(encoding)
        self._initial = np.array(encoding.initial_state(variant), np.int64)
        self._layout = LAYOUTS[layout]
        self._scored = scoring == "points"
        self._limit = check_integer("max_steps", max_steps or 0, 0)

    def _state_format(self, encoding: Encoding) -> StateFormat:
        return StateFormat(encoding)

    @property
    def state_words(self) -> int:
        """Integers in the state of one game."""
        return self._format.words

    @property
    def has_dice(self) -> bool:
        return getattr(self._kernel, "MOST_ROLLS", 1) > 1

    def _check_dice(self) -> None:
        if not self.has_dice:
            raise UnknownOption(f"{self.game} has no dice")

    def _options(self) -> dict[str, Any]:
        """The options for making another environment of this kind."""
        scoring = SCORINGS[self._scored]
        return {"layout": self.layout, "scoring": scoring, "max_steps": self._limit, "variant": self.variant}

    def _positions(self, rows: NDArray[np.int64]) -> list[Any]:
        try:
            return [self._encoding.decode_position(column.tolist()) for column in rows[:, self._format.column]]
        except ValueError:  # a LudusError is one too
            raise self._format.broken() from None

    def _placed(self, rows: NDArray[np.int64], positions: Any) -> NDArray[np.int64]:
        """States of new games from these positions, with the random numbers of the rows."""
        set_position, new, form = compiled(self._kernel).set_position, rows.copy(), self._format
        state = np.zeros((self._kernel.WORDS, 1), np.int64)
        history = np.zeros(self._kernel.HISTORY + 1, np.int64)
        for row, words in zip(new, self._read_positions(positions, len(rows)), strict=True):
            state[:, 0] = row[form.column]
            set_position(state, 0, history, 0, *words)
            row[driver.OUTCOME], row[form.column], row[form.history] = 0, state[:, 0], history[:-1]
        return new

    def _read_positions(self, positions: Any, number: int, is_optional: bool = False) -> list[Any]:
        """The words that the kernel takes, for each game; None stays None if that is allowed."""
        if isinstance(positions, np.ndarray) and positions.dtype.kind in "UO":  # texts, as `rng.choice` returns them
            positions = positions.tolist()
        if isinstance(positions, np.ndarray):
            positions = [decode_words(self._encoding, words) for words in np.atleast_2d(positions).tolist()]
            positions = positions * number if len(positions) == 1 else positions
        elif isinstance(positions, list | tuple) and not hasattr(positions, "_fields"):
            positions = list(positions)
        else:
            positions = [positions] * number
        if len(positions) != number:
            raise UnknownOption(f"there are {len(positions)} positions for {number} games")
        distinct = {id(one): one for one in positions if one is not None or not is_optional}
        encode = self._encoding.encode_position
        words = {key: encode(read_position(self._encoding, one)) for key, one in distinct.items()}
        return [words.get(id(one)) for one in positions]

    def _shaped(self, observation: Any, mask: Any) -> tuple[Any, Any]:
        """The arrays of words as users see them: bytes in the game's shape, or bit sets as they are."""
        if self.layout == "packed":
            return observation, mask
        shape, seen, legal = self._encoding.shape, observation.view(np.int8), mask.view(np.int8)
        seen = seen.reshape(len(seen), *shape) if len(shape) > 1 else self._trimmed(seen, shape[0])
        return seen, self._trimmed(legal, self.num_actions)

    def _trimmed(self, rows: Any, width: int) -> Any:
        """The rows without the padding at their ends."""
        return rows[:, :width]

    @property
    def _widths(self) -> tuple[int, int]:
        """Words in a row of the observation and of the mask."""
        kernel = self._kernel
        if self.layout == "packed":
            return kernel.PACKED_OBSERVATION, kernel.PACKED_MASK
        return kernel.OBSERVATION_WORDS, kernel.MASK_WORDS


class Batch(abc.ABC, Environment[Array]):
    """Many games stepped together; made by `ludus.envs.batch`."""

    def __init__(self, game: str, num_envs: int, *, seed: int | None = 0, **options: Any) -> None:
        """With `seed=None` every batch is different. The other options are those of `Environment`."""
        super().__init__(game, **options)
        self.num_envs = check_integer("num_envs", num_envs, 1, 1 << 28)
        seed = check_seed(seed)
        self._allocate()
        self.observation, self.action_mask, self.reward, self.terminated, self.truncated, self.to_play = self._views
        self.reset(seed=seed)

    @abc.abstractmethod
    def _allocate(self) -> None:
        """Creates the arrays, and `_views`, their public form."""

    _views: Step[Array]

    @abc.abstractmethod
    def reset(self, *, seed: int | None = None, where: Any = None) -> Step[Array]:
        """Starts games over, all or those of `where`, a mask or indices.

        Without a seed their random numbers continue. With one, game `i` gets those of game `i` in a batch of that seed.
        """

    @abc.abstractmethod
    def step(self, actions: Any = None) -> Step[Array]:
        """Plays one action in each game, random ones for None."""

    @overload
    def sample(
        self,
        logits: Any = None,
        *,
        temperature: float = 1.0,
        stream: int = 0,
        log_probs: Literal[False] = False,
        check: bool = True,
    ) -> Array: ...

    @overload
    def sample(
        self,
        logits: Any = None,
        *,
        temperature: float = 1.0,
        stream: int = 0,
        log_probs: Literal[True],
        check: bool = True,
    ) -> sampling.Sample: ...

    def sample(
        self,
        logits: Any = None,
        *,
        temperature: float = 1.0,
        stream: int = 0,
        log_probs: bool = False,
        check: bool = True,
    ) -> Any:
        """A legal action for each game, from the softmax of its logits or, without logits, uniformly.

        A function of the games: a second call gives the same actions, and another `stream` gives independent ones.
        Without logits, stream 0 has the actions that `step()` plays. The next call overwrites the arrays. With
        `log_probs` it returns a `Sample`; see `ludus.envs.sampling.sample` for the rest.
        """
        return sampling.sample_batch(self, logits, temperature, stream, log_probs, check)

    @cached_property
    def _samples(self) -> sampling.Sample:
        return sampling.new_samples(self.to_play, self.num_envs)

    @abc.abstractmethod
    def afterstates(self) -> Afterstates[Array]:
        """All whole moves of each game, and the states they lead to before the dice are rolled again."""

    @abc.abstractmethod
    def step_afterstates(self, chosen: Any) -> Step[Array]:
        """Plays a whole move in each game, by its number among those that `afterstates` has listed."""

    @abc.abstractmethod
    def save(self, where: Any = None) -> Array:
        """The states of all games or of those of `where`, a row each, in an array of its own on the same device."""

    @abc.abstractmethod
    def restore(self, states: Any, where: Any = None) -> Step[Array]:
        """Continues from saved states, in all games or in those of `where`, a mask or indices."""

    def set_dice(self, dice: Any, where: Any = None) -> Step[Array]:
        """Gives these dice, a pair for each game or one for all, to games at the start of a turn."""
        self._check_dice()
        games = read_where(where, self.num_envs)
        return self.restore(self._with_dice(self.save(games), dice), games)

    @abc.abstractmethod
    def _with_dice(self, rows: Array, dice: Any) -> Array:
        """The same states with these dice."""

    def set_positions(self, positions: Any, where: Any = None) -> Step[Array]:
        """Starts new games from given positions, in all places or in those of `where`, a mask or indices.

        A position is text in the game's notation, a value of the rules, or the words of `Encoding.encode_position`, one
        for all games or one for each. The random numbers continue, and dice that a position doesn't have are rolled.
        """
        games = read_where(where, self.num_envs)
        return self.restore(self._placed(as_host_array(self.save(games)), positions), games)

    def positions(self, where: Any = None) -> list[Any]:
        """The positions of all games or of those of `where`, as values of the rules."""
        return self._positions(as_host_array(self.save(where)))

    @property
    @abc.abstractmethod
    def final(self) -> FinalStep[Array]:
        """The games that ended in the last step, as their last action left them; in new arrays."""

    def take(self, indices: Any) -> Self:
        """A new batch of these games, in this order; a game may be in it several times.

        A copy has the same random numbers to come as its original, until `reset` gives it a seed.
        """
        games = read_indices(indices, self.num_envs)
        if not len(games):
            raise UnknownOption("a batch has at least one game")
        taken = type(self)(self._version, len(games), **self._options_of(games))
        self._copy_to(taken, games)
        return taken

    def _options_of(self, games: NDArray[np.int64]) -> dict[str, Any]:
        """The options of a batch with these games."""
        return self._options()

    def clone(self) -> Self:
        """An independent copy with the same random numbers to come."""
        return self.take(np.arange(self.num_envs))

    def __reduce__(self) -> Any:
        """Rebuilds a copy from options and arrays: compiled functions and threads can't be copied."""
        options = self._options_of(np.arange(self.num_envs))
        return rebuild, (type(self), self._version, self.num_envs, options, self._format.tag, self._contents())

    @abc.abstractmethod
    def _contents(self) -> dict[str, Any]:
        """Everything that a copy needs, on the host."""

    @abc.abstractmethod
    def _fill(self, contents: Mapping[str, Any]) -> None:
        """Takes over the contents of another batch of the same kind and size."""

    @abc.abstractmethod
    def _copy_to(self, other: Self, games: NDArray[np.int64]) -> None:
        """Makes a batch of these games of another one of the same kind."""

    @abc.abstractmethod
    def _rollout(self, steps: int) -> Totals:
        """Plays at random."""

    def rollout(self, policy: Callable[[Step[Array]], Any] | None = None, *, steps: int) -> Totals:
        """Plays many steps: at random in one call, or by a policy called with each step's arrays."""
        steps = check_integer("steps", steps, 0)
        if policy is None:
            return self._rollout(steps)
        counts = np.zeros(4, np.int64)
        for _ in range(steps):
            movers = self._host(self.to_play).copy()
            actions = policy(self._views)
            if actions is None:  # which `step` takes for random play
                raise MalformedAction("the policy returned None instead of a row of actions")
            self.step(actions)
            ended, reward = self._host(self.terminated) != 0, self._host(self.reward)
            winners = np.where(reward[ended] == 0, 2, np.where(reward[ended] > 0, movers[ended], 1 - movers[ended]))
            counts += np.bincount(winners, minlength=4)
            counts[3] += np.count_nonzero(self._host(self.truncated))
        return Totals(steps * self.num_envs, *counts.tolist())

    def _host(self, array: Any) -> Any:
        return np.asarray(array)

    def _initial_state(self, seed: int | None, old: Any) -> Any:
        """The columns of all games before their first move; without a seed their random numbers continue."""
        kernel = self._kernel
        columns = np.zeros((self.num_envs, padded(kernel.WORDS)), np.int64)
        columns[:, : kernel.WORDS] = self._initial
        if seed is not None:
            columns[:, kernel.KEY] = keys(seed, self.num_envs)
        else:
            for row in kernel.RNG:
                columns[:, row] = old[row]
        return columns.T


def rebuild(kind: Any, game: str, num_envs: int, options: Any, tag: int, contents: Any) -> Any:
    """A batch from its pickle."""
    copy = kind(game, num_envs, **options)
    if tag != copy._format.tag:
        raise copy._format.foreign(tag)
    copy._fill(contents)
    return copy


def padded(words: int) -> int:
    """The number of words, rounded up to whole cache lines, so that games don't share any."""
    return -(-words // 16) * 16


def keys(seed: int, number: int) -> Any:
    """The games' random keys; only the low 63 bits of the seed count."""
    return streams.key_of(check_seed(seed), np.arange(number))  # type: ignore[arg-type]  # works on arrays


def as_array(actions: Any) -> NDArray[Any]:
    try:
        return np.asarray(actions)
    except (TypeError, ValueError):
        raise MalformedAction("actions must be a row of integers") from None


def as_actions(actions: Any, num_envs: int) -> NDArray[np.int64]:
    """A row of integers of any kind, as compiled code takes it: a copy if it can't be written to or has gaps."""
    found = as_array(actions)
    if not (found.dtype == ACTION and found.shape == (num_envs,)):  # these two are checked sooner than all kinds
        check_actions(found, num_envs)
    return found if found.dtype == ACTION and found.flags.carray else np.array(found, ACTION, order="C")


def check_actions(actions: Any, num_envs: int) -> None:
    """Accepts a row of integers in any library's array."""
    shape, kind = tuple(getattr(actions, "shape", ())), name_of(getattr(actions, "dtype", type(actions).__name__))
    if shape != (num_envs,) or "int" not in kind:
        raise MalformedAction(f"actions must be a row of {num_envs} integers, not {kind} of shape {shape}")


@cache
def name_of(kind: Any) -> str:
    """The name of a number type, cached: NumPy takes longer to make it than a check of legal actions takes."""
    return str(kind)


def decode_words(encoding: Encoding, words: Any) -> Any:
    """The position of these words, if they are exactly the words that the encoding has for it."""
    try:
        position = encoding.decode_words(words)
        is_good = list(encoding.encode_position(position)) == words
    except (TypeError, ValueError):  # a LudusError is one too
        is_good = False
    if not is_good:
        raise MalformedPosition(f"these words are not a position of {encoding.name}")
    return position


def read_dice(dice: Any, number: int) -> NDArray[np.int64]:
    """Reads dice: a pair for each game, or one for all."""
    found = as_host_array(dice)
    if found.shape not in ((2,), (number, 2)) or found.dtype.kind not in "iu":
        raise UnknownOption(f"dice are a pair of integers, or a pair for each of {number} games")
    return np.array(np.broadcast_to(found, (number, 2)), np.int64)


def read_indices(indices: Any, number: int) -> NDArray[np.int64]:
    """Games by their numbers, or by a mask with an entry for each: booleans, or 8-bit integers as a GPU has them."""
    found = as_host_array(indices)
    if found.shape == (number,) and found.dtype.name in MASKS:
        if found.dtype != np.bool_ and not np.isin(found, (0, 1)).all():
            raise UnknownOption(
                f"{number} 8-bit integers are a mask of 0s and 1s; numbers of games need wider integers"
            )
        return np.flatnonzero(found)
    is_row_of_numbers = found.ndim == 1 and (found.dtype.kind in "iu" or not found.size)
    if not is_row_of_numbers or (found.size and not 0 <= found.min() <= found.max() < number):
        raise UnknownOption(f"games are chosen by a mask of {number} booleans or by numbers from 0 to {number - 1}")
    return found.astype(np.int64)


def read_where(where: Any, number: int) -> NDArray[np.int64]:
    """Like `read_indices`, each game once; all for None."""
    if where is None:
        return np.arange(number)
    games = read_indices(where, number)
    if len(np.unique(games)) < len(games):
        raise UnknownOption("a game is chosen twice; a mask must be of booleans")
    return games


def as_host_array(values: Any) -> NDArray[Any]:
    """A NumPy array of what any library's array holds."""
    if hasattr(values, "copy_to_host"):
        from ludus.core.cuda import to_host  # where there are such arrays, it can be imported

        values = to_host(values)
    elif hasattr(values, "cpu"):  # a tensor of torch
        values = values.cpu()
    try:
        return np.asarray(values)
    except (TypeError, ValueError):
        raise UnknownOption(f"this {type(values).__name__} is not an array of numbers") from None
