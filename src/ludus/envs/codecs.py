"""Positions as observations, moves as actions and records as trajectories, both ways.

A codec belongs to one encoding, so to one version of a game's environments: its observations, masks and actions are
those of `batch(NAME, ...)`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import IllegalAction, MalformedAction, MalformedObservation, UnknownOption
from ludus.core.game import Game
from ludus.core.kernel import compiled
from ludus.core.rules import Turn
from ludus.envs.batched import driver
from ludus.envs.batched.cpu import new_scratch
from ludus.envs.batched.driver import HEADER
from ludus.envs.batched.functions import View
from ludus.envs.encoding import Encoding
from ludus.envs.options import find_version
from ludus.envs.simulator import Simulator
from ludus.envs.trajectory import Trajectory
from ludus.games import GAMES

Array = NDArray[Any]


class Actions(NamedTuple):
    """The actions of many moves: those of move `i` are `action[offsets[i]:offsets[i + 1]]`."""

    action: Array
    offsets: Array


class Seen(NamedTuple):
    """A decision of a record: what the player saw, and the action. The arrays are overwritten by the next one."""

    observation: Array
    action_mask: Array
    action: int
    to_play: int


def codec(game: str, variant: str = "standard", **choices: Any) -> Codec:
    """The codec for a game, whose variant and options decide on the encoding, or for one version of it, by name."""
    return Codec(find_version(game, variant, choices)[0])


class Codec:
    """Converts positions, moves and records of one encoding. Not thread-safe."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.rules = GAMES[encoding.game]
        self._position = type(self.rules.start("standard"))
        self._simulator = Simulator(encoding)

    @property
    def name(self) -> str:
        return self.encoding.name

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of one observation."""
        return self.encoding.shape

    @property
    def num_actions(self) -> int:
        return self.encoding.num_actions

    def encode_position(self, position: Any, played: Sequence[int] = (), past: Sequence[Any] = ()) -> View[Any]:
        """What the player to act sees and may do, after the actions of this turn that were already `played`.

        `past` are the earlier positions of the game, oldest first, for observations that show repetitions.
        """
        self._set_up(self._simulator, self._read(position), [self._read(earlier) for earlier in past])
        for number, action in enumerate(played):
            if self._simulator.finishes_move(self._checked(action, f"action {number}")):
                raise IllegalAction(f"action {number} ends the turn")
        observation, mask = self._simulator.seen
        return View(observation.copy(), mask.copy(), self._simulator.player)

    def encode_positions(self, positions: Iterable[Any]) -> View[Any]:
        """A row for each position."""
        views = [self.encode_position(position) for position in positions]
        return View(
            np.array([view.observation for view in views], np.int8).reshape(-1, *self.shape),
            np.array([view.action_mask for view in views], np.int8).reshape(-1, self.num_actions),
            np.array([view.to_play for view in views], np.int8),
        )

    def decode_observation(self, observation: Any, to_play: int) -> Any:
        """The position that the player to act sees; in mid-turn it has no dice, and what was played is on the board.

        Raises for an observation that no position has.
        """
        return self.decode_observations(np.asarray(observation)[None], np.array([to_play]))[0]

    def decode_observations(self, observations: Any, to_play: Any) -> list[Any]:
        observations, players = np.asarray(observations), np.asarray(to_play)
        self._check_observations(observations, players)
        observations, players = observations.astype(np.int8, copy=False), players.astype(np.int8, copy=False)
        columns = self.encoding.decode_observations(observations, players)
        self._check_columns(columns, observations)
        positions = [self.encoding.decode_position(column) for column in columns.tolist()]
        for row, position in enumerate(positions):
            if not getattr(position, "is_sound", True):
                raise MalformedObservation(f"row {row}: no position of {self.encoding.game} has these pieces")
        return positions

    def encode_move(self, position: Any, move: Any) -> list[int]:
        """The actions that make up a legal move, given as a value or in the game's notation."""
        position = self._read(position)
        if isinstance(move, str):
            move = self.rules.notation.read_move(position, move)
        self.rules.play(position, move)
        return self.encoding.encode_move(position, move)

    def encode_moves(self, positions: Iterable[Any], moves: Iterable[Any]) -> Actions:
        pairs = _paired(positions, moves)
        found = [self.encode_move(position, move) for position, move in pairs]
        offsets = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return Actions(np.array([action for actions in found for action in actions], np.int64), offsets)

    def decode_move(self, position: Any, actions: Sequence[int]) -> Any:
        """The move that these actions make up; they must finish it."""
        position = self._read(position)
        self._set_up(self._simulator, position)
        played: list[int] = []
        for number, action in enumerate(actions):
            played.append(self._checked(action, f"action {number}"))
            if self._simulator.finishes_move(played[-1]):
                if number + 1 < len(actions):
                    raise IllegalAction(f"action {number} ends the turn")
                return self.encoding.decode_move(self.rules, position, played)
        raise IllegalAction("the move needs more actions")

    def decode_moves(self, positions: Iterable[Any], actions: Any, offsets: Any) -> list[Any]:
        actions, ends = np.asarray(actions), np.asarray(offsets)
        is_row = ends.ndim == 1 and len(ends) > 0 and ends.dtype.kind in "iu"
        if not is_row or ends[0] != 0 or ends[-1] != len(actions) or (ends[1:] < ends[:-1]).any():
            raise MalformedAction(f"the offsets don't divide {len(actions)} actions into moves")
        parts = [actions[start:end] for start, end in pairwise(ends.tolist())]
        return [self.decode_move(position, part) for position, part in _paired(positions, parts)]

    def trajectory(self, game: Game[Any, Any]) -> Trajectory:
        """What the players of a game saw and did, a row per action. Observations show rolls, but not resignations."""
        rows = [(*(array.copy() for array in seen[:2]), *seen[2:]) for seen in self.replay(game)]
        observation, mask, action, to_play = zip(*rows, strict=True) if rows else ((), (), (), ())
        players = np.array(to_play, np.int8)
        return Trajectory(
            np.array(observation, np.int8).reshape(-1, *self.shape),
            np.array(mask, np.int8).reshape(-1, self.num_actions),
            np.array(action, np.int16),
            players,
            self.points(game) * (1 - 2 * players.astype(np.int16)),
            game.outcome is not None,
        )

    def points(self, game: Game[Any, Any]) -> int:
        """What a game was worth to the first player; a match is worth 1, as in the environments."""
        outcome = game.outcome
        if outcome is None or outcome.winner is None:
            return 0
        worth = outcome.points if self.rules.score(game.position) is None else 1
        return worth * (1 - 2 * outcome.winner)

    def replay(self, game: Game[Any, Any]) -> Iterator[Seen]:
        """The decisions of a game in order."""
        self._check_game(game)
        simulator, is_set_up = Simulator(self.encoding), False
        for number in range(game.length):
            position, move = game.position_at(number), game.move_at(number)
            actions = [] if self.rules.chances(position) else self.encoding.encode_move(position, move)
            if actions and (not is_set_up or simulator.position() != position):
                self._set_up(simulator, position)
                is_set_up = True
            for action in actions:
                yield Seen(*simulator.seen, action, simulator.player)
                simulator.step(action)

    def game(self, action: Any, observation: Any = None, to_play: Any = None, *, start: Any = None) -> Game[Any, Any]:
        """The record of a trajectory. Without `start` it begins as the first observation shows, or as usual.

        Dice are read from the observations, so a game with dice needs them. An unfinished last move is left out.
        """
        actions = np.asarray(action)
        if actions.ndim != 1 or (len(actions) and actions.dtype.kind not in "iu"):
            raise MalformedAction(f"actions must be a row of integers, not {actions.dtype} of shape {actions.shape}")
        seen = self._decoded(observation, to_play, len(actions))
        if start is not None:
            start = self._read(start)
        else:
            start = self.encoding.start_of(seen[0]) if seen else self.rules.start("standard")
        game, played = Game(self.rules, start=start), list[int]()
        for row in range(len(actions)):
            if not played:
                game.play_on()
                self._roll(game, seen[row] if seen else None, row)
                self._set_up(self._simulator, game.position)
            played.append(self._checked(actions[row], f"row {row}"))
            if self._simulator.finishes_move(played[-1]):
                game.play(self.encoding.decode_move(self.rules, game.position, played))
                played.clear()
        return game

    def _decoded(self, observation: Any, to_play: Any, rows: int) -> list[Any]:
        if observation is None:
            return []
        if to_play is None:
            raise UnknownOption("observations need `to_play`: most don't show whose they are")
        if len(observation) != rows:
            raise MalformedObservation(f"{len(observation)} observations don't go with {rows} actions")
        return self.decode_observations(observation, to_play)

    def _roll(self, game: Game[Any, Any], seen: Any, row: int) -> None:
        """Makes the roll that the next observation shows, if the dice come next."""
        if game.turn is Turn.DICE:
            if seen is None:
                raise MalformedObservation(f"row {row}: the dice are only in the observations, and there are none")
            target = self.encoding.encode_position(seen)
            rolls = self.rules.moves(game.position)
            after = (self.encoding.encode_position(self.rules.play(game.position, roll)) for roll in rolls)
            rolled = next((roll for roll, words in zip(rolls, after, strict=True) if words == target), None)
            if rolled is None:
                problem = (
                    "does not follow from the row before" if row else "is in mid-turn, or not where the game starts"
                )
                raise MalformedObservation(f"row {row} {problem}")
            game.play(rolled)

    def _read(self, position: Any) -> Any:
        if isinstance(position, str):
            return self.rules.notation.read_position(position)
        if not isinstance(position, self._position):
            raise UnknownOption(f"a position of {self.encoding.game} is text or a value, not {type(position).__name__}")
        return position

    def _check_game(self, game: Any) -> None:
        found = game.rules.name if isinstance(game, Game) else type(game).__name__
        if found != self.encoding.game:
            raise UnknownOption(f"a record of {self.encoding.game} is expected, not of {found}")

    def _set_up(self, simulator: Simulator, position: Any, past: Sequence[Any] = ()) -> None:
        if self.rules.turn(position).player is None:
            raise UnknownOption("nobody can act in this position: the game is over, or the dice come first")
        self.encoding.check_shown(position)
        simulator.set_position(position, past)

    def _checked(self, action: Any, place: str) -> int:
        try:
            number = operator.index(action)
        except TypeError:
            raise MalformedAction(f"{place}: an action is an integer, not {type(action).__name__}") from None
        if not 0 <= number < self.num_actions or not self._simulator.is_legal(number):
            raise IllegalAction(f"{place}: {number} is not legal")
        return number

    def _check_columns(self, columns: NDArray[np.int64], observations: Array) -> None:
        """Raises if the entries of an observation contradict each other: then its column has another observation."""
        kernel = self.encoding.kernel
        rows = np.zeros((len(columns), HEADER + kernel.WORDS), np.int64)
        rows[:, HEADER:] = columns
        words = np.zeros((len(rows), kernel.OBSERVATION_WORDS), np.int64)
        mask, to_play = np.zeros((len(rows), kernel.MASK_WORDS), np.int64), np.zeros(len(rows), np.int8)
        compiled(driver, kernel).observe_rows(rows, new_scratch(kernel), driver.BYTES, (words, mask, to_play))
        seen = words.view(np.int8)[:, : self.encoding.high.size].reshape(-1, *self.shape)
        wrong = np.flatnonzero((seen != observations).any(axis=tuple(range(1, seen.ndim))))
        if len(wrong):
            raise MalformedObservation(f"row {wrong[0]}: the entries of the observation contradict each other")

    def _check_observations(self, observations: Array, players: Array) -> None:
        if observations.shape[1:] != self.shape or observations.dtype.kind not in "iu":
            raise MalformedObservation(
                f"observations of {self.name} are rows of integers of shape {self.shape}, "
                f"not {observations.dtype} {observations.shape}"
            )
        if (observations < 0).any() or (observations > self.encoding.high).any():
            raise MalformedObservation("an observation has an entry that is less than 0 or too great")
        if players.shape != observations.shape[:1] or not np.isin(players, (0, 1)).all():
            raise MalformedObservation("`to_play` is 0 or 1 for each observation")


def _paired(positions: Iterable[Any], moves: Iterable[Any]) -> list[tuple[Any, Any]]:
    positions, moves = list(positions), list(moves)
    if len(positions) != len(moves):
        raise UnknownOption(f"there are {len(positions)} positions for {len(moves)} moves")
    return list(zip(positions, moves, strict=True))
