"""Checkers as players write it: moves such as `11-15`, `15x22` or `15x22x31`, and positions as FEN."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove, MalformedPosition
from ludus.core.rules import Player
from ludus.games.checkers import kernel, pdn
from ludus.games.checkers.pdn import SIGNS
from ludus.games.checkers.position import MOST_PIECES, SQUARES, Move, Position, bit_of, column_of, row_of, square_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.core.game import Game
    from ludus.core.notation import Errors, Problems
    from ludus.games.checkers.rules import Checkers

MOVE: Final = re.compile(r"[0-9]{1,2}(?:-[0-9]{1,2}|(?:[x:][0-9]{1,2}){1,9})")
FEN: Final = re.compile(r"([BW]):([BW])([K0-9,-]*):([BW])([K0-9,-]*)(?::H([0-9]{1,3}))?(?::F[0-9]{1,4})?:?\.?")
BLANKS: Final = re.compile(r"(?<![0-9\s])\s+|\s+(?![0-9\s])")
"""All blanks but those between two digits, which must stay apart."""
PIECES: Final = re.compile(r"(K?)([0-9]{1,2})(?:-([0-9]{1,2}))?")
COLOURS: Final = "BW"
"""Black is the first player, white the second."""
NUMBERED: Final = tuple((bit_of(square), str(square)) for square in SQUARES)
"""A table, since every state sent to a client has a FEN."""


class CheckersNotation:
    suffix: Final = ".pdn"

    def __init__(self, rules: Checkers) -> None:
        self._rules = rules

    def write_move(self, position: Position, move: Move) -> str:
        """The ends of the move, and all its squares where another chain has the same ends."""
        if not move.captures:
            return f"{move.origin}-{move.landing}"
        ends = (move.origin, move.landing)
        rivals = sum((other.origin, other.landing) == ends for other in self._rules.moves(position))
        return "x".join(map(str, move.path if rivals > 1 else ends))

    def read_move(self, position: Position, text: str) -> Move:
        """The sign doesn't matter: where a jump is possible, no step is legal."""
        given = text.strip()
        text = given.translate(SIGNS)
        if not MOVE.fullmatch(text):
            raise MalformedMove(f"{given[:40]!r} is not a move; write 11-15 for a step, 15x22 or 15x22x31 for a jump")
        squares = [int(number) for number in re.split("[-x:]", text)]
        if not all(square in SQUARES for square in squares):
            raise MalformedMove(f"{text!r}: squares are numbered 1 to 32")
        fitting = _fitting(self._rules.moves(position), squares)
        if len(fitting) > 1:
            choices = " or ".join("x".join(map(str, move.path)) for move in fitting)
            raise AmbiguousMove(f"{text} can be {choices}")
        if not fitting:
            raise IllegalMove(f"{text} is not legal here{self._why(position, squares, is_jump='-' not in text)}")
        return fitting[0]

    def begins_chain(self, position: Position, text: str) -> bool:
        """Whether the squares are the first ones of a chain that goes on."""
        squares = tuple(int(number) for number in re.split("[-x:]", text))
        moves = self._rules.moves(position)
        return not _fitting(moves, list(squares)) and any(move.path[: len(squares)] == squares for move in moves)

    def _why(self, position: Position, squares: list[int], *, is_jump: bool) -> str:
        piece = position.piece_on(squares[0])
        moves = self._rules.moves(position)
        if not moves:
            return ": the game is over"
        if piece is None:
            return f": square {squares[0]} is empty"
        if piece.player is not position.mover:
            return f": the piece on {squares[0]} is {self._rules.players[piece.player]}'s"
        if moves[0].captures:
            return ": a jump is available and must be completed"
        if is_jump:
            return ": there is nothing to jump"
        return f": {_why_no_step(position, *squares)}"

    def write_position(self, position: Position) -> str:
        """FEN, such as `B:W21,22,K30:B1,2,K9`, with `:H7` at the end after seven quiet moves."""
        white, black = (_pieces(side, position.kings) for side in (position.second, position.first))
        quiet = f":H{position.quiet}" if position.quiet else ""
        return f"{COLOURS[position.mover]}:W{white}:B{black}{quiet}"

    def read_position(self, text: str) -> Position:
        """Reads FEN; ranges such as `1-12`, small letters, and blanks outside numbers are accepted."""
        if len(text) > 400:
            raise MalformedPosition("a FEN of more than 400 characters is not read")
        match = FEN.fullmatch(BLANKS.sub("", text).upper())
        if not match or match[2] == match[4]:
            raise MalformedPosition(f"{text[:60]!r} is not a FEN such as B:W21,22,K30:B1,2,K9")
        sides = {match[2]: _read_pieces(match[3]), match[4]: _read_pieces(match[5])}
        (first, first_kings), (second, second_kings) = sides["B"], sides["W"]
        if first & second:
            raise MalformedPosition(f"square {square_of(first & second)} has two pieces")
        _refuse_uncrowned(first & ~first_kings & kernel.BOTTOM | second & ~second_kings & kernel.TOP)
        return Position(first, second, first_kings | second_kings, Player(COLOURS.index(match[1])), int(match[6] or 0))

    def write_games(self, games: Iterable[Game[Position, Move]]) -> str:
        return pdn.write(self._rules, games)

    def read_games(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> list[Game[Position, Move]]:
        return list(self.each_game(text, errors=errors, skipped=skipped))

    def each_game(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> Iterator[Game[Position, Move]]:
        return pdn.read(self._rules, text, errors, skipped)

    def recognizes(self, text: str) -> bool:
        return pdn.recognizes(text)


def _fitting(moves: Iterable[Move], squares: list[int]) -> list[Move]:
    """The moves that these squares can mean: all that visit them, or the one that visits just these."""
    fitting = [move for move in moves if _fits(move, squares)]
    return [move for move in fitting if move.path == tuple(squares)] or fitting


def _fits(move: Move, squares: list[int]) -> bool:
    """Whether the squares are the move's ends, and between them some of its path in order."""
    path = iter(move.path[1:-1])
    return (move.origin, move.landing) == (squares[0], squares[-1]) and all(s in path for s in squares[1:-1])


def _why_no_step(position: Position, origin: int, target: int) -> str:
    if position.piece_on(target):
        return f"square {target} is occupied"
    if {abs(row_of(target) - row_of(origin)), abs(column_of(target) - column_of(origin))} != {1}:
        return f"square {target} is not next to {origin}"
    return "men move only forward"


def _squares(pieces: int) -> Iterator[int]:
    return (square for square in SQUARES if pieces & bit_of(square))


def _pieces(side: int, kings: int) -> str:
    return ",".join([f"K{number}" if bit & kings else number for bit, number in NUMBERED if bit & side])


def _read_pieces(text: str) -> tuple[int, int]:
    """The pieces and the kings among them."""
    pieces = kings = 0
    for item in filter(None, text.split(",")):
        match = PIECES.fullmatch(item)
        low, high = (int(match[2]), int(match[3] or match[2])) if match else (0, 0)
        if match is None or not 1 <= low <= high <= 32:
            raise MalformedPosition(f"{item!r} is not a piece such as 12, K30 or 1-12")
        for square in range(low, high + 1):
            if pieces & bit_of(square):
                raise MalformedPosition(f"square {square} has two pieces")
            pieces |= bit_of(square)
            kings |= bit_of(square) if match[1] else 0
    if pieces.bit_count() > MOST_PIECES:
        raise MalformedPosition(f"one side has {pieces.bit_count()} pieces; {MOST_PIECES} is the most")
    return pieces, kings


def _refuse_uncrowned(men: int) -> None:
    if men:
        raise MalformedPosition(f"the man on {next(_squares(men))} has reached the far row and must be a king")
