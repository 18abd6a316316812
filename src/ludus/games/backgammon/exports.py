"""Text exports of positions: eXtreme Gammon's, with XGIDs and tables of moves, and Snowie's lines.

An export is a list of positions with their analysis. Positions that follow from each other, as those of an exported
game do, are one record: the moves between them are found by the rules. Any other position starts a record of its own,
without moves. What is said about a position is its comment.

The text calls the player on roll X and the other one O, while an XGID always gives white's men in capital
letters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ludus.core.errors import LudusError, MalformedRecord
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT, Errors, Problems, report
from ludus.core.rules import Player
from ludus.games.backgammon.position import Cube, CubeAction, Play, Position, Roll
from ludus.games.backgammon.position_text import SNOWIE, read_snowie, read_xgid, undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.games.backgammon.rules import Backgammon, Move

POSITION: Final = re.compile(r"XGID=\S.*|(?:-?[0-9]{1,4};){5}[^\n]*;", re.IGNORECASE)
RECOGNIZED: Final = re.compile(
    r"^\ufeff?[ \t]*(?:XGID=[A-Oa-o-]{26}:|(?:-?[0-9]{1,4};){5}[^\n;]*;[^\n;]*;-?[0-9])", re.MULTILINE
)
PLAYERS: Final = re.compile(r"X:(.*?)\s{2,}O:(.*)")
DRAWN: Final = re.compile(r"\s*[+|]")
"""A line of the board."""
VERSION: Final = "eXtreme Gammon Version"
MOST_COMMENT: Final = 4000
"""Characters of what is kept about a position."""
NO_DOUBLE, DOUBLE, TAKE = CubeAction.NO_DOUBLE, CubeAction.DOUBLE, CubeAction.TAKE


@dataclass
class _Section:
    """A position and what is written below it."""

    line: int
    text: str
    lines: list[str] = field(default_factory=list)

    def read(self) -> Position:
        try:
            return read_snowie(self.text) if SNOWIE.fullmatch(self.text) else read_xgid(self.text)
        except LudusError as error:
            raise MalformedRecord(str(error), self.line) from error

    def names(self, position: Position) -> dict[str, str]:
        if SNOWIE.fullmatch(self.text):
            found = [name.strip() for name in self.text.split(";")[5:7]]
        else:
            match = next(filter(None, (PLAYERS.fullmatch(line.strip()) for line in self.lines)), None)
            found = [name.strip() for name in match.groups()] if match else []
        if position.mover is Player.SECOND:
            found.reverse()
        return {tag: name for tag, name in zip(("White", "Black"), found, strict=False) if name}

    @property
    def comment(self) -> str:
        """What follows the blank line after the description of the position."""
        above = next((i for i, line in enumerate(self.lines) if PLAYERS.fullmatch(line.strip())), 0)
        below = next((i for i, line in enumerate(self.lines) if i > above and not line.strip()), len(self.lines))
        kept = [line.strip() for line in self.lines[below:] if not DRAWN.match(line) and VERSION not in line]
        return "\n".join(line for line in kept if line)[:MOST_COMMENT]


def recognizes(text: str) -> bool:
    return RECOGNIZED.search(text) is not None


def read(
    rules: Backgammon, text: str, errors: Errors = "raise", skipped: Problems | None = None
) -> Iterator[Game[Position, Move]]:
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    positions = list(_positions(text, errors, skipped))
    has_cube = any(position.cube for _, position in positions)
    game: Game[Position, Move] | None = None
    for section, position in positions:
        if has_cube and position.cube is None and position.match is None:
            position = position._replace(cube=Cube())
        moves = None if game is None else _between(rules, game.position, position)
        if game is None or moves is None:
            if game:
                yield game
            game = Game(rules, start=position, tags=section.names(position))
        else:
            for move in moves:
                game.play(move)
        if section.comment:
            game.comments[game.length] = section.comment
    if game:
        yield game


def _positions(text: str, errors: Errors, skipped: Problems | None) -> Iterator[tuple[_Section, Position]]:
    for section in _sections(text):
        try:
            position = section.read()
        except MalformedRecord as problem:
            report(problem, errors, skipped)
        else:
            yield section, position


def _sections(text: str) -> Iterator[_Section]:
    section: _Section | None = None
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        line = line.removesuffix("\r")
        if POSITION.fullmatch(line.strip()):
            if section:
                yield section
            section = _Section(number, line.strip())
        elif section:
            section.lines.append(line)
    if section:
        yield section


def _between(rules: Backgammon, start: Position, goal: Position) -> tuple[Move, ...] | None:
    """The moves that lead from one position to another within a turn of each side, if there are any."""
    if _same(start, goal):
        return ()
    if not start.dice:
        return _cube_and_roll(rules, start, goal)
    for play in rules.moves(start):
        assert isinstance(play, Play)
        after = rules.play(start, play)
        if after[:3] == goal[:3] and (rest := _cube_and_roll(rules, after, goal)) is not None:
            return play, *rest
    return None


def _cube_and_roll(rules: Backgammon, start: Position, goal: Position) -> tuple[Move, ...] | None:
    """The decisions about the cube and the roll between two positions with the same men."""
    roll = (Roll(*goal.dice),) if goal.dice else ()
    if start[:2] != goal[:2]:
        return None
    tries: tuple[tuple[Move, ...], ...] = ((), (NO_DOUBLE,), (DOUBLE,), (DOUBLE, TAKE), (TAKE,))
    for decisions in tries:
        if _same(_after(rules, start, (*decisions, *roll)), goal):
            return *decisions, *roll
    return None


def _after(rules: Backgammon, position: Position, moves: tuple[Move, ...]) -> Position | None:
    try:
        for move in moves:
            position = rules.play(position, move)
    except LudusError:
        return None
    return position


def _same(one: Position | None, two: Position) -> bool:
    """Whether two positions have the same text: whether somebody has decided to roll is not in it."""
    return one is not None and undecided(one) == undecided(two)
