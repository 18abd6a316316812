"""What a model says it plays, as an action: a number of the list, a move in words, or the action itself."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

from ludus.client.agent import as_action, resigned
from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove

View = Mapping[str, Any]

CHAIN: Final = re.compile(r"(bar|[0-9]{1,2})((?:/(?:off|[0-9]{1,2})\*?)+)(?:\(([1-4])\))?")
SQUARES: Final = re.compile(r"[0-9]{1,2}(?:[-x:][0-9]{1,2})+")


def read_action(game: str, view: View, said: object) -> dict[str, Any]:
    if isinstance(said, list | dict):
        return as_action(said)
    text = " ".join(str(said).lower().split()).rstrip(".")
    if text.startswith(("{", "[")):
        return _read_json(text)
    if not text:
        raise MalformedMove("say which move: its number in the list of legal moves, or the move itself")
    if text == "resign":
        return resigned()
    if text.isdecimal():
        return as_action(_numbered(view, int(text)))
    return _read_play(text) if game == "backgammon" else _read_squares(view, text)


def _read_json(text: str) -> dict[str, Any]:
    try:
        return as_action(json.loads(text))
    except (ValueError, RecursionError):
        raise MalformedMove("the action is not JSON") from None


def _numbered(view: View, number: int) -> Any:
    moves = view.get("legalMoves") or []
    if not 1 <= number <= len(moves):
        raise IllegalMove(f"there is no move number {number}; there are 1 to {len(moves)}")
    return moves[number - 1]


def _read_play(text: str) -> dict[str, Any]:
    """`24/20 13/10`, `8/4(2)`, `24/18/14`, `bar/22`, `6/off` or `pass`, in the numbers of the board."""
    steps: list[dict[str, Any]] = []
    for word in () if text == "pass" else text.replace(",", " ").split():
        match = CHAIN.fullmatch(word)
        if not match:
            raise MalformedMove(f"{word[:40]!r} is not a move such as 24/20, bar/22, 6/off or 8/4(2)")
        places = [match[1], *match[2].replace("*", "").split("/")[1:]]
        hops = [{"from": _place(source), "to": _place(target)} for source, target in pairwise(places)]
        steps += hops * int(match[3] or 1)
    return as_action(steps)


def _place(text: str) -> int | str:
    return text if text in ("bar", "off") else int(text)


def _read_squares(view: View, text: str) -> dict[str, Any]:
    """The legal move with these ends; of several, the one whose path the text tells, if it tells one."""
    words, _, taking = text.partition(" taking ")
    if not SQUARES.fullmatch(words):
        raise MalformedMove(f"{text[:40]!r} is not a move such as 11-15 or 15x22")
    squares = [int(square) for square in re.split("[-x:]", words)]
    ends = {"from": squares[0], "to": squares[-1]}
    fitting = [move for move in view.get("legalMoves") or [] if ends.items() <= move.items()]
    if taking:
        fitting = [move for move in fitting if ",".join(map(str, move.get("captures", ()))) == taking.replace(" ", "")]
    if not fitting:
        raise IllegalMove(f"{words} is not among the legal moves")
    if len(fitting) > 1:
        if len(squares) > 2:
            return as_action({**ends, "path": squares})
        raise AmbiguousMove(f"{words} can be {len(fitting)} moves; give a number of the list")
    return as_action(fitting[0])
