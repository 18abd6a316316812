"""Positions with a cube and a match, decisions about the cube, and their observations as the kernel has them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import UnknownOption
from ludus.core.rules import Outcome, Player, Reason
from ludus.envs.backgammon.cube import kernel
from ludus.envs.backgammon.encoding import BackgammonEncoding, dice_left
from ludus.envs.encoding import Observations
from ludus.games.backgammon.board import BackgammonBoard
from ludus.games.backgammon.position import (
    VARIANTS,
    Cube,
    CubeAction,
    Match,
    Men,
    Play,
    Position,
    Resignation,
    Stage,
)
from ludus.games.backgammon.variants import LONGEST_MATCH, Settings, settings

CUBE, OWNER, STAGE, AWAY, OTHER_AWAY, LENGTH = range(59, 65)
"""Indices of an observation's entries after the board; the flags follow."""
ENTRIES = 69

LAYOUTS = tuple(VARIANTS)
ACTIONS = (CubeAction.NO_DOUBLE, CubeAction.DOUBLE, CubeAction.TAKE, CubeAction.DROP, CubeAction.BEAVER)
"""The decisions, in the order of the kernel's actions."""
STAGES = {
    Stage.ON_ROLL: kernel.ON_ROLL,
    Stage.ROLLING: kernel.PLAYING,
    Stage.DOUBLED: kernel.DOUBLED,
    Stage.BEAVERED: kernel.BEAVERED,
}
UNSTATED = -1
"""Stands for the environment's rules, in a position that has neither cube nor match."""


def _high() -> Observations:
    high = np.ones(ENTRIES, np.int8)
    high[:CUBE] = BackgammonEncoding.high
    high[[CUBE, OWNER, STAGE]] = kernel.HIGHEST_CUBE, 2, 3
    high[[AWAY, OTHER_AWAY, LENGTH]] = LONGEST_MATCH
    high.flags.writeable = False
    return high


class CubeEncoding(BackgammonEncoding):
    """Adds five actions for the cube, and to the observation the cube, the score of the match and the rules."""

    kernel: ClassVar[Any] = kernel
    high: ClassVar[Observations] = _high()
    reward: ClassVar[Any] = np.int16

    @property
    def gym_id(self) -> str:
        return "BackgammonCube-v0"

    @property
    def name(self) -> str:
        return "backgammon_v1"

    def plays(self, variant: str) -> bool:
        return True

    def packed_actions(self) -> NDArray[np.int64]:
        """Like those of the board, with a word for the decisions after the dice."""
        bits = np.arange(64)
        decisions = np.where(bits < len(ACTIONS), kernel.NO_DOUBLE + bits, -1)
        return np.concatenate([super().packed_actions(), decisions])

    def initial_state(self, variant: str) -> Sequence[int]:
        column = [0] * kernel.WORDS
        chosen = settings(variant)
        column[kernel.START : kernel.START + 2] = VARIANTS[chosen.layout].white
        column[kernel.MATCH] = _own_rules(chosen) << kernel.OWN_RULES
        return column

    def encode_position(self, position: Position) -> Sequence[int]:
        board = super().encode_position(_seen_by_actor(position))
        if position.cube is None and position.match is None:
            return *board, kernel.ON_ROLL << kernel.STAGE, UNSTATED
        return *board, _encode_cube(position), _encode_match(position)

    def decode_words(self, words: Sequence[int]) -> Position:
        *board, cube, match = words
        column = self._column(board, ())
        if match != UNSTATED:
            column[kernel.CUBE], column[kernel.MATCH] = cube, match
        return self.decode_position(column)

    def shows(self, position: Position) -> bool:
        return True

    def decode_position(self, column: Sequence[int]) -> Position:
        """A position; it has dice only at the start of a turn, and no stage of the cube in the middle of one."""
        stage, player = column[kernel.CUBE] >> kernel.STAGE, Player(column[kernel.PLAYER])
        own, other = Men(*column[:2]), Men(*column[2:4])
        white, black = (own, other) if player is Player.FIRST else (other, own)
        mover = player.other if stage == kernel.DOUBLED else player
        cube, match = _decode_cube(column), _decode_match(column)
        position = Position(white, black, mover, _dice(column), cube, match)
        if stage != kernel.DROPPED:
            return position
        stake = position.stake
        return position._replace(ended=Outcome(player.other, Reason.DROPPED, stake, stake))

    def decode_observations(self, observations: Observations, players: NDArray[Any]) -> NDArray[np.int64]:
        """Columns without the match's layout, which observations don't show."""
        columns = super().decode_observations(observations, players)
        seen = observations.astype(np.int64)
        owners = np.where(seen[:, OWNER] == 0, 0, np.where(seen[:, OWNER] == 1, players, 1 - players) + 1)
        columns[:, kernel.CUBE] = seen[:, CUBE] | owners << kernel.OWNER | seen[:, STAGE] << kernel.STAGE
        own, other = seen[:, LENGTH] - seen[:, AWAY], seen[:, LENGTH] - seen[:, OTHER_AWAY]
        first, second = np.where(players == 0, own, other), np.where(players == 0, other, own)
        flags = (seen[:, LENGTH + 1 :] << np.arange(4)).sum(axis=1) * kernel.IS_CRAWFORD
        scores = first << kernel.SCORES | second << kernel.SCORES + kernel.SCORE_BITS
        columns[:, kernel.MATCH] = seen[:, LENGTH] | scores | flags
        return columns

    def encode_move(self, position: Position, move: Play | CubeAction | Resignation) -> list[int]:
        if isinstance(move, CubeAction):
            return [kernel.NO_DOUBLE + ACTIONS.index(move)]
        return super().encode_move(position, move)

    def decode_move(self, rules: Any, position: Position, actions: list[int]) -> Play | CubeAction:
        if actions[0] >= kernel.NO_DOUBLE:
            return ACTIONS[actions[0] - kernel.NO_DOUBLE]
        return super().decode_move(rules, position, actions)

    def write_action(self, position: Position, action: int) -> str:
        if action >= kernel.NO_DOUBLE:
            return ACTIONS[action - kernel.NO_DOUBLE].value
        return super().write_action(position, action)

    def flip(self, observations: Observations) -> Observations:
        flipped = super().flip(observations)
        flipped[:, OWNER] = np.array([0, 2, 1], np.int8)[observations[:, OWNER]]
        flipped[:, [AWAY, OTHER_AWAY]] = observations[:, [OTHER_AWAY, AWAY]]
        return flipped

    def finish(self, observations: Observations, players: NDArray[Any]) -> None:
        super().finish(observations, players)
        observations[:, STAGE] = 0

    def forfeit(self, columns: NDArray[Any]) -> NDArray[Any]:
        """The points of a backgammon at the cube's current or offered value; 1, the whole match, in a match."""
        cubes, matches = columns[kernel.CUBE], columns[kernel.MATCH]
        offers = np.array([0, 0, 1, 2, 0])[cubes >> kernel.STAGE]
        return np.where(matches & kernel.MOST_POINTS, 1, 3 << (cubes & 15) + offers)

    def board(self, column: Sequence[int]) -> BackgammonBoard:
        """Shows the dice that are left."""
        position = self.decode_position(column)
        return BackgammonBoard(position, dice_left(column), position.ended)

    def reason(self, column: Sequence[int]) -> str:
        is_dropped = column[kernel.CUBE] >> kernel.STAGE == kernel.DROPPED
        return Reason.DROPPED if is_dropped else Reason.BORNE_OFF


