"""Checkers for language models: dark squares by number, `d` and `l` for men, `D` and `L` for kings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.games.checkers.position import SQUARES, column_of, row_of
from ludus.wire.text import TextCodec, View

PIECES: Final = {"dark": "dD", "light": "lL"}
MOVE: Final = re.compile(r"[0-9]{1,2}(?:[-x:][0-9]{1,2})+")


class CheckersTextCodec(TextCodec):
    is_case_sensitive = False

    def board(self, view: View) -> str:
        cells = [["   "] * 8 for _ in range(8)]
        for square in SQUARES:
            row, column = row_of(square), column_of(square)
            cells[row][column] = f"{_piece(view['board'][row][column])}{square:<2}"
        return "\n".join(" ".join(row).rstrip() for row in cells)

    def side(self, view: View) -> str:
        color = view.get("yourColor", "?")
        way = "down, 1 to 32" if color == "dark" else "up, 32 to 1"
        return f"you are {color} ({PIECES.get(color, '??')[0]}), moving {way}"

    def move(self, move: Mapping[str, Any]) -> str:
        """`11-15`, `15x22`."""
        return f"{move['from']}{'x' if move.get('captures') else '-'}{move['to']}"

    def moves(self, moves: Sequence[Any]) -> list[str]:
        """Chains with the same ends also say what they take."""
        texts = super().moves(moves)
        alike = Counter(texts)
        return [
            f"{text} taking {','.join(map(str, move.get('captures', ())))}" if alike[text] > 1 else text
            for move, text in zip(moves, texts, strict=True)
        ]

    def parse_move(self, view: View, text: str) -> dict[str, Any]:
        """The legal move with these ends; of several, the one whose path or captures the text gives."""
        words, _, taking = text.partition(" taking ")
        if not MOVE.fullmatch(words):
            raise MalformedMove(f"{text[:40]!r} is not a move such as 11-15 or 15x22")
        squares = [int(square) for square in re.split("[-x:]", words)]
        ends = {"from": squares[0], "to": squares[-1]}
        fitting = [move for move in view.get("legalMoves") or [] if ends.items() <= move.items()]
        if taking:
            taken = taking.replace(" ", "")
            fitting = [move for move in fitting if ",".join(map(str, move.get("captures", ()))) == taken]
        if not fitting:
            raise IllegalMove(f"{words} is not among the legal moves")
        if len(fitting) > 1:
            if len(squares) > 2:
                return {**ends, "path": squares}
            raise AmbiguousMove(f"{words} can be {len(fitting)} moves; give a number from the list")
        return dict(fitting[0])


def _piece(piece: Mapping[str, Any] | None) -> str:
    return PIECES[piece["player"]][bool(piece["king"])] if piece else "."
