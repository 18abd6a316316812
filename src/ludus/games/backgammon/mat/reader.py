"""Reads MAT files: first the cells of a game, then their replay by the rules."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import BadInput, BadMove, GameIsOver, IllegalMove, LudusError, MalformedRecord, UnknownVariant
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT, Errors, Problems, report
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.backgammon.mat import text as texts
from ludus.games.backgammon.mat.text import Caption, Cell, Header
from ludus.games.backgammon.plays import PASS
from ludus.games.backgammon.position import CubeAction, Play, Position, Resignation, Stage
from ludus.games.backgammon.position_text import read_xgid
from ludus.games.backgammon.variants import LONGEST_MATCH

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.games.backgammon.rules import Backgammon, Move

RECOGNIZED: Final = re.compile(
    r"^[ \t]*(?:[0-9]{1,9}[ -]+points? match|match to [0-9]{1,9}(?: points?)?|Game +[0-9]{1,9})[ \t\r]*$",
    re.MULTILINE | re.IGNORECASE,
)
FOREIGN_VARIATIONS: Final = {"backgammon": "standard", "hypergammon (3)": "hypergammon"}
"""GNU Backgammon's names for variants, where they differ from ours."""
POINTS: Final = re.compile("[1-3]")
ENDING: Final = re.compile(r"(white|black|nobody) ([0-9]{1,5}) ([0-9]{1,4}) (.+)", re.DOTALL)
SET_POSITION: Final = re.compile(r"Set Pos=([a-o-][A-Oa-o-]{24}[A-O-])(?:/[0-9])?", re.IGNORECASE)
"""eXtreme Gammon's comment on a game that starts from this board."""
UNPLAYED = frozenset({"", "???", "????"})
"""What follows a roll that was not played, or could not be."""
NOTHING = re.compile(r"(?:^| )(?:(?:0|off)/(?:0|off)|(?:25|bar)/(?:25|bar))(?= |$)", re.IGNORECASE)
"""How some files write a die that can't be played, since no man is left or none can enter."""
NO_PLAY = re.compile(
    r"\(?(?:can(?:no|['’]| no)?t move|no (?:legal )?(?:move|play)s?|dance[sd]?|fan(?:s|ned)?|pass(?:es)?|-+)\)?[.!]?",
    re.IGNORECASE,
)
"""How files say that no man can move."""
COUNT = re.compile(r"\s+(?=\([2-4]\))")
"""The blank before the number of times that a step is made."""
ILLEGAL: Final = "illegal play"
OFFERS: Final = frozenset({"Doubles", "Beavers", "Raccoons"})
RESIGNATIONS: Final = frozenset({"Resigns", "Resigned"})
ENDS: Final = RESIGNATIONS | {"Wins", "Loses"}
RESIGNED_WINS: Final = ((re.compile("backgammon", re.IGNORECASE), 3), (re.compile("gammon", re.IGNORECASE), 2))
RESIGNED_MATCH: Final = re.compile("match", re.IGNORECASE)
MOST_POINTS: Final = 3
"""The points of a backgammon, times the cube."""


def recognizes(text: str) -> bool:
    return RECOGNIZED.search(text) is not None


def read(
    rules: Backgammon, text: str, errors: Errors = "raise", skipped: Problems | None = None
) -> Iterator[Game[Position, Move]]:
    """Yields each game or match of a file as soon as the next begins."""
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    reader = _Reader(rules, texts.has_cube_actions(text), errors, skipped)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number, line in enumerate(lines, start=1):
        try:
            reader.take(line, number)
        except LudusError:
            yield from reader.ready()
            raise
        yield from reader.ready()
    reader.finish()
    yield from reader.ready()


def _located(error: LudusError, line: int) -> MalformedRecord:
    if isinstance(error, MalformedRecord):
        return error
    located = MalformedRecord(str(error), line)
    located.__cause__ = error
    return located


