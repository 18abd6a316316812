"""What stands over the rows of a game in a MAT file: its number, the players' names and scores, the match length.

These are tags of the game, `Game`, `White`, `Black`, `Score` (such as `2-0`) and `MatchLength`, except where they go
without saying: a number that counts the games of the file, players called white and black, 0-0, a match to 0 points.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST: Final = 500
"""No line with names and scores needs more characters than that."""
NUMBER: Final = re.compile("[1-9][0-9]{0,8}")
SCORE: Final = re.compile("[0-9]{1,9}")
SCORES: Final = re.compile("(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")
NAME: Final = re.compile(r"[^\s:;#\x00-\x1f\x7f-\x9f](?:[^:\x00-\x1f\x7f-\x9f]{0,60}[^\s:\x00-\x1f\x7f-\x9f])?")
WHITE, BLACK = "white", "black"


class Caption(NamedTuple):
    number: str
    white: str
    black: str
    scores: str
    length: str


def read_caption(line: str, number: int, length: int) -> Caption:
    """The caption from the line with the names and scores, such as `Ann : 0    Bob : 0`."""
    left, _, second = line.rpartition(":")
    white, _, middle = left.partition(":")
    first, black = (*middle.split(None, 1), "", "")[:2]
    second = second.strip()
    if len(line) > LONGEST or not SCORE.fullmatch(first) or not SCORE.fullmatch(second):
        raise BadInput(f"{line[:40]!r} does not name the players and their scores, as in  Ann : 0    Bob : 0")
    return Caption(str(number), white.strip(), black.strip(), f"{int(first)}-{int(second)}", str(length))


def write_caption(caption: Caption) -> list[str]:
    first, second = caption.scores.split("-")
    white = f"{caption.white} : {first} "
    return [f" Game {caption.number}", f" {white:<31}{caption.black} : {second}"]


def tags_of(caption: Caption, ordinal: int) -> dict[str, str]:
    """The tags of the game that is the file's first, second and so on."""
    tags = dict(zip(("Game", "White", "Black", "Score", "MatchLength"), caption, strict=True))
    usual = Caption(str(ordinal), WHITE, BLACK, "0-0", "0")
    return {name: tag for (name, tag), without in zip(tags.items(), usual, strict=True) if tag != without}


def caption_of(tags: Mapping[str, str], ordinal: int, length: str) -> Caption:
    """The caption that tells as much of the tags as a caption can."""
    return Caption(
        _fitting(tags.get("Game"), NUMBER, str(ordinal)),
        _fitting(tags.get("White"), NAME, WHITE),
        _fitting(tags.get("Black"), NAME, BLACK),
        _fitting(tags.get("Score"), SCORES, "0-0"),
        length,
    )


def _fitting(tag: str | None, form: re.Pattern[str], usual: str) -> str:
    return tag if tag is not None and form.fullmatch(tag) else usual
