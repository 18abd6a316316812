"""English draughts: the kernel's bit sets as readable positions and moves, and the rule of forty moves."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from ludus.core.errors import BadInput, IllegalMove, MalformedPosition
from ludus.core.kernel import Scratch, compiled, new_words
from ludus.core.rules import Outcome, Player, Reason, Rules, Turn
from ludus.games.checkers import kernel as plain
from ludus.games.checkers.board import NAMES, CheckersBoard
from ludus.games.checkers.kernel import QUIET_LIMIT
from ludus.games.checkers.notation import CheckersNotation
from ludus.games.checkers.position import STANDARD, Move, Position, bit_of, square_of

_TURNS: Final = (Turn.FIRST, Turn.SECOND)


class Checkers(Rules[Position, Move]):
    name: Final = "checkers"
    players: Final = NAMES
    most_points: Final = 1
    has_draws: Final = True
    pass_move: Final = None
    has_own_numbers: Final = False
    variants: Final[Mapping[str, Position]] = MappingProxyType({"standard": STANDARD})

    def __init__(self, kernel: Any = plain) -> None:
        self._kernel = kernel
        self._list = Scratch(kernel, plain.MOST_MOVES * plain.WORDS)
        self._moves = lru_cache(maxsize=1024)(self._list_moves)
        self._notation = CheckersNotation(self)

    @property
    def notation(self) -> CheckersNotation:
        return self._notation

    def compiled(self) -> Checkers:
        return Checkers(compiled(plain))

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and other processes create their own rules, compiled if these are."""
        return (Checkers, ()) if self._kernel is plain else (Checkers.compiled, (Checkers(),))

    def turn(self, position: Position) -> Turn:
        return Turn.OVER if self.outcome(position) else _TURNS[position.mover]

    def moves(self, position: Position) -> tuple[Move, ...]:
        return () if position.quiet >= QUIET_LIMIT else self._moves(position)

    def _list_moves(self, position: Position) -> tuple[Move, ...]:
        _refuse_unsound(position)
        side = position.mover.value
        n = self._kernel.write_moves(self._list.words(), 0, position.own, position.other, position.kings, side)
        words = self._list.read(n * plain.WORDS)
        return tuple(_move(*words[i : i + plain.WORDS]) for i in range(0, len(words), plain.WORDS))

    def chances(self, position: Position) -> tuple[tuple[Move, int], ...]:
        return ()

    def play(self, position: Position, move: Move) -> Position:
        if not isinstance(move, Move):
            raise IllegalMove(f"{str(move)[:40]!r} is not a Move")
        if move not in self.moves(position):
            raise IllegalMove(f"{('x' if move.captures else '-').join(map(str, move.path))} is not legal here")
        first, second, kings, mover, quiet = position
        origin, landing = bit_of(move.path[0]), bit_of(move.path[-1])
        taken = sum(map(bit_of, move.captures)) if move.captures else 0
        quiet = quiet + 1 if kings & origin and not taken else 0
        if mover is Player.FIRST:
            second, first, kings, _ = self._kernel.play(first, second, kings, 0, origin, landing, taken)
            return Position(first, second, kings, Player.SECOND, quiet)
        first, second, kings, _ = self._kernel.play(second, first, kings, 1, origin, landing, taken)
        return Position(first, second, kings, Player.FIRST, quiet)

    def touched(self, position: Position, move: Move) -> tuple[int, ...]:
        return move.path

    def outcome(self, position: Position) -> Outcome | None:
        if not position.own:
            return Outcome(position.mover.other, Reason.NO_PIECES)
        if not self._can_move(position):
            return Outcome(position.mover.other, Reason.NO_MOVES)
        return Outcome(None, Reason.FORTY_MOVES) if position.quiet >= QUIET_LIMIT else None

    def _can_move(self, position: Position) -> bool:
        """Uses the cached list of moves, which is needed next anyway; unsound positions have none."""
        try:
            return bool(self._moves(position))
        except MalformedPosition:
            side = position.mover.value
            return bool(self._kernel.can_move(position.own, position.other, position.kings, side))

    def repeats(self, position: Position) -> Hashable:
        return position[:4]

    def perft(self, position: Position, depth: int, *, weighted: bool = False) -> int:
        _refuse_unsound(position)
        if depth < 0:
            raise BadInput(f"lines of {depth} moves cannot be counted")
        words = new_words(self._kernel, depth * plain.MOST_MOVES * plain.WORDS)
        side = position.mover.value
        return int(self._kernel.perft(position.own, position.other, position.kings, side, depth, False, words, 0))

    def board(self, position: Position, outcome: Outcome | None = None) -> CheckersBoard:
        return CheckersBoard(position, outcome or self.outcome(position))


def _refuse_unsound(position: Position) -> None:
    if not position.is_sound:
        raise MalformedPosition("pieces overlap, are off the dark squares, or are more than twelve of a side")


@lru_cache(maxsize=1 << 14)
def _move(origin: int, landing: int, taken: int, path: int) -> Move:
    if not taken:
        return Move((square_of(origin), square_of(landing)))
    squares, captures, here = [square_of(origin)], [], origin
    while taken:
        middle = plain.shift(here, path & 3)
        here = plain.shift(middle, path & 3)
        path >>= 2
        taken ^= middle
        captures.append(square_of(middle))
        squares.append(square_of(here))
    return Move(tuple(squares), tuple(captures))
