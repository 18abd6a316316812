"""One game stepped by micro-actions over compiled kernels: what the AEC environments have in the middle.

An `Encoding` says how a learner sees it; the rules are the kernels'.
"""

from __future__ import annotations

import abc
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from ludus.core.bits import reverse
from ludus.core.board import Board
from ludus.core.errors import UnknownOption, UnknownVariant
from ludus.core.kernel import compiled
from ludus.core.rules import Player, Reason
from ludus.envs.batched import backgammon, checkers, driver, streams
from ludus.envs.batched.batch import ROOM
from ludus.envs.options import check_integer, check_seed
from ludus.games import GAMES
from ludus.games.backgammon import kernel as plays
from ludus.games.backgammon.board import BackgammonBoard
from ludus.games.backgammon.position import Men
from ludus.games.backgammon.position import Position as BackgammonPosition
from ludus.games.checkers.position import Position as CheckersPosition

Array = Any


class Encoding(abc.ABC):
    """A game in progress, its legal actions, and what each player sees of it."""

    game: ClassVar[str]
    observation_space: spaces.Space[Any]
    num_actions: int

    def __init__(self, kernel: Any) -> None:
        self._kernel = kernel
        self._quick = compiled(kernel)
        self._play_one = compiled(driver, kernel).play_one
        self._state = np.zeros((ROOM, 1), np.int64)
        self._history = np.zeros(kernel.HISTORY + 1, np.int64)
        self._is_begun = False
        self._observation = np.zeros((1, kernel.OBSERVATION_WORDS), np.int64)
        self._mask = np.zeros((1, kernel.MASK_WORDS), np.int64)
        self._seen = self._observation.view(np.int8)[0]
        self._allowed = self._mask.view(np.int8)[0][: kernel.ACTIONS]

    def seed(self, seed: int) -> None:
        """From here on the dice are those of game 0 of a batch with this seed."""
        self._state[:] = 0
        self._state[self._kernel.KEY, 0] = streams.key_of(check_seed(seed), 0)

    @abc.abstractmethod
    def _arguments(self) -> tuple[Any, ...]:
        """What this was made with."""

    def __reduce__(self) -> Any:
        """Made anew and given the state: compiled functions and views of arrays cannot be copied."""
        return _restored, (type(self), self._arguments(), self._state.copy(), self._history.copy(), self._is_begun)

    def begin(self) -> None:
        self._quick.begin(self._state, 0)
        self._look()

    def act(self, action: int) -> int:
        """Plays a legal action: 0 if the game goes on, 1 if its player has won, 2 if it is drawn."""
        return int(self._play_one(self._state, self._history, action, self._observation, self._mask))

    def _look(self) -> None:
        self._is_begun = True
        self._quick.write_bytes(self._state, 0, self._observation, self._mask, 0)

    @property
    def player(self) -> int:
        return int(self._state[self._kernel.PLAYER, 0])

    @property
    def length(self) -> int:
        """Actions played in this game."""
        return int(self._state[self._kernel.LENGTH, 0])

    def allows(self, action: int) -> bool:
        return bool(self._allowed[action])

    def legal(self) -> list[int]:
        """What the player to move may do."""
        return self._allowed.nonzero()[0].tolist()  # type: ignore[no-any-return]

    def mask(self) -> Array:
        """The same as zeros and ones; the array is the caller's."""
        return self._allowed.copy()

    def points(self) -> int:
        """What the win just made is worth."""
        return int(self._quick.points(self._state, 0))

    def read(self, text: Any) -> Any:
        """Any position that the game's notation can write, if it can be played from."""
        rules = GAMES[self.game]
        if not isinstance(text, str):
            raise UnknownOption(f"a position is text, not {type(text).__name__}")
        position = rules.notation.read_position(text)
        if rules.outcome(position):
            raise UnknownOption(f"the game is over in {text!r}")
        if position.mover is None:
            raise UnknownOption("the position must say who is on roll")
        return position

    def place(self, position: Any) -> None:
        """Starts from a position that `read` gave."""
        self._place(position)
        self._look()

    @abc.abstractmethod
    def _place(self, position: Any) -> None: ...

    @abc.abstractmethod
    def observe(self, player: int) -> Array: ...

    @abc.abstractmethod
    def reason(self, code: int) -> Reason:
        """Why the game has ended, from what the last action returned."""

    @abc.abstractmethod
    def board(self) -> Board: ...


def _restored(kind: Any, arguments: Any, state: Any, history: Any, is_begun: bool) -> Any:
    encoding = kind(*arguments)
    encoding._state[:], encoding._history[:] = state, history
    if is_begun:
        encoding._look()
    return encoding


