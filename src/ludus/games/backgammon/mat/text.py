"""The pieces of a MAT file: headers, captions, rows and their cells, results."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from ludus.core.errors import BadInput
from ludus.core.escapes import escape, unescape
from ludus.core.rules import Player

MAX_LINE: Final = 500
"""The most characters of a row, or of the line with names and scores."""
MATCH: Final = re.compile(
    r"(?:([0-9]{1,9})[ -]+points? match(?: *\(.{0,80}\))?|match to ([0-9]{1,9})(?: points?)?)\W*",
    re.IGNORECASE | re.ASCII,
)
MONEY: Final = re.compile(r"(?:unlimited|money)(?: +(?:game|match|session))?\W*", re.IGNORECASE | re.ASCII)
GAME: Final = re.compile(r"Game +([0-9]{1,9})(?: *[.:(-].{0,80})?", re.IGNORECASE | re.ASCII)
FRAME: Final = re.compile(r"[+|].{0,200}")
"""A line of the box around remarks, above the first game."""
FACTS: Final = frozenset({"Variation", "XGID", "Termination", "Points", "Ending", "Next"})
RULES: Final = frozenset({"Jacoby", "Beaver", "Crawford", "CubeLimit"})
"""Headers of other programs about the cube; with values that aren't theirs they are tags."""
SWITCHES: Final = {"on": True, "off": False}
PREFIX: Final = re.compile(r"\{([0-9]{1,6})(?:/([0-9]{1,6}))?\} ?")
QUOTED_NAME: Final = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)" ?"', re.DOTALL)
PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?: [A-Za-z0-9_]+)*")
IN_TAG: Final = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
IN_COMMENT: Final = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029]")
NUMBER: Final = re.compile("[1-9][0-9]{0,8}")
SCORES: Final = re.compile("(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")
FIRST_SCORE: Final = re.compile(r": *([0-9]{1,9})\s", re.ASCII)
SECOND_SCORE: Final = re.compile("[0-9]{1,9}")
NAME: Final = re.compile(r"[^\s:;#\x00-\x1f\x7f-\x9f](?:[^:\x00-\x1f\x7f-\x9f]{0,60}[^\s:\x00-\x1f\x7f-\x9f])?")
WHITE, BLACK = "white", "black"
COLUMN: Final = 27
"""The width of the left column."""
GAP: Final = 8
"""Blanks after a row's number that put the first cell in the right column."""
MARGIN: Final = 20
"""The same for a line without a number."""
ROW_NUMBER: Final = re.compile(r" *[0-9]{1,6} ?(?:\)|\.(?![0-9]))")
WORDS: Final = {
    "double": "Doubles",
    "redouble": "Doubles",
    "beaver": "Beavers",
    "raccoon": "Raccoons",
    "take": "Takes",
    "accept": "Takes",
    "drop": "Drops",
    "reject": "Drops",
    "pass": "Drops",
    "passe": "Drops",
    "refuse": "Drops",
    "decline": "Drops",
    "win": "Wins",
    "lose": "Loses",
    "losse": "Loses",
    "resign": "Resigns",
    "resigned": "Resigned",
}
"""How cells other than rolls begin, by the word in the file without a final s."""
ROLL: Final = re.compile(r"(?<![0-9/])([1-6]{2}|00):", re.ASCII)
BEGINNING: Final = re.compile(rf"{ROLL.pattern}|(?<!\()\b({'|'.join(WORDS)})s?\b", re.IGNORECASE | re.ASCII)
CUBE_ACTIONS: Final = frozenset({"Doubles", "Beavers", "Raccoons", "Takes", "Drops"})
CUBE_WORD: Final = re.compile("|".join(word for word, head in WORDS.items() if head in CUBE_ACTIONS), re.IGNORECASE)
PASSES: Final = frozenset({"pass", "passe"})
"""Words for a drop that also say that a roll can't be played."""
_PLACE: Final = "(?:bar|off|[0-9]{1,2})"
_HOPS: Final = rf"{_PLACE}(?:/{_PLACE}\*?)+(?:\([2-4]\))?"
PLAY: Final = re.compile(rf"{_HOPS}(?:[\s,]+{_HOPS})*", re.IGNORECASE | re.ASCII)
OFFER: Final = re.compile(r"(?:=+>|to\b) *([1-9][0-9]{0,8})", re.IGNORECASE)
WHILE_ROLLING: Final = "while rolling"
"""Follows `Resigns` if the player on roll had already decided not to double."""
WIN: Final = re.compile(
    r"([0-9]{1,12})\s+points?(?:\s+and\s+the\s+match)?(?:\s*\([^()]{0,40}\))?\W*", re.IGNORECASE | re.ASCII
)


