"""Backgammon for language models: four rows of points, `O` for white and `X` for black."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from ludus.core.errors import MalformedMove
from ludus.wire.actions import ACCEPT_RESIGNATION, DECLINE_RESIGNATION, OFFER_RESIGNATION
from ludus.wire.backgammon.places import Place
from ludus.wire.backgammon.rooms import CUBE_WORDS
from ludus.wire.text import TextCodec, View

MEN: Final = {"white": "O", "black": "X"}
WINS: Final = {1: "a single game", 2: "a gammon", 3: "a backgammon"}
WORDS: Final = frozenset({*CUBE_WORDS, *(each.replace("_", " ") for each in (ACCEPT_RESIGNATION, DECLINE_RESIGNATION))})
OFFER: Final = re.compile("(?:offer resignation|resign) (?:as )?(?:a )?(1|single|2|gammon|3|backgammon)(?: game)?")
POINTS: Final = {"1": 1, "single": 1, "2": 2, "gammon": 2, "3": 3, "backgammon": 3}
ANSWERS: Final = {"accept": ACCEPT_RESIGNATION, "decline": DECLINE_RESIGNATION, "reject": DECLINE_RESIGNATION}
"""Answers to an open resignation."""
CUBE_ANSWERS: Final = {"accept": "take", "pass": "drop", "decline": "drop", "reject": "drop", "redouble": "beaver"}
"""Answers to an open double."""
SYNONYMS: Final = {"redouble": "double", "no double": "roll"}
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
        return "\n".join([*lines, *_match(view), *_cube(view)])

    def side(self, view: View) -> str:
        color = view.get("yourColor", "?")
        way = "24 to 1" if color == "white" else "1 to 24"
        return f"you are {color} ({MEN.get(color, '?')}), moving {way}"

    def turn(self, view: View) -> str:
        return f"{self.board(view)}\n{self.last_move(view)}{_offer(view)}{self.dice(view)}{self.legal_moves(view)}"

    def last_move(self, view: View) -> str:
        """The last move; left out if a double is to be answered, since the play before it was the reader's own."""
        return "" if view.get("cube", {}).get("offered") else super().last_move(view)

    def choices(self, view: View) -> Sequence[Any]:
        return view.get("legalActions") or super().choices(view)

    def move(self, move: Any) -> str:
        """`24/20 13/10`, `8/4(2)` or `pass`; also whole actions, such as `double`."""
        if isinstance(move, Mapping):
            if move["type"] != "move":
                return str(move["type"]).replace("_", " ")
            move = move["moves"]
        steps = Counter(f"{step['from']}/{step['to']}" for step in move)
        return " ".join(f"{step}({times})" if times > 1 else step for step, times in steps.items()) or "pass"

    def parse_move(self, view: View, text: str) -> Any:
        """`24/20 13/10`, `8/4(2)`, `24/18/14`, `bar/22`, `6/off` or `pass`, in the numbers of the board.

        Also words about the cube and resignations: `double`, `accept resignation`, `offer resignation 2`. While an
        offer is open, `accept`, `decline` and `reject` answer it, and `pass` drops a double.
        """
        text = _meant(view, text.replace("_", " "))
        if text in WORDS:
            return {"type": text.replace(" ", "_")}
        if offer := OFFER.fullmatch(text):
            return {"type": OFFER_RESIGNATION, "points": POINTS[offer[1]]}
        if text.startswith(("offer resignation", "resign ")):
            raise MalformedMove("a game is resigned as 1 (single), 2 (gammon) or 3 (backgammon): offer resignation 2")
        steps: list[dict[str, Place]] = []
        for word in () if text == "pass" else text.replace(",", " ").split():
            match = CHAIN.fullmatch(word)
            if not match:
                raise MalformedMove(f"{word[:40]!r} is not a move such as 24/20, bar/22, 6/off or 8/4(2)")
            places = [_place(part) for part in (match[1], *match[2].replace("*", "").split("/")[1:])]
            steps += [{"from": source, "to": target} for source, target in pairwise(places)] * int(match[3] or 1)
        return steps


def _meant(view: View, text: str) -> str:
    """The arena's word for the text, which may depend on what has been offered."""
    if _is_resignation_open(view) and text in ANSWERS:
        return ANSWERS[text].replace("_", " ")
    cube = view.get("cube") or {}
    if cube.get("offered") and (word := CUBE_ANSWERS.get(text)):
        return word
    return SYNONYMS.get(text, text)


def _is_resignation_open(view: View) -> bool:
    """Whether the opponent has offered to resign."""
    offer = view.get("resignation")
    return offer is not None and offer["player"] != view.get("you")


def _match(view: View) -> list[str]:
    if (match := view.get("match")) is None:
        return []
    score = f"white {match['score']['white']}, black {match['score']['black']}"
    crawford = "; the Crawford game, without doubles" if match["isCrawford"] else ""
    return [f"Match to {match['length']}, game {match.get('game', 1)}: {score}{crawford}"]


def _cube(view: View) -> list[str]:
    if (cube := view.get("cube")) is None:
        return []
    if cube["offered"] is not None:
        loss = cube["offered"] // 2
        return [f"Double to {cube['offered']}: {cube['offeredTo']} takes it, or drops and loses {loss}"]
    return [f"Cube at {cube['value']}, {cube['owner'] or 'centred'}"]


def _offer(view: View) -> str:
    """The opponent's open resignation."""
    if not _is_resignation_open(view):
        return ""
    return f"Your opponent offers to resign {WINS[view['resignation']['points']]}. "


def _row(texts: Iterable[str]) -> str:
    cells = [f"{text:>3}" for text in texts]
    return "".join(cells[:6]) + " |" + "".join(cells[6:])


def _stack(men: int) -> str:
    return f"{MEN['white' if men > 0 else 'black']}{abs(men)}" if men else "."


def _place(text: str) -> Place:
    return text if text in ("bar", "off") else int(text)
