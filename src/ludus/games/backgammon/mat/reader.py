"""Reading MAT files."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ludus.core.errors import BadInput, LudusError, MalformedRecord, UnknownVariant
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT
from ludus.games.backgammon.mat.caption import read_caption, tags_of
from ludus.games.backgammon.mat.cells import read_cells
from ludus.games.backgammon.mat.header import read_header
from ludus.games.backgammon.mat.sheet import Sheet
from ludus.games.backgammon.position_text import read_xgid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.games.backgammon.mat.header import Header
    from ludus.games.backgammon.position import Position
    from ludus.games.backgammon.rules import Backgammon, Move

MATCH: Final = re.compile(r"([0-9]{1,9}) points? match", re.IGNORECASE | re.ASCII)
GAME: Final = re.compile(r"Game +([0-9]{1,9})", re.IGNORECASE | re.ASCII)
POINTS: Final = re.compile("[1-3]")
FOREIGN_VARIATIONS: Final = {"backgammon": "standard", "hypergammon (3)": "hypergammon"}
"""GNU Backgammon's names for variants, where it has others than we."""


def read(rules: Backgammon, text: str) -> Iterator[Game[Position, Move]]:
    """The games of a file, each as soon as the next begins."""
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    reader = _Reader(rules)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        try:
            game = reader.take(line, number)
        except LudusError as error:
            raise MalformedRecord(str(error), number) from error
        if game:
            yield game
    if last := reader.finish():
        yield last
    reader.refuse_leftovers()


@dataclass
class _Head:
    """What the headers say about a game, or about all games that follow."""

    line: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    start: Position | None = None
    reason: str | None = None
    points: int | None = None


class _Reader:
    def __init__(self, rules: Backgammon) -> None:
        self._rules = rules
        self._all = _Head()
        self._heads: dict[int, _Head] = {}
        self._remarks: list[str] = []
        self._length = 0
        self._number: int | None = None
        self._sheet: Sheet | None = None
        self._begun = 0

    def take(self, line: str, number: int) -> Game[Position, Move] | None:
        """Reads a line; returns the game that ends before it."""
        line = line.removesuffix("\r")
        words = line.strip()
        if words.startswith((";", "#")):
            self._header(read_header(line.lstrip()[1:]), number)
        elif match := MATCH.fullmatch(words):
            self._length = int(match[1])
        elif match := GAME.fullmatch(words):
            self._number = int(match[1])
            return self.finish()
        elif words and self._number is not None:
            self._begin(words, self._number)
            self._number = None
        elif words:
            self._row(line)
        return None

    def finish(self) -> Game[Position, Move] | None:
        sheet, self._sheet = self._sheet, None
        return sheet.finish() if sheet else None

    def refuse_leftovers(self) -> None:
        """Headers of games that have not come."""
        for number, head in self._heads.items():
            raise MalformedRecord(f"there is no game {number} after this line", head.line)

    def _header(self, header: Header, line: int) -> None:
        head = self._all if header.game is None else self._heads.setdefault(header.game, _Head(line))
        if header.move is not None:
            head.comments[header.move] = header.text
        elif header.name is None:
            self._remark(header.text)
        elif header.is_fact:
            self._fact(head, header.name, header.text)
        else:
            head.tags[header.name] = header.text

    def _fact(self, head: _Head, name: str, value: str) -> None:
        match name:
            case "Variation":
                head.start = self._variant(value)
            case "XGID":
                head.start = read_xgid(value)
            case "Termination":
                head.reason = value or None
            case "Points":
                if not POINTS.fullmatch(value):
                    raise BadInput(f"the points {value[:40]!r} are not 1, 2 or 3")
                head.points = int(value)

    def _variant(self, name: str) -> Position:
        known = FOREIGN_VARIATIONS.get(name.strip().lower(), name.strip().lower())
        if known not in self._rules.variants:
            raise UnknownVariant(f"there is no variant {name[:40]!r}; there are {', '.join(self._rules.variants)}")
        return self._rules.variants[known]

    def _remark(self, text: str) -> None:
        """A comment belongs to the game it stands in, or to the first one."""
        if self._sheet:
            self._sheet.remark(text)
        elif text:
            self._remarks.append(text)

    def _begin(self, names: str, number: int) -> None:
        ordinal = self._begun = self._begun + 1
        own = self._heads.pop(ordinal, _Head())
        start = own.start or self._all.start or self._rules.variants["standard"]
        tags = tags_of(read_caption(names, number, self._length), ordinal)
        game = Game(self._rules, start=start, tags=tags | self._all.tags | own.tags)
        game.comments |= own.comments
        reason = self._all.reason if own.reason is None else own.reason
        points = self._all.points if own.points is None else own.points
        self._sheet = Sheet(game, reason, points)
        for text in self._remarks:
            self._sheet.remark(text)
        self._remarks.clear()

    def _row(self, line: str) -> None:
        if not self._sheet:
            raise BadInput(f"{line.strip()[:40]!r} comes before the first line such as  Game 1")
        for cell in read_cells(line):
            self._sheet.take(cell)
