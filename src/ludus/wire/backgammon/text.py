"""Backgammon for language models: four rows of points, `O` for white and `X` for black."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any, Final

from ludus.core.errors import MalformedMove
from ludus.wire.backgammon.places import Place
from ludus.wire.text import TextCodec, View

MEN: Final = {"white": "O", "black": "X"}
CHAIN: Final = re.compile(r"(bar|[0-9]{1,2})((?:/(?:off|[0-9]{1,2})\*?)+)(?:\(([1-4])\))?")


class BackgammonTextCodec(TextCodec):
    is_case_sensitive = False

    def board(self, view: View) -> str:
        board, pips = view["board"], view.get("pipCounts") or {}
        top, bottom = range(13, 25), range(12, 0, -1)
        sides = [
            f"{letter} {color}: bar {view[f'{color}Bar']}, off {view[f'{color}Off']}"
            + (f", pips {pips[color]}" if color in pips else "")
            for color, letter in MEN.items()
        ]
        lines = (
            _row(map(str, top)),
            _row(_stack(board[point]) for point in top),
            _row(_stack(board[point]) for point in bottom),
            _row(map(str, bottom)),
            "; ".join(sides),
        )
        return "\n".join(lines)

    def side(self, view: View) -> str:
        color = view.get("yourColor", "?")
        way = "24 to 1" if color == "white" else "1 to 24"
        return f"you are {color} ({MEN.get(color, '?')}), moving {way}"

    def move(self, move: Iterable[Mapping[str, Any]]) -> str:
        """`24/20 13/10`, `8/4(2)` or `pass`."""
        steps = Counter(f"{step['from']}/{step['to']}" for step in move)
        return " ".join(f"{step}({times})" if times > 1 else step for step, times in steps.items()) or "pass"

    def parse_move(self, view: View, text: str) -> list[dict[str, Place]]:
        """`24/20 13/10`, `8/4(2)`, `24/18/14`, `bar/22`, `6/off` or `pass`, in the numbers of the board."""
        steps: list[dict[str, Place]] = []
        for word in () if text == "pass" else text.replace(",", " ").split():
            match = CHAIN.fullmatch(word)
            if not match:
                raise MalformedMove(f"{word[:40]!r} is not a move such as 24/20, bar/22, 6/off or 8/4(2)")
            places = [_place(part) for part in (match[1], *match[2].replace("*", "").split("/")[1:])]
            steps += [{"from": source, "to": target} for source, target in pairwise(places)] * int(match[3] or 1)
        return steps


def _row(texts: Iterable[str]) -> str:
    cells = [f"{text:>3}" for text in texts]
    return "".join(cells[:6]) + " |" + "".join(cells[6:])


def _stack(men: int) -> str:
    return f"{MEN['white' if men > 0 else 'black']}{abs(men)}" if men else "."


def _place(text: str) -> Place:
    return text if text in ("bar", "off") else int(text)
