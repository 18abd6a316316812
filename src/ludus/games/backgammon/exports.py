"""Text exports of positions: eXtreme Gammon's, with XGIDs and tables of moves, GNU Backgammon's, and Snowie's lines.

An export is a list of positions with their analysis. Positions that follow from each other, as those of an exported
game do, are one record: the moves between them are found by the rules. Any other position starts a record of its own,
without moves. What is said about a position is its comment.

eXtreme Gammon calls the player on roll X and the other one O, while an XGID always gives white's men in capital
letters. GNU Backgammon's X is always the lower player, who is white. It also says what was done in each position and
who won, so a game's last move is not lost.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ludus.core.errors import LudusError, MalformedRecord
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT, Errors, Problems, report
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon.position import Cube, CubeAction, Play, Position, Resignation, Roll
from ludus.games.backgammon.position_text import SNOWIE, read_position_id, read_snowie, read_xgid, undecided

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.games.backgammon.rules import Backgammon, Move

POSITION: Final = re.compile(r"XGID=\S.*|(?:-?[0-9]{1,4};){5}[^\n]*;", re.IGNORECASE)
GNU_POSITION: Final = re.compile(r"GNU Backgammon +Position ID: *([A-Za-z0-9+/]{14})")
GNU_MATCH: Final = re.compile(r"Match ID *: *([A-Za-z0-9+/]{12})")
RECOGNIZED: Final = re.compile(
    r"^\ufeff?[ \t]*(?:XGID=[A-Oa-o-]{26}:|(?:-?[0-9]{1,4};){5}[^\n;]*;[^\n;]*;-?[0-9]"
    r"|GNU Backgammon +Position ID: *[A-Za-z0-9+/]{14}[ \t\r]*$)",
    re.MULTILINE,
)
PLAYERS: Final = re.compile(r"X:(.*?)\s{2,}O:(.*)")
GNU_PLAYER: Final = re.compile(r"\+[-0-9]{30,50}\+ +([OX]): (.*?)(?: \(Cube: [0-9]+\))?")
GNU_ACTION: Final = re.compile(r"\* .* (?:moves ([0-9baroff/*() ]+)|(accepts|rejects|cannot move))", re.IGNORECASE)
GNU_WIN: Final = re.compile(r"(.+) wins ([0-9]{1,5}) points?")
GNU_NEXT: Final = re.compile(r"Move number [0-9]+:")
DRAWN: Final = re.compile(r"\s*[+|]")
"""The beginning of a line that draws the board."""
VERSION: Final = "eXtreme Gammon Version"
MOST_COMMENT: Final = 4000
"""The most characters of a position's comment that are kept."""
MOST_WIN: Final = 3
"""The value of a backgammon, in points times the cube."""
NO_DOUBLE, DOUBLE, TAKE, BEAVER = CubeAction.NO_DOUBLE, CubeAction.DOUBLE, CubeAction.TAKE, CubeAction.BEAVER
DECISIONS: Final[tuple[tuple[CubeAction, ...], ...]] = (
    (), (NO_DOUBLE,), (DOUBLE,), (DOUBLE, TAKE), (TAKE,),
    (BEAVER,), (DOUBLE, BEAVER), (BEAVER, TAKE), (DOUBLE, BEAVER, TAKE),
)  # fmt: skip
"""What can be decided about the cube between two positions with the same men."""