def _own_rules(chosen: Settings) -> int:
    """The rules that every game of an environment starts with."""
    length, layout = chosen.match_length or 0, LAYOUTS.index(chosen.layout)
    flags = _flags(length == 1, chosen.has_cube, chosen.has_jacoby, chosen.has_beavers)
    return length | flags | layout << kernel.LAYOUT


def _flags(is_crawford: bool, has_cube: bool, has_jacoby: bool, has_beavers: bool) -> int:
    flags = kernel.IS_CRAWFORD * is_crawford | kernel.HAS_CUBE * has_cube
    return flags | kernel.HAS_JACOBY * has_jacoby | kernel.HAS_BEAVERS * has_beavers


def _seen_by_actor(position: Position) -> Position:
    """The position with the side that has to answer a double as the mover."""
    is_doubled = position.cube is not None and position.cube.stage is Stage.DOUBLED
    return position._replace(mover=position.mover.other) if is_doubled and position.mover is not None else position


def _encode_cube(position: Position) -> int:
    cube = position.cube
    if cube is None:
        return kernel.PLAYING << kernel.STAGE
    doubles = cube.value.bit_length() - 1
    if cube.value != 1 << doubles or doubles > kernel.HIGHEST_CUBE:
        raise UnknownOption(f"a cube is a power of two up to {1 << kernel.HIGHEST_CUBE:,}, not {cube.value}")
    owner = 0 if cube.owner is None else cube.owner.value + 1
    return doubles | owner << kernel.OWNER | STAGES[cube.stage] << kernel.STAGE


def _encode_match(position: Position) -> int:
    cube, match = position.cube, position.match
    flags = _flags(
        match is not None and match.is_crawford,
        cube is not None,
        cube is not None and cube.has_jacoby,
        cube is not None and cube.has_beavers,
    )
    if match is None:
        return flags
    if not (1 <= match.length <= LONGEST_MATCH and 0 <= min(match[1:3]) <= max(match[1:3]) < match.length):
        raise UnknownOption(f"a match is played to 1 to {LONGEST_MATCH} points, and nobody has them yet")
    first, second = match.white << kernel.SCORES, match.black << kernel.SCORES + kernel.SCORE_BITS
    return match.length | first | second | flags


def _dice(column: Sequence[int]) -> tuple[()] | tuple[int, int]:
    dice = column[kernel.DICE]
    return (dice & 7, dice >> 3 & 7) if dice and kernel.is_start_of_turn(dice) else ()


def _decode_cube(column: Sequence[int]) -> Cube | None:
    cube, rules = column[kernel.CUBE], column[kernel.MATCH]
    if not rules & kernel.HAS_CUBE:
        return None
    value, owner = 1 << (cube & 15), cube >> kernel.OWNER & 3
    stage = _stage(column)
    has_jacoby, has_beavers = (rules & flag != 0 for flag in (kernel.HAS_JACOBY, kernel.HAS_BEAVERS))
    return Cube(value, Player(owner - 1) if owner else None, stage, has_jacoby, has_beavers)


def _stage(column: Sequence[int]) -> Stage:
    stage = column[kernel.CUBE] >> kernel.STAGE
    if stage == kernel.PLAYING:
        return Stage.ON_ROLL if _dice(column) else Stage.ROLLING
    return {kernel.DOUBLED: Stage.DOUBLED, kernel.BEAVERED: Stage.BEAVERED}.get(stage, Stage.ON_ROLL)


def _decode_match(column: Sequence[int]) -> Match | None:
    rules = column[kernel.MATCH]
    length = rules & kernel.MOST_POINTS
    if length == 0:
        return None
    layout = LAYOUTS[rules >> kernel.OWN_RULES + kernel.LAYOUT & 3]
    return Match(length, kernel.score(rules, 0), kernel.score(rules, 1), rules & kernel.IS_CRAWFORD != 0, layout)
