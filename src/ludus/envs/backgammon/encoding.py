"""Backgammon positions, plays and observations as the kernel has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.core.kernel import compiled
from ludus.core.rules import Player
from ludus.envs.backgammon import kernel
from ludus.envs.encoding import Encoding, Observations
from ludus.envs.simulator import Simulator
from ludus.games import GAMES
from ludus.games.backgammon import kernel as rules_kernel
from ludus.games.backgammon.board import BackgammonBoard
from ludus.games.backgammon.position import (
    BAR,
    OFF,
    VARIANTS,
    CubeAction,
    Men,
    Play,
    Position,
    Resignation,
    Step,
)

OWN, DICE, OTHER, PLAYER = slice(0, 26), slice(26, 32), slice(32, 58), 58
"""The parts of an observation."""


def _high() -> Observations:
    high = np.ones(59, np.int8)
    high[OWN] = high[OTHER] = 15
    high[DICE] = 4
    high.flags.writeable = False
    return high


class BackgammonEncoding(Encoding):
    """An action is a place and a die; the observation has the men on each place, the dice left and the player."""

    game = "backgammon"
    kernel: ClassVar[Any] = kernel
    high: ClassVar[Observations] = _high()
    aec_envs: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"backgammon-v0": "ludus.envs.backgammon_v0:env", "backgammon-v1": "ludus.envs.backgammon_v1:env"}
    )

    def plays(self, variant: str) -> bool:
        return variant in VARIANTS

    def packed_actions(self) -> NDArray[np.int64]:
        """The packed mask has a word for each die and a bit for each place."""
        die, place = np.divmod(np.arange(6 * 64), 64)
        return np.where(place < 26, place * 6 + die, -1)

    def initial_state(self, variant: str) -> Sequence[int]:
        column = [0] * kernel.WORDS
        column[kernel.START : kernel.START + 2] = VARIANTS[variant].white
        return column

    def encode_position(self, position: Position) -> Sequence[int]:
        if position.mover is None:
            raise UnknownOption("the position must say who is on roll")
        self.check_shown(position)
        return *position.own, *position.other, position.mover.value, *(position.dice or (0, 0))

    def decode_words(self, words: Sequence[int]) -> Position:
        return self.decode_position(self._column(words[:7], words[7:]))

    def _column(self, board: Sequence[int], rest: Sequence[int]) -> list[int]:
        """As much of a column as `decode_position` reads; `rest` are words beyond the board's, none here."""
        *men, player, higher, lower = board
        if len(men) != 4 or rest:
            raise UnknownOption(f"a position of {self.name} has other words")
        column = [*men, *[0] * (self.kernel.WORDS - 4)]
        column[kernel.PLAYER] = player
        column[kernel.DICE] = higher | lower << 3 | (4 if higher == lower else 2) << 6 if higher else 0
        return column

    def shows(self, position: Position) -> bool:
        return position.cube is None and position.match is None

    def decode_position(self, column: Sequence[int]) -> Position:
        """A position; it has dice only at the start of a turn, as the rules have no half-played turns."""
        position = _with_dice(column)
        return position if kernel.is_start_of_turn(column[kernel.DICE]) else position._replace(dice=())

    def decode_observations(self, observations: Observations, players: NDArray[Any]) -> NDArray[np.int64]:
        shared = np.flatnonzero((observations[:, OWN] * observations[:, OTHER])[:, 1:25].any(axis=1))
        if len(shared):
            raise MalformedObservation(f"row {shared[0]}: both sides have men on one point")
        columns = np.zeros((len(observations), self.kernel.WORDS), np.int64)
        columns[:, kernel.LOW], columns[:, kernel.HIGH] = _planes(observations[:, OWN])
        columns[:, kernel.OTHER_LOW], columns[:, kernel.OTHER_HIGH] = _planes(_renumber(observations[:, OTHER]))
        columns[:, kernel.DICE] = _dice_word(observations[:, DICE].astype(np.int64))
        columns[:, kernel.PLAYER] = players
        return columns

    def start_of(self, position: Position) -> Position:
        """The position before the opening roll, if the men are in their starting places and the dice differ."""
        layout = next((name for name, variant in VARIANTS.items() if variant[:2] == position[:2]), None)
        if layout is None or len(set(position.dice)) != 2:
            return position
        match = position.match and position.match._replace(layout=layout)
        start = position._replace(mover=None, dice=(), match=match)
        return start if GAMES[self.game].variant_of(start) else position

    def encode_move(self, position: Position, move: Play | Resignation) -> list[int]:
        if isinstance(move, Resignation):
            return []
        if not move.steps:
            return [kernel.PASS]
        dice = list(position.dice * 2 if len(set(position.dice)) == 1 else position.dice)
        actions = []
        for source, target in move.steps:
            die = _die_to_bear_off(position, source, dice) if target == OFF else source - target
            dice.remove(die)
            actions.append((25 - source) * 6 + die - 1)
        return actions

    def decode_move(self, rules: Any, position: Position, actions: list[int]) -> Play | CubeAction:
        """The move of these steps, which may be in another order than the rules list them."""
        pairs = [divmod(action, 6) for action in actions if action != kernel.PASS]
        steps = [Step(25 - place, max(25 - place - die - 1, 0)) for place, die in pairs]
        play: Play = rules.resolve(position, steps)[0]
        return play

    def write_action(self, position: Position, action: int) -> str:
        """A step, such as `13/8`, `bar/20` or, with the die, `4/off(6)`."""
        if action == kernel.PASS:
            return "pass"
        source, die = 25 - action // 6, action % 6 + 1
        target = f"{source - die}" if source > die else f"off({die})"
        return f"{'bar' if source == BAR else source}/{target}"

    def is_same_turn(self, before: Sequence[int], after: Sequence[int]) -> bool:
        """Whether both are of one turn; not after a roll, since a player may get the dice twice in a row."""
        return super().is_same_turn(before, after) and before[kernel.ROLLS] == after[kernel.ROLLS]

    def flip(self, observations: Observations) -> Observations:
        flipped = observations.copy()
        flipped[:, OWN], flipped[:, OTHER] = _renumber(observations[:, OTHER]), _renumber(observations[:, OWN])
        return flipped

    def finish(self, observations: Observations, players: NDArray[Any]) -> None:
        """Removes the dice, and sets the last entry to the agent's own number."""
        observations[:, DICE] = 0
        observations[:, PLAYER] = players

    def board(self, column: Sequence[int]) -> BackgammonBoard:
        """Shows the dice that are left."""
        return BackgammonBoard(_with_dice(column), dice_left(column))