@dataclass
class _Head:
    """Headers of one record, or of all that follow."""

    line: int = 0
    tags: dict[str, str] = field(default_factory=dict)
    comments: dict[int, str] = field(default_factory=dict)
    problem: MalformedRecord | None = None
    layout: str | None = None
    start: Position | None = None
    reason: str | None = None
    points: int | None = None
    ending: Outcome | None = None
    last: str | None = None
    """What the rows can't show: that the dice come next, or that the last move was a resignation."""
    has_jacoby: bool | None = None
    has_beavers: bool | None = None
    has_crawford: bool | None = None
    cube_limit: int | None = None

    def over(self, other: _Head) -> _Head:
        """Merges two headers; this one takes precedence."""
        merged = _Head(self.line, other.tags | self.tags, self.comments, self.problem or other.problem)
        for name in vars(merged).keys() - {"line", "tags", "comments", "problem"}:
            own = getattr(self, name)
            setattr(merged, name, getattr(other, name) if own is None else own)
        return merged


@dataclass
class _Sheet:
    """One game as it is written."""

    caption: Caption
    entries: list[tuple[int, Cell | str]] = field(default_factory=list)
    """Cells and comments with their lines."""
    is_over: bool = False

    def add(self, line: str, number: int) -> None:
        """Adds a line, which is a row or prose."""
        if texts.is_prose(line) if self.is_over else texts.is_aside(line):
            self.entries.append((number, line.strip()[: texts.MAX_LINE]))
            return
        cells = list(texts.read_cells(line))
        self.is_over |= any(cell.head in ENDS or cell.head == "Drops" for cell in cells)
        self.entries.extend((number, cell) for cell in cells)

    @property
    def cells(self) -> Iterator[Cell]:
        return (entry for _, entry in self.entries if isinstance(entry, Cell))

    @property
    def has_cube_actions(self) -> bool:
        return any(cell.head in texts.CUBE_ACTIONS for cell in self.cells)

    @property
    def has_beavers(self) -> bool:
        """Whether a beaver was made, which some programs write as another double."""
        heads = [cell.head for cell in self.cells]
        return "Beavers" in heads or ("Doubles", "Doubles") in pairwise(heads)

    @property
    def board(self) -> str | None:
        """The board from which the game starts, if it is written above its rows."""
        for _, entry in self.entries:
            if isinstance(entry, Cell):
                return None
            if match := SET_POSITION.match(entry):
                return match[1]
        return None

    @property
    def first_player(self) -> Player | None:
        return next((cell.player for cell in self.cells if cell.is_roll or cell.head == "Doubles"), None)

    @property
    def result(self) -> tuple[Player, int | None] | None:
        """The winner and the points, if they are given."""
        found = None
        for cell in self.cells:
            points = texts.WIN.fullmatch(cell.text)
            if cell.head == "Wins":
                return cell.player, int(points[1]) if points else None
            if cell.head == "Loses":
                found = cell.player.other, int(points[1]) if points else None
        return found

    @property
    def resignation(self) -> Cell | None:
        """The resignation after the last roll or cube action, if there is one."""
        rest = (entry for _, entry in self.entries[self.last_action + 1 :] if isinstance(entry, Cell))
        return next((cell for cell in rest if cell.head in RESIGNATIONS), None)

    @property
    def wins_match(self) -> bool:
        return any(cell.head == "Wins" and "match" in cell.text.lower() for cell in self.cells)

    @property
    def last_action(self) -> int:
        """The index of the last cell that is more than a result or an empty roll."""
        places = (i for i, (_, entry) in enumerate(self.entries) if isinstance(entry, Cell) and _is_action(entry))
        return max(places, default=-1)


def _is_action(cell: Cell) -> bool:
    return cell.head not in ENDS and cell.head != "00"