class Header(NamedTuple):
    """A header of game number `game`, or of all games: a tag or fact by its name, or a comment after `move` moves.

    A comment without `move` belongs where it is in the file.
    """

    text: str
    name: str | None = None
    is_fact: bool = False
    game: int | None = None
    move: int | None = None


def read_header(line: str) -> Header:
    """`line` is without its semicolon."""
    text = line.lstrip()
    prefix = PREFIX.match(text)
    if not prefix:
        return _read_tag(text, None) or Header(text.rstrip())
    game, rest = int(prefix[1]), text[prefix.end() :]
    if prefix[2]:
        return Header(unescape(rest), game=game, move=int(prefix[2]))
    return _read_tag(rest, game) or Header(text.rstrip())


def _read_tag(text: str, game: int | None) -> Header | None:
    text = text.rstrip()
    if not (text.startswith("[") and text.endswith('"]') and text.count('"') > 1):
        return None
    inner = text[1:-2]
    if quoted := QUOTED_NAME.match(inner):
        return Header(unescape(inner[quoted.end() :]), unescape(quoted[1]), game=game)
    name, _, value = inner.partition('"')
    name = name.strip()
    text = unescape(value)
    return Header(text, name, name in FACTS or (name in RULES and is_rule(text)), game)


def is_rule(value: str) -> bool:
    """Whether other programs write such a value in their headers about the cube."""
    return value.strip().lower() in SWITCHES or NUMBER.fullmatch(value.strip()) is not None


def write_fact(name: str, value: str) -> str:
    return f"[{name} {_quoted(value)}]"


def write_tag(name: str, value: str) -> str:
    is_plain = PLAIN_NAME.fullmatch(name) and name not in FACTS | RULES
    return f"[{name if is_plain else _quoted(name)} {_quoted(value)}]"


def write_comment(game: int, number: int, text: str) -> str:
    return f"{{{game}/{number}}} {escape(text, IN_COMMENT)}"


def _quoted(text: str) -> str:
    return f'"{escape(text, IN_TAG)}"'


class Caption(NamedTuple):
    """The lines above a game's rows."""

    number: int
    white: str
    black: str
    white_score: int
    black_score: int

    @property
    def score(self) -> tuple[int, int]:
        return self.white_score, self.black_score


def read_caption(line: str, number: int) -> Caption:
    """`line` has the names and scores, such as `Ann : 0    Bob : 0`."""
    left, _, second = (part.strip() for part in line.rpartition(":"))
    first = FIRST_SCORE.search(f"{left} ")
    if len(line) > MAX_LINE or not first or not SECOND_SCORE.fullmatch(second):
        raise BadInput(f"{line[:40]!r} does not name the players and their scores, as in  Ann : 0    Bob : 0")
    return Caption(number, left[: first.start()].strip(), left[first.end() :].strip(), int(first[1]), int(second))


def write_caption(caption: Caption) -> list[str]:
    white = f"{caption.white} : {caption.white_score} "
    return [f" Game {caption.number}", f" {white:<31}{caption.black} : {caption.black_score}"]


def names_of(caption: Caption) -> dict[str, str]:
    """The players' names as tags, without the defaults."""
    names = {"White": (caption.white, WHITE), "Black": (caption.black, BLACK)}
    return {tag: name for tag, (name, usual) in names.items() if name != usual}


def tags_of(caption: Caption, ordinal: int) -> dict[str, str]:
    """The tags of a game outside a match, without the defaults; `ordinal` counts the games of the file."""
    number = {} if caption.number == ordinal else {"Game": str(caption.number)}
    score = {} if caption.score == (0, 0) else {"Score": "{}-{}".format(*caption.score)}
    return number | names_of(caption) | score


def caption_of(tags: Mapping[str, str], ordinal: int) -> Caption:
    """Tags that don't fit into a caption are replaced by the defaults."""
    white, black = _fitting(tags.get("Score"), SCORES, "0-0").split("-")
    return Caption(
        int(_fitting(tags.get("Game"), NUMBER, str(ordinal))),
        _fitting(tags.get("White"), NAME, WHITE),
        _fitting(tags.get("Black"), NAME, BLACK),
        int(white),
        int(black),
    )