def dice_left(column: Sequence[int]) -> tuple[int, ...]:
    """The dice still to be played, the highest first."""
    left = kernel.dice_left(column[kernel.DICE])
    return tuple(die for die in range(6, 0, -1) for _ in range(left >> 8 * (die - 1) & 255))


def _with_dice(column: Sequence[int]) -> Position:
    own, other = Men(*column[:2]), Men(*column[2:4])
    player, dice = Player(column[kernel.PLAYER]), column[kernel.DICE]
    white, black = (own, other) if player is Player.FIRST else (other, own)
    return Position(white, black, player, (dice & 7, dice >> 3 & 7 or dice & 7))


def _die_to_bear_off(position: Position, source: int, dice: list[int]) -> int:
    """The die to bear off with; if both would do, the higher one if a legal play starts with it."""
    if len(set(dice)) == 1:
        return dice[0]
    highs, _ = rules_kernel.first_steps(*position.own, rules_kernel.blocked_by(*position.other), dice[0], dice[1])
    return dice[0] if highs >> 25 - source & 1 else dice[1]


def _planes(men: Observations) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of men on each place as bit planes: bits 0 and 1 of it in the first word, 2 and 3 in the second."""
    bits = np.zeros((len(men), 4, 32), bool)
    bits[:, :, :26] = men[:, None] >> np.arange(4)[:, None] & 1
    words = np.packbits(bits, axis=2, bitorder="little").reshape(len(men), 16).view(np.int64)
    return words[:, 0], words[:, 1]


def _dice_word(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """The remaining dice in the kernel's form, from the number of each: the higher, the lower, and how many."""
    faces, left = np.arange(1, 7), counts.sum(axis=1)
    higher = np.where(counts > 0, faces, 0).max(axis=1)
    lower = np.where(counts > (faces == higher[:, None]), faces, 0).max(axis=1)
    word: NDArray[np.int64] = higher | lower << 3 | left << 6
    return word


def _renumber(men: Observations) -> Observations:
    """One side's men on the other's numbering of the points; bar and off stay first and last."""
    return np.concatenate([men[:, :1], men[:, 24:0:-1], men[:, 25:]], axis=1)


class BackgammonPlays(Simulator):
    """An action is the index of a whole play in the list of legal ones; the decisions about a cube come after these."""

    def __init__(self, version: str, variant: str, **choices: Any) -> None:
        super().__init__(version, variant, **choices)
        self._plays = np.zeros(rules_kernel.MOST_PLAYS * rules_kernel.WORDS, np.int64)
        self._write_plays = compiled(rules_kernel).write_plays
        self._number = 0
        self._decisions = self._mask[kernel.ACTIONS :]
        self.num_actions = rules_kernel.MOST_PLAYS + len(self._decisions)

    def step(self, action: int) -> int:
        if action >= rules_kernel.MOST_PLAYS:
            code = super().step(action - rules_kernel.MOST_PLAYS + kernel.ACTIONS)
        else:
            after = self._plays[action * rules_kernel.WORDS : action * rules_kernel.WORDS + 4]
            code = int(self._kernel.apply_play(self._state, 0, *after.tolist()))
        self._refresh()
        return code

    def _refresh(self) -> None:
        super()._refresh()
        low, high, other_low, other_high, dice = self._state[:5, 0].tolist()
        sides = low, high, other_low, other_high
        self._number = self._write_plays(self._plays, 0, *sides, dice & 7, dice >> 3 & 7) if dice else 0

    def is_legal(self, action: int) -> bool:
        return bool(self.action_mask()[action])

    def legal_actions(self) -> list[int]:
        actions: list[int] = self.action_mask().nonzero()[0].tolist()
        return actions

    def action_mask(self) -> NDArray[np.int8]:
        mask = np.zeros(self.num_actions, np.int8)
        mask[: self._number] = 1
        mask[rules_kernel.MOST_PLAYS :] = self._decisions
        return mask

    def write_action(self, action: int) -> str:
        rules, position = GAMES[self._encoding.game], self.position()
        if action >= rules_kernel.MOST_PLAYS:
            return self._encoding.write_action(position, action - rules_kernel.MOST_PLAYS + kernel.ACTIONS)
        return rules.notation.write_move(position, rules.moves(position)[action])

    def _encode_move(self, position: Position, move: Play | CubeAction) -> list[int]:
        if isinstance(move, CubeAction):
            (decision,) = self._encoding.encode_move(position, move)
            return [decision - kernel.ACTIONS + rules_kernel.MOST_PLAYS]
        return [GAMES[self._encoding.game].moves(position).index(move)]