@dataclass
class _Section:
    """A position and what is written below it."""

    line: int
    text: str
    lines: list[str] = field(default_factory=list)
    is_gnu: bool = False

    def read(self) -> Position:
        try:
            if self.is_gnu:
                return read_position_id(self.text)
            return read_snowie(self.text) if SNOWIE.fullmatch(self.text) else read_xgid(self.text)
        except LudusError as error:
            raise MalformedRecord(str(error), self.line) from error

    def add(self, line: str) -> None:
        match = GNU_MATCH.fullmatch(line.strip())
        if self.is_gnu and match and not self.lines:
            self.text = f"{self.text}:{match[1]}"
        else:
            self.lines.append(line)

    def names(self, position: Position) -> dict[str, str]:
        if self.is_gnu:
            sides = {match[1]: match[2] for match in self._matches(GNU_PLAYER)}
            return {tag: sides[side] for tag, side in (("White", "X"), ("Black", "O")) if sides.get(side)}
        if SNOWIE.fullmatch(self.text):
            found = [name.strip() for name in self.text.split(";")[5:7]]
        else:
            match = next(filter(None, (PLAYERS.fullmatch(line.strip()) for line in self.lines)), None)
            found = [name.strip() for name in match.groups()] if match else []
        if position.mover is Player.SECOND:
            found.reverse()
        return {tag: name for tag, name in zip(("White", "Black"), found, strict=False) if name}

    def _matches(self, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
        return (match for line in self.lines if (match := pattern.fullmatch(line.strip())))

    @property
    def action(self) -> str:
        """What was done in this position, as the text of a move, if the export says it."""
        match = next(self._matches(GNU_ACTION), None)
        if not self.is_gnu or not match:
            return ""
        return match[1] or {"accepts": "take", "rejects": "drop"}.get(match[2].lower(), "pass")

    def winner(self, position: Position) -> tuple[Player, int] | None:
        """Who has won and how many points, if the export says it."""
        names = list(self.names(position).values())
        for match in self._matches(GNU_WIN):
            if self.is_gnu and len(names) == len(Player) and match[1] in names:
                return Player(names.index(match[1])), int(match[2])
        return None

    @property
    def comment(self) -> str:
        """The text after the blank line that follows the position's description."""
        above = next((i for i, line in enumerate(self.lines) if PLAYERS.fullmatch(line.strip())), 0)
        below = next((i for i, line in enumerate(self.lines) if i > above and not line.strip()), len(self.lines))
        lines = self.lines[below : self._end]
        kept = [line.strip() for line in lines if not DRAWN.match(line) and VERSION not in line]
        return "\n".join(line for line in kept if line)[:MOST_COMMENT]

    @property
    def _end(self) -> int:
        """The index at which the next position, or the game's statistics, begins."""
        ends = (i for i, line in enumerate(self.lines) if GNU_NEXT.match(line) or GNU_WIN.fullmatch(line.strip()))
        return next(ends, len(self.lines)) if self.is_gnu else len(self.lines)


def recognizes(text: str) -> bool:
    return RECOGNIZED.search(text) is not None


def read(
    rules: Backgammon, text: str, errors: Errors = "raise", skipped: Problems | None = None
) -> Iterator[Game[Position, Move]]:
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    positions = list(_positions(text, errors, skipped))
    has_cube = any(position.cube for _, position in positions)
    has_beavers = any(section.is_gnu and _has_beavers(position) for section, position in positions)
    game: Game[Position, Move] | None = None
    last: _Section | None = None
    for section, position in positions:
        if has_cube and position.cube is None and position.match is None:
            position = position._replace(cube=Cube())
        if has_beavers and section.is_gnu and position.cube and position.match is None:
            position = position._replace(cube=position.cube._replace(has_beavers=True))
        moves = None if game is None else _between(rules, game.position, position)
        if game is None or moves is None:
            if game and last and _finish(game, last, errors, skipped):
                yield game
            game = Game(rules, start=position, tags=section.names(position))
        else:
            for move in moves:
                game.play(move)
        if section.comment:
            game.comments[game.length] = section.comment
        last = section
    if game and last and _finish(game, last, errors, skipped):
        yield game


def _has_beavers(position: Position) -> bool:
    """Whether beavers are known to be allowed; a match ID shows that only if one has been made."""
    return position.cube is not None and position.cube.has_beavers


def _finish(game: Game[Position, Move], last: _Section, errors: Errors, skipped: Problems | None) -> bool:
    """Plays what the export says was done in the last position; returns whether that was possible."""
    before = game.position
    won = last.winner(before)
    try:
        if last.action:
            game.play(last.action)
        if won and game.outcome is None and game.position.match == before.match:
            _concede(game, *won)
    except LudusError as error:
        problem = MalformedRecord(str(error), last.line)
        problem.__cause__ = error
        report(problem, errors, skipped)
        return False
    return True


def _concede(game: Game[Position, Move], winner: Player, points: int) -> None:
    """A win that the board does not show is a resignation."""
    position = game.position
    win = min(max(-(-points // position.stake), 1), MOST_WIN)
    if position.cube is None and position.match is None:
        game.end(Outcome(winner, Reason.RESIGNATION, win))
    else:
        game.play(Resignation(winner.other, win))


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
        gnu = GNU_POSITION.fullmatch(line.strip())
        if gnu or POSITION.fullmatch(line.strip()):
            if section:
                yield section
            section = _Section(number, gnu[1] if gnu else line.strip(), is_gnu=gnu is not None)
        elif section:
            section.add(line)
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
    for decisions in DECISIONS:
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
    """Whether two positions have the same text, which doesn't show a player's decision to roll."""
    return one is not None and undecided(one) == undecided(two)