class _Reader:
    def __init__(self, rules: Backgammon, has_cube_actions: bool, errors: Errors, skipped: Problems | None) -> None:
        self._rules = rules
        self._has_cube_actions = has_cube_actions
        self._errors: Errors = errors
        self._skipped = skipped
        self._ready: list[Game[Position, Move]] = []
        self._all = _Head()
        self._heads: dict[int, _Head] = {}
        self._head = _Head()
        self._comments: list[str] = []
        self._preface: MalformedRecord | None = None
        """What to say about prose above the first game if there is no game."""
        self._length = 0
        self._ordinal = 0
        self._number: int | None = None
        self._sheet: _Sheet | None = None
        self._match: _Replay | None = None
        self._is_first_part = False
        self._is_skipping = False
        self._is_match_skipped = False

    def ready(self) -> Iterator[Game[Position, Move]]:
        """Yields the records that have been completed since the last call."""
        while self._ready:
            yield self._ready.pop(0)

    def take(self, line: str, number: int) -> None:
        try:
            self._take(line, number)
        except LudusError as error:
            if self._sheet and self._sheet.is_over:
                self._close_sheet()
            self._sheet, self._number, self._is_skipping = None, None, True
            report(_located(error, number), self._errors, self._skipped)

    def finish(self) -> None:
        self._close_match()
        if self._preface:
            report(self._preface, self._errors, self._skipped)
        for number, head in self._heads.items():
            problem = head.problem or MalformedRecord(f"there is no game {number} after this line", head.line)
            report(problem, self._errors, self._skipped)

    def _take(self, line: str, number: int) -> None:
        words = line.strip()
        if words.startswith((";", "#")):
            self._header(texts.read_header(line.lstrip()[1:]), number)
        elif match := texts.MATCH.fullmatch(words):
            self._begin_match(int(match[1] or match[2]))
        elif texts.MONEY.fullmatch(words):
            self._begin_match(0)
        elif self._is_match_skipped:
            return
        elif match := texts.GAME.fullmatch(words):
            self._close_sheet()
            self._number, self._is_skipping = int(match[1]), False
        elif words and self._number is not None:
            self._begin_game(texts.read_caption(words, self._number), number)
            self._number = None
        elif words and not self._is_skipping:
            self._row(line, number)

    def _header(self, header: Header, line: int) -> None:
        head = self._all if header.game is None else self._heads.setdefault(header.game, _Head(line))
        if header.move is not None:
            head.comments[header.move] = header.text
        elif header.name is None:
            self._comment(header.text, line)
        elif header.is_fact:
            try:
                self._fact(head, header.name, header.text)
            except LudusError as error:
                head.problem = _located(error, line)
                if self._errors == "raise":
                    raise
        else:
            head.tags[header.name] = header.text

    def _fact(self, head: _Head, name: str, value: str) -> None:
        switch = texts.SWITCHES.get(value.strip().lower())
        match name:
            case "Variation":
                head.layout = self._layout(value)
            case "XGID":
                head.start = read_xgid(value)
            case "Termination":
                head.reason = value or None
            case "Points":
                if not POINTS.fullmatch(value):
                    raise BadInput(f"the points {value[:40]!r} are not 1, 2 or 3")
                head.points = int(value)
            case "Ending":
                head.ending = _ending(value)
            case "Next":
                head.last = value
            case "Jacoby":
                head.has_jacoby = switch
            case "Beaver":
                head.has_beavers = switch
            case "Crawford":
                head.has_crawford = switch
            case "CubeLimit" if value.strip().isdigit():
                head.cube_limit = int(value)

    def _layout(self, name: str) -> str:
        known = FOREIGN_VARIATIONS.get(name.strip().lower(), name.strip().lower())
        if known not in self._rules.variants:
            raise UnknownVariant(f"there is no variant {name[:40]!r}; there are {', '.join(self._rules.variants)}")
        return known

    def _comment(self, text: str, line: int) -> None:
        """A comment belongs to the game around it, or to the first one."""
        if self._sheet:
            self._sheet.entries.append((line, text))
        elif text and not self._is_match_skipped:
            self._comments.append(text)

    def _begin_match(self, length: int) -> None:
        self._close_match()
        self._length, self._is_match_skipped = length, length > LONGEST_MATCH
        if length:
            self._next_head()
        if self._is_match_skipped:
            raise BadInput(f"matches to more than {LONGEST_MATCH} points are not read")

    def _next_head(self) -> None:
        self._ordinal += 1
        self._head = self._heads.pop(self._ordinal, _Head()).over(self._all)
        self._is_first_part = True

    def _begin_game(self, caption: Caption, line: int) -> None:
        if not self._length:
            self._next_head()
        if self._head.problem:
            raise self._head.problem
        self._preface = None
        self._sheet = _Sheet(caption, [(line, text) for text in self._comments])
        self._comments.clear()

    def _row(self, line: str, number: int) -> None:
        if self._sheet:
            self._sheet.add(line, number)
            return
        problem = MalformedRecord(f"{line.strip()[:40]!r} comes before the first line such as  Game 1", number)
        if self._ordinal > (self._length > 0) or not texts.is_prose(line):
            raise problem
        self._preface = self._preface or problem
        if not texts.FRAME.fullmatch(line.strip()):
            self._comments.append(line.strip()[: texts.MAX_LINE])

    def _close_sheet(self) -> None:
        sheet, self._sheet = self._sheet, None
        if sheet is None:
            return
        try:
            if self._length:
                self._add_to_match(sheet)
            else:
                self._ready.append(self._money_game(sheet))
        except MalformedRecord as problem:
            report(problem, self._errors, self._skipped)

    def _close_match(self) -> None:
        self._close_sheet()
        match, self._match = self._match, None
        if match:
            self._emit(match)

    def _emit(self, match: _Replay) -> None:
        try:
            self._ready.extend(match.finish())
        except MalformedRecord as problem:
            report(problem, self._errors, self._skipped)

    def _add_to_match(self, sheet: _Sheet) -> None:
        """Continues the match if the score fits, else begins another record, since games are missing in between.

        After a bad game, the part of the match before it becomes a record only if bad games are skipped: otherwise it
        could be mistaken for the whole match.
        """
        if self._match and not self._match.is_followed_by(sheet):
            self._emit(self._match)
            self._match = None
        replay = self._match = self._match or self._new_match(sheet)
        mark = replay.mark
        try:
            replay.add(sheet)
        except MalformedRecord:
            self._match = None
            replay.go_back(mark)
            if replay.has_moves and self._errors == "skip":
                self._emit(replay)
            raise

    def _new_match(self, sheet: _Sheet) -> _Replay:
        caption, head = sheet.caption, self._head
        number = {} if caption.number == 1 else {"Game": str(caption.number)}
        tags = texts.names_of(caption) | number | head.tags
        line = sheet.entries[0][0] if sheet.entries else 0
        try:
            game = Game(self._rules, start=self._match_start(sheet), tags=tags)
        except LudusError as error:
            raise _located(error, line) from error
        if self._is_first_part:
            game.comments |= head.comments
            self._is_first_part = False
            return _Replay(game, head)
        return _Replay(game, _Head(tags=head.tags))

    def _match_start(self, sheet: _Sheet) -> Position:
        head, caption = self._head, sheet.caption
        if head.start and self._is_first_part:
            if head.start.match is None or head.start.match.length != self._length:
                raise BadInput(f"the match is to {self._length} points, the position is of another")
            return head.start
        if max(caption.score) >= self._length:
            raise BadInput(f"the match to {self._length} is over at {caption.white_score}-{caption.black_score}")
        start = self._start(sheet, has_cube=head.cube_limit != 1, length=self._length)
        assert start.match is not None
        is_near = max(caption.score) == self._length - 1
        is_crawford = self._length == 1 or (is_near and head.has_crawford is not False and not sheet.has_cube_actions)
        score = start.match._replace(white=caption.white_score, black=caption.black_score, is_crawford=is_crawford)
        return start._replace(match=score)

    def _start(self, sheet: _Sheet, *, has_cube: bool, length: int | None, jacoby: bool | None = None) -> Position:
        rules, head = self._rules, self._head
        name = rules.variant_name(
            head.layout or "standard",
            match_length=length,
            cube=has_cube,
            jacoby=jacoby or None,
            beavers=(head.has_beavers or sheet.has_beavers or None) if has_cube and not length else None,
        )
        start = rules.start(name)
        if sheet.board is None:
            return start
        board = read_xgid(f"{sheet.board}:0:0:0:00:0:0:0:0:10")
        if board[:2] == start[:2]:
            return start
        return start._replace(white=board.white, black=board.black, mover=sheet.first_player)

    def _money_game(self, sheet: _Sheet) -> Game[Position, Move]:
        head = self._head
        if head.start:
            if head.start.match:
                raise MalformedRecord("the position is of a match", head.line or 1)
            return self._replayed(sheet, head.start)
        tells = head.has_jacoby is not None or head.has_beavers is not None or head.cube_limit is not None
        has_cube = head.cube_limit != 1 and (tells or self._has_cube_actions)
        start = self._start(sheet, has_cube=has_cube, length=None, jacoby=head.has_jacoby and has_cube)
        game = self._replayed(sheet, start)
        if has_cube and head.has_jacoby is None and _shows_jacoby(game, sheet):
            return self._replayed(sheet, self._start(sheet, has_cube=True, length=None, jacoby=True))
        return game

    def _replayed(self, sheet: _Sheet, start: Position) -> Game[Position, Move]:
        head = self._head
        game = Game(self._rules, start=start, tags=texts.tags_of(sheet.caption, self._ordinal) | head.tags)
        game.comments |= head.comments
        replay = _Replay(game, head)
        replay.add(sheet)
        (game,) = replay.finish()
        return game