class Checkers(Encoding):
    """Planes of the board from one player's side: men and kings of each, the piece that must go on, the quiet moves."""

    game = "checkers"
    num_actions = checkers.ACTIONS

    def __init__(self, planes: int, dtype: type[np.generic]) -> None:
        super().__init__(checkers)
        self._planes = self._seen.reshape(6, 8, 8)[:planes]
        self._dtype = dtype
        high = np.ones((8, 8, planes), dtype)
        if planes == 6:
            high[:, :, 5] = checkers.QUIET_LIMIT
        self.observation_space = spaces.Box(np.zeros_like(high), high, dtype=dtype)

    def _arguments(self) -> tuple[Any, ...]:
        return len(self._planes), self._dtype

    def _place(self, position: CheckersPosition) -> None:
        own, other, kings = position.own, position.other, position.kings
        if position.mover is Player.SECOND:
            own, other, kings = reverse(own), reverse(other), reverse(kings)
        self._quick.place(self._state, 0, own, other, kings, position.mover.value, position.quiet)
        self._history[:] = -1
        self._history[position.quiet] = checkers.kings_key(own & kings, other & kings)

    def observe(self, player: int) -> Array:
        planes = self._planes if player == self.player else self._planes[self._swapped, ::-1, ::-1]
        return np.ascontiguousarray(planes.transpose(1, 2, 0), self._dtype)

    @property
    def _swapped(self) -> list[int]:
        return [2, 3, 0, 1, 4, 5][: len(self._planes)]

    def reason(self, code: int) -> Reason:
        if code == 1:
            return Reason.NO_MOVES if self._state[checkers.OWN, 0] else Reason.NO_PIECES
        is_full = self._state[checkers.QUIET, 0] >= checkers.QUIET_LIMIT
        return Reason.FORTY_MOVES if is_full else Reason.REPETITION

    def board(self) -> Board:
        return GAMES["checkers"].board(checkers_position(self._state[:, 0].tolist()))


class Backgammon(Encoding):
    """Men on places, dice left, player; one man moved by one die."""

    game = "backgammon"
    num_actions = backgammon.ACTIONS

    def __init__(self, variant: str) -> None:
        variants = GAMES["backgammon"].variants
        if variant not in variants:
            raise UnknownVariant(f"backgammon has no variant {variant!r}; there are {', '.join(variants)}")
        super().__init__(backgammon)
        self._variant = variant
        self._start = variants[variant].white
        high = np.full(backgammon.OBSERVATION, 15, np.int8)
        high[26:32], high[58] = 4, 1
        self.observation_space = spaces.Box(np.zeros_like(high), high, dtype=np.int8)

    def seed(self, seed: int) -> None:
        super().seed(seed)
        self._state[backgammon.START : backgammon.START + 2, 0] = self._start

    def _arguments(self) -> tuple[Any, ...]:
        return (self._variant,)

    def _place(self, position: BackgammonPosition) -> None:
        dice, player = position.dice or (0, 0), int(position.mover is Player.SECOND)
        self._quick.place(self._state, 0, *position.own, *position.other, player, *dice)

    def observe(self, player: int) -> Array:
        seen = self._seen[: backgammon.OBSERVATION]
        turned = np.array(seen)
        if player == self.player:
            return turned
        turned[0:26], turned[32:58] = _from_the_other_end(seen[32:58]), _from_the_other_end(seen[0:26])
        return turned

    def reason(self, code: int) -> Reason:
        return Reason.BORNE_OFF

    def board(self) -> Board:
        column = self._state[:, 0].tolist()
        left = [die for die in range(6, 0, -1) for _ in range(self._seen[25 + die])]
        return BackgammonBoard(backgammon_position(column), tuple(left))


class WholePlays(Backgammon):
    """The same, but an action is the number of a whole play in the list of the legal ones."""

    num_actions = plays.MOST_PLAYS

    def __init__(self, variant: str) -> None:
        super().__init__(variant)
        self._list = np.zeros(plays.MOST_PLAYS * plays.WORDS, np.int64)
        self._write = compiled(plays).write_plays
        self._number = 0

    def act(self, action: int) -> int:
        after = self._list[action * plays.WORDS : action * plays.WORDS + 4]
        code = int(self._quick.play(self._state, 0, *after.tolist()))
        self._look()
        return code

    def _look(self) -> None:
        super()._look()
        low, high, other_low, other_high, dice = self._state[:5, 0].tolist()
        self._number = self._write(self._list, 0, low, high, other_low, other_high, dice & 7, dice >> 3 & 7)

    def allows(self, action: int) -> bool:
        return action < self._number

    def legal(self) -> list[int]:
        return list(range(self._number))

    def mask(self) -> Array:
        allowed = np.zeros(self.num_actions, np.int8)
        allowed[: self._number] = 1
        return allowed


def _from_the_other_end(men: Array) -> Array:
    """One side's men as the other counts the points; bar and off stay first and last."""
    turned = men.copy()
    turned[1:25] = men[24:0:-1]
    return turned


def checkers_position(column: list[int]) -> CheckersPosition:
    """A column of a batch as a position of the rules; in the midst of a chain it is still the jumper's move."""
    own, other, kings = column[checkers.OWN], column[checkers.OTHER], column[checkers.KINGS]
    quiet, player = column[checkers.QUIET], Player(column[checkers.PLAYER])
    if player is Player.FIRST:
        return CheckersPosition(own, other, kings, player, quiet)
    first, second, turned = (reverse(squares) for squares in (other, own, kings))
    return CheckersPosition(first, second, turned, player, quiet)


def backgammon_position(column: list[int]) -> BackgammonPosition:
    """A column of a batch as a position of the rules, with the dice as they fell."""
    own, other = Men(*column[:2]), Men(*column[2:4])
    player, dice = Player(column[backgammon.PLAYER]), column[backgammon.DICE]
    white, black = (own, other) if player is Player.FIRST else (other, own)
    return BackgammonPosition(white, black, player, (dice & 7, dice >> 3 & 7 or dice & 7))


def check_max_cycles(max_cycles: int | None) -> int:
    """0 stands for no limit."""
    return 0 if max_cycles is None else check_integer("max_cycles", max_cycles, 1)