def _fitting(tag: str | None, form: re.Pattern[str], usual: str) -> str:
    return tag if tag is not None and form.fullmatch(tag) else usual


class Cell(NamedTuple):
    """`head` is two dice or one of the values of `WORDS`, `text` what follows."""

    player: Player
    head: str
    text: str

    @property
    def is_roll(self) -> bool:
        return self.head.isdigit()


def is_prose(line: str) -> bool:
    """Whether a line doesn't begin like a row: with a number or a cell."""
    return ROW_NUMBER.match(line) is None and BEGINNING.match(line.strip()) is None


def is_aside(line: str) -> bool:
    """Whether a line between the rows of a game is prose, not a row with something before it or a play alone."""
    return is_prose(line) and ROLL.search(line) is None and PLAY.fullmatch(line.strip()) is None


def has_cube_actions(text: str) -> bool:
    """Whether any row of a file has a cube action."""
    return any(_has_cube_action(line) for line in text.splitlines() if CUBE_WORD.search(line))


def _has_cube_action(line: str) -> bool:
    if line.lstrip().startswith((";", "#")):
        return False
    try:
        return any(cell.head in CUBE_ACTIONS for cell in read_cells(line))
    except BadInput:
        return False


def read_cells(line: str) -> Iterator[Cell]:
    if len(line) > MAX_LINE:
        raise BadInput(f"{line[:40].strip()!r}... is too long for a row")
    has_tabs, line = "\t" in line, line.expandtabs()
    number = ROW_NUMBER.match(line)
    at = number.end() if number else 0
    found = _beginnings(line, at)
    if line[at : found[0].start() if found else None].strip():
        raise BadInput(f"{line.strip()[:40]!r} is not a row such as   1) 31: 8/5 6/5   62: 24/18 13/11")
    is_resigned = _is_resigned(line, found) and not has_tabs
    if len(found) > 2 + is_resigned:
        raise BadInput("a row has two cells, one for each player")
    ends = [*(match.start() for match in found[1:]), len(line)]
    players = _players(found, at, GAP if number else MARGIN, is_resigned=is_resigned)
    for match, end, player in zip(found, ends, players, strict=False):
        yield Cell(player, match[1] or WORDS[match[2].lower()], line[match.end() : end].strip())


def _beginnings(line: str, at: int) -> list[re.Match[str]]:
    """Where the cells begin; `31: Pass` is one cell."""
    found: list[re.Match[str]] = []
    for match in BEGINNING.finditer(line, at):
        is_word_of_roll = match[2] and match[2].lower() in PASSES and found and found[-1][1]
        if not (is_word_of_roll and line[found[-1].end() : match.start()].isspace()):
            found.append(match)
    return found


def _is_resigned(line: str, found: list[re.Match[str]]) -> bool:
    """Whether the row ends with a result right behind a roll that was not played because a player resigned."""
    if len(found) < 2 or not found[-2][1] or not found[-1][2]:
        return False
    return WORDS[found[-1][2].lower()] == "Wins" and line[found[-2].end() : found[-1].start()].isspace()


def _players(found: list[re.Match[str]], at: int, gap: int, *, is_resigned: bool) -> tuple[Player, ...]:
    """GNU Backgammon 1.07 writes the result of a resignation behind the roll, but in the winner's column."""
    if len(found) == 1:
        return (Player.SECOND if found[0].start() - at >= gap else Player.FIRST,)
    is_left = len(found) == 2 and is_resigned and found[1].start() - at < MARGIN
    return (Player.FIRST, Player.FIRST if is_left else Player.SECOND, Player.SECOND)


def write_rows(cells: Iterable[tuple[Player, str]]) -> Iterator[str]:
    number, left = 1, ""
    for player, text in cells:
        if player is Player.SECOND:
            yield _row(number, left, text)
        elif left:
            yield _row(number, left)
        number += player is Player.SECOND or left != ""
        left = text if player is Player.FIRST else ""
    if left:
        yield _row(number, left)


def _row(number: int, left: str, right: str = "") -> str:
    """The left column is padded even if it is alone: GNU Backgammon misreads short lines."""
    return f"{number:3}) {left:<{COLUMN}} {right}"


def write_win(winner: Player, points: int, *, is_match: bool = False) -> str:
    margin = " " * (34 if winner is Player.SECOND else 6)
    return f"{margin}Wins {points} point{'s' * (points != 1)}{' and the match' * is_match}"