def _ending(value: str) -> Outcome:
    match = ENDING.fullmatch(value)
    if not match:
        raise BadInput(f"{value[:40]!r} does not tell how the game ended, as in  white 1 1 time")
    winner = None if match[1] == "nobody" else Player((texts.WHITE, texts.BLACK).index(match[1]))
    return Outcome(winner, match[4], int(match[2]), int(match[3]))


def _shows_jacoby(game: Game[Position, Move], sheet: _Sheet) -> bool:
    """Whether a gammon without a double has counted one point."""
    outcome, result = game.outcome, sheet.result
    is_gammon = outcome is not None and outcome.reason == Reason.BORNE_OFF and (outcome.points, outcome.stake) > (1, 1)
    return is_gammon and outcome is not None and outcome.stake == 1 and result is not None and result[1] == 1


class _Resigned(NamedTuple):
    """A resignation whose points are not written."""

    winner: Player
    win: int
    is_match: bool


class _Replay:
    """A record to which the games of a match are added one by one.

    A double that our rules don't allow, since it is of no use to the doubler, begins another record if it is taken.
    """

    def __init__(self, game: Game[Position, Move], head: _Head) -> None:
        self.game = game
        self._head = head
        self._shows_start = bool(game.start.dice)
        self._notes = {number: [text] for number, text in game.comments.items()}
        self._earlier: list[tuple[Game[Position, Move], dict[int, list[str]]]] = []
        """Records before a double that is not allowed, with their comments."""
        self._number = 1
        """Of the game in the match."""
        self._is_won = False
        self._resigned: _Resigned | None = None
        self._dead_double: Player | None = None
        """Who has offered a double that is of no use to them, until it is answered."""

    @property
    def _is_single(self) -> bool:
        """Whether this is a game without a cube, in which a resignation is an ending."""
        return self.game.start.cube is None and self.game.start.match is None

    @property
    def mark(self) -> tuple[int, int]:
        """The state to which the replay can return."""
        return len(self._earlier), self.game.length

    @property
    def has_moves(self) -> bool:
        return self.mark > (0, 0)

    def go_back(self, mark: tuple[int, int]) -> None:
        earlier, length = mark
        if len(self._earlier) > earlier:
            self.game, self._notes = self._earlier[earlier]
            del self._earlier[earlier:]
        while self.game.length > length:
            self.game.undo()

    def finish(self) -> list[Game[Position, Move]]:
        try:
            self._finish()
        except LudusError as error:
            raise _located(error, self._head.line or 1) from error
        records = [*self._earlier, (self.game, self._notes)]
        for game, notes in records:
            game.comments |= {number: "".join(texts) for number, texts in notes.items() if number <= game.length}
        return [game for game, _ in records]

    def _finish(self) -> None:
        game, head = self.game, self._head
        if self._resigned and not head.ending:
            self._settle_resignation(self._resigned)
        if head.last == "dice" and not game.outcome and game.turn.player is not None and not game.position.dice:
            game.play(CubeAction.NO_DOUBLE)
        if game.outcome:
            if head.reason is not None and game.ending is None:
                game.tags["Termination"] = head.reason
        elif head.ending:
            game.end(head.ending)
        elif self._is_single and head.reason is not None:
            game.end(Outcome(None, head.reason, head.points or 1))

    def is_followed_by(self, sheet: _Sheet) -> bool:
        if self.game.outcome or sheet.board:
            return False
        self._settle_by(sheet.caption)
        position = self.game.position
        match = position.match
        if match is None or position.mover is not None or (match.is_crawford and sheet.has_cube_actions):
            return False
        return (match.white, match.black) == sheet.caption.score

    def _settle_by(self, caption: Caption) -> None:
        """Ends a game whose result or points can only be told from the next score."""
        match, resigned = self.game.position.match, self._resigned
        if match is None or (self.game.position.mover is None and resigned is None):
            return
        self._resigned = None
        white, black = caption.white_score - match.white, caption.black_score - match.black
        if white > 0 and not black:
            self._concede(Player.FIRST, white)
        elif black > 0 and not white:
            self._concede(Player.SECOND, black)
        elif resigned:
            self._settle_resignation(resigned)

    def add(self, sheet: _Sheet) -> None:
        self._is_won, self._dead_double, self._number = False, None, sheet.caption.number
        before = self.game.position.match
        result, last = sheet.result, sheet.last_action
        is_ended = result is not None or sheet.resignation is not None
        for place, (line, entry) in enumerate(sheet.entries):
            try:
                if isinstance(entry, str):
                    self._note(entry)
                elif self._is_won or self._is_over(before):
                    self._take_rest(entry)
                else:
                    self._take(entry, is_tail=place == last and is_ended)
            except LudusError as error:
                raise _located(error, line) from error
        if self._is_over(before):
            return
        if result is None:
            self._resigned = self._resignation(sheet.resignation)
            return
        if self._head.ending and (before is None or sheet.wins_match):
            return  # a header says more about it
        winner, points = result
        try:
            if sheet.wins_match and self._is_beyond_reach(winner):
                self.game.end(Outcome(winner, Reason.RESIGNATION))
                return
            self._settle(winner, points or 0, is_resigned=any(cell.head in RESIGNATIONS for cell in sheet.cells))
        except LudusError as error:
            raise _located(error, sheet.entries[-1][0]) from error

    def _resignation(self, cell: Cell | None) -> _Resigned | None:
        """`Resigns` is in the resigning player's column; `Resigned Game` may be in the other, so the turn decides."""
        if cell is None:
            return None
        on_turn = self.game.turn.player or self.game.position.mover
        loser = cell.player if cell.head == "Resigns" or on_turn is None else on_turn
        win = next((win for word, win in RESIGNED_WINS if word.search(cell.text)), 1)
        return _Resigned(loser.other, win, RESIGNED_MATCH.search(cell.text) is not None)

    def _settle_resignation(self, resigned: _Resigned) -> None:
        """A resignation without points concedes a single game, unless its text says more."""
        position, (winner, win, is_match) = self.game.position, resigned
        if is_match and self._is_beyond_reach(winner):
            self.game.end(Outcome(winner, Reason.RESIGNATION))
            return
        points = position.match.away(winner) if is_match and position.match else win * position.stake
        self._settle(winner, points, is_resigned=True)

    def _is_over(self, before: object) -> bool:
        """Whether the game that is being read has ended by the rules; `before` was the score."""
        return self.game.outcome is not None or self.game.position.match != before

    def _take_rest(self, cell: Cell) -> None:
        """Handles cells after the end: a result, or the empty cell of a player who did not roll."""
        if cell.head == "Wins":
            self._win(cell)
        elif _is_action(cell) and not (cell.is_roll and cell.text in UNPLAYED):
            raise GameIsOver("the game is over: it has been won")

    def _take(self, cell: Cell, *, is_tail: bool) -> None:
        if cell.head == "Wins":
            self._win(cell)
        elif cell.head in OFFERS:
            self._double(cell)
        elif cell.head in ("Takes", "Drops"):
            self._answer(cell)
        elif cell.is_roll:
            self._roll(cell, is_tail=is_tail)
        elif cell.head == "Resigns" and cell.text == texts.WHILE_ROLLING:
            self.game.play("roll")

    def _win(self, cell: Cell) -> None:
        if not texts.WIN.fullmatch(cell.text):
            raise BadInput(f"{cell.text[:40]!r} does not give the points of a win")
        self._is_won = True

    def _roll(self, cell: Cell, *, is_tail: bool) -> None:
        text = NOTHING.sub("", cell.text).strip()
        if cell.head == "00":
            if text not in UNPLAYED:
                raise BadInput("00 is not a roll")
            return
        one, two = int(cell.head[0]), int(cell.head[1])
        high, low = max(one, two), min(one, two)
        if self._shows_start:
            self._check_start((high, low))
        else:
            self._get_ready()
            is_opening = self.game.position.mover is None
            self.game.play(f"{low}{high}" if is_opening and cell.player is Player.SECOND else f"{high}{low}")
        self._check_turn(cell.player)
        if text not in UNPLAYED:
            self._play(PASS if NO_PLAY.fullmatch(text) else COUNT.sub("", text), is_tail=is_tail)

    def _play(self, text: str, *, is_tail: bool) -> None:
        """Makes a play. The last one of a resigned game may be unfinished; it is kept as a comment."""
        try:
            if text.lower().startswith(ILLEGAL):
                raise IllegalMove("an illegal play was made here, which can't be replayed")
            self.game.play(text)
        except BadMove:
            if not is_tail:
                raise
            self._note(text)

    def _check_start(self, dice: tuple[int, int]) -> None:
        self._shows_start = False
        if dice != self.game.start.dice:
            raise BadInput("the game starts with the dice {}{}".format(*self.game.start.dice))

    def _check_turn(self, player: Player) -> None:
        mover = self.game.position.mover
        if mover is not None and mover is not player:
            raise BadInput(f"it is {self.game.rules.players[mover]}'s turn")

    def _get_ready(self) -> None:
        """Plays what a file may leave out before a roll: a forced pass, a take, the decision not to double."""
        self._pass()
        if self._dead_double is not None:
            self._take_dead_double()
        if self._stage in (Stage.DOUBLED, Stage.BEAVERED):
            self.game.play(CubeAction.TAKE)
        elif self.game.turn.player is not None:
            self.game.play(CubeAction.NO_DOUBLE)

    def _pass(self) -> None:
        if not self.game.position.dice or self.game.turn.player is None:
            return
        if self.game.legal_moves() != (Play(()),):
            raise BadInput("the roll {}{} has not been played".format(*self.game.position.dice))
        self.game.play(Play(()))

    @property
    def _stage(self) -> Stage | None:
        cube = self.game.position.cube
        return cube.stage if cube else None

    @property
    def _offerer(self) -> Player | None:
        """Who has offered a double or beaver that is not answered yet."""
        mover = self.game.position.mover
        if mover is None or self._stage not in (Stage.DOUBLED, Stage.BEAVERED):
            return None
        return mover if self._stage is Stage.DOUBLED else mover.other

    def _double(self, cell: Cell) -> None:
        match = texts.OFFER.fullmatch(cell.text)
        if not match and cell.text:
            raise BadInput(f"{cell.text[:40]!r} is not a cube's value such as => 2")
        self._pass()
        mover = self.game.position.mover
        if mover is None:
            raise BadInput("nobody can double now")
        if self._stage is Stage.BEAVERED or cell.head == "Raccoons":
            raise BadInput("a raccoon, the third double in a row, is not played here")
        if self._stage is Stage.DOUBLED:
            self._check_answer(cell)
            self.game.play("beaver")
        else:
            self._check_turn(cell.player)
            if self._is_dead:
                self._note(f"{cell.head} {cell.text}".strip())
                self._dead_double = cell.player
                return
            self.game.play("double")
        cube = self.game.position.cube
        if match and cube and int(match[1]) != cube.offered:
            raise BadInput(f"the cube is turned to {cube.offered}, not {match[1]}")

    @property
    def _is_dead(self) -> bool:
        """Whether the player on roll has the cube, but no more use for it in the match."""
        cube, match, mover = self.game.position.cube, self.game.position.match, self.game.position.mover
        if cube is None or match is None or mover is None or match.is_crawford or cube.owner is mover.other:
            return False
        return cube.stage is Stage.ON_ROLL and match.is_dead(cube.value, mover)

    def _take_dead_double(self) -> None:
        """Takes a double of a player who has no more use for it; the cube is turned only if the taker has."""
        doubler, self._dead_double = self._dead_double, None
        cube, match = self.game.position.cube, self.game.position.match
        assert cube is not None and match is not None and doubler is not None
        if match.is_dead(cube.value, doubler.other):
            return
        taken = cube._replace(value=2 * cube.value, owner=doubler.other, stage=Stage.ROLLING)
        number = {} if self._number == 1 else {"Game": str(self._number)}
        tags = {name: text for name, text in self.game.tags.items() if name != "Game"} | number
        self._earlier.append((self.game, self._notes))
        self.game, self._notes = Game(self.game.rules, start=self.game.position._replace(cube=taken), tags=tags), {}

    def _answer(self, cell: Cell) -> None:
        if self._dead_double is cell.player.other:
            if cell.head == "Takes":
                self._take_dead_double()
            else:
                self._concede(cell.player.other, 0)
            return
        self._check_answer(cell)
        self.game.play(CubeAction.TAKE if cell.head == "Takes" else CubeAction.DROP)

    def _check_answer(self, cell: Cell) -> None:
        if self._offerer is not cell.player.other:
            raise BadInput("there is no double to answer")

    def _is_beyond_reach(self, winner: Player) -> bool:
        """Whether even a backgammon would not win the match, so that the match was resigned."""
        position = self.game.position
        return position.match is not None and position.match.away(winner) > MOST_POINTS * position.stake

    def _settle(self, winner: Player, points: int, *, is_resigned: bool) -> None:
        if not is_resigned and winner is self._offerer:
            self.game.play(CubeAction.DROP)
        elif self._is_single and self._head.last != "resignation":
            self._end(winner, points)
        else:
            self._concede(winner, points)

    def _end(self, winner: Player, points: int) -> None:
        head = self._head
        if not 1 <= points <= MOST_POINTS:
            raise BadInput(f"a game without a cube is won with 1 to {MOST_POINTS} points, not {points}")
        reason = Reason.RESIGNATION if head.reason is None else head.reason
        self.game.end(Outcome(winner, reason, points if head.points is None else head.points))

    def _concede(self, winner: Player, points: int) -> None:
        """Resigns for the loser; points beyond the possible are reduced to what the winner needs."""
        position = self.game.position
        stake = position.stake
        if points > MOST_POINTS * stake and position.match:
            points = min(points, position.match.away(winner))
        win = min(max(-(-points // stake), 1), MOST_POINTS)
        if position.cube and position.cube.has_jacoby and stake == 1:
            win = 1
        self.game.play(Resignation(winner.other, win))

    def _note(self, text: str) -> None:
        notes = self._notes.setdefault(len(self.game.moves), [])
        notes += ["\n", text] if notes else [text]
