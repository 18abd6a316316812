r"""Games of backgammon as MAT files, the match format of JellyFish that GNU Backgammon and others write.

The left column is white's, the right one black's. Ludus has no doubling cube, but files do: cube actions are kept as
comments such as `Doubles => 2; Takes`, and the points of a win are given without the cube. A drop is a resignation, and
so is any win that the board does not show, unless a header gives another reason.

Lines that begin with a semicolon are headers. `; [Event "Open"]` is a tag of all games that follow,
`; {2} [Event "Open"]` one of the file's second game only, and `; {2/7} well rolled` a comment in it after seven moves,
rolls included. A few names, `FACTS`, are no tags: they tell how the game starts and ends. A tag with such a name, or
with one that is not plain, has it in quotes. In quoted text and in comments a quote or backslash is escaped by a
backslash, and a control character is written like `\u000a`.

Above the rows of a game are its number, the players' names and scores, and the match length: the tags `Game`, `White`,
`Black`, `Score` (such as `2-0`) and `MatchLength`. Tags with the default values are not kept: a number that counts the
games of the file, players called white and black, 0-0, a match to 0 points.

A cell of a row is a roll with its play, `31: 8/5 6/5`, a cube action, `Doubles => 2`, or the end, `Wins 1 point`. Cells
are recognized by how they begin, since a long one runs into the next column; a cell alone in its row is the right one
if there is a gap before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import BadInput, GameIsOver, LudusError, MalformedRecord, UnknownVariant
from ludus.core.escapes import escape, unescape
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT, Errors, Problems, report
from ludus.core.rules import Outcome, Player, Reason, Turn
from ludus.games.backgammon import plays
from ludus.games.backgammon.position import Play, Position, Roll
from ludus.games.backgammon.position_text import read_xgid, write_xgid

if TYPE_CHECKING:
    from ludus.games.backgammon.rules import Backgammon, Move

MAX_LINE: Final = 500
"""Characters of a row, or of the line with names and scores."""
MATCH: Final = re.compile(r"([0-9]{1,9}) points? match", re.IGNORECASE | re.ASCII)
GAME: Final = re.compile(r"Game +([0-9]{1,9})", re.IGNORECASE | re.ASCII)
RECOGNIZED: Final = re.compile(
    r"^[ \t]*(?:[0-9]{1,9} points? match|Game +[0-9]{1,9})[ \t\r]*$", re.MULTILINE | re.IGNORECASE
)
POINTS: Final = re.compile("[1-3]")
FOREIGN_VARIATIONS: Final = {"backgammon": "standard", "hypergammon (3)": "hypergammon"}
"""GNU Backgammon's names for variants, where they differ from ours."""
UNPLAYED = frozenset({"", "???", "????"})
"""What follows a roll that was not played, or could not be."""
VARIATIONS: Final = {"nackgammon": "NackGammon", "hypergammon": "HyperGammon (3)"}
"""Variants that GNU Backgammon has too, in its spelling."""
FACTS: Final = frozenset({"Variation", "XGID", "Termination", "Points"})
PREFIX: Final = re.compile(r"\{([0-9]{1,6})(?:/([0-9]{1,6}))?\} ?")
QUOTED_NAME: Final = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)" ?"', re.DOTALL)
PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?: [A-Za-z0-9_]+)*")
IN_TAG: Final = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
IN_COMMENT: Final = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029]")
NUMBER: Final = re.compile("[1-9][0-9]{0,8}")
SCORE: Final = re.compile("[0-9]{1,9}")
SCORES: Final = re.compile("(0|[1-9][0-9]{0,8})-(0|[1-9][0-9]{0,8})")
NAME: Final = re.compile(r"[^\s:;#\x00-\x1f\x7f-\x9f](?:[^:\x00-\x1f\x7f-\x9f]{0,60}[^\s:\x00-\x1f\x7f-\x9f])?")
WHITE, BLACK = "white", "black"
COLUMN: Final = 27
"""The width of the left column."""
GAP: Final = 8
"""Blanks after a row's number that put the first cell in the right column."""
MARGIN: Final = 20
"""The same for a line without a number."""
ROW_NUMBER: Final = re.compile(r" *[0-9]{1,6}\)")
BEGINNING: Final = re.compile(
    r"(?<![0-9/])([1-6]{2}):|\b(double|redouble|beaver|raccoon|take|drop|win)s?\b", re.IGNORECASE | re.ASCII
)
WORDS: Final = {
    "double": "Doubles",
    "redouble": "Doubles",
    "beaver": "Beavers",
    "raccoon": "Raccoons",
    "take": "Takes",
    "drop": "Drops",
    "win": "Wins",
}
OFFERS: Final = frozenset({"Doubles", "Beavers", "Raccoons"})
OFFER: Final = re.compile(r"=> *([1-9][0-9]{0,8})")
WIN: Final = re.compile(r"([0-9]{1,12}) points?(?: and the match)?\W*", re.IGNORECASE | re.ASCII)
CUBE_TEXT: Final = re.compile(
    r"Doubles => [1-9][0-9]{0,8}(?:; (?:Beavers|Raccoons) => [1-9][0-9]{0,8}){0,9}(?:; (?:Takes|Drops))?"
)


def recognizes(text: str) -> bool:
    return RECOGNIZED.search(text) is not None


def read(
    rules: Backgammon, text: str, errors: Errors = "raise", skipped: Problems | None = None
) -> Iterator[Game[Position, Move]]:
    """Yields each game of a file as soon as the next begins."""
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    reader = _Reader(rules)
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), start=1):
        try:
            game = reader.take(line, number)
        except LudusError as error:
            report(_located(error, number), errors, skipped)
            reader.skip_game()
        else:
            if game:
                yield game
    if last := reader.finish():
        yield last
    for problem in reader.leftovers():
        report(problem, errors, skipped)


def _located(error: LudusError, line: int) -> MalformedRecord:
    located = MalformedRecord(str(error), line)
    located.__cause__ = error
    return located


@dataclass
class _Head:
    """Headers of one game, or of all games that follow."""

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
        self._comments: list[str] = []
        self._length = 0
        self._number: int | None = None
        self._sheet: Sheet | None = None
        self._begun = 0
        self._is_skipping = False

    def skip_game(self) -> None:
        """Drops the game that is being read; its other rows are ignored."""
        self._sheet, self._number, self._is_skipping = None, None, True

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
            self._is_skipping = False
            return self.finish()
        elif words and self._number is not None:
            self._begin(words, self._number)
            self._number = None
        elif words and not self._is_skipping:
            self._row(line)
        return None

    def finish(self) -> Game[Position, Move] | None:
        sheet, self._sheet = self._sheet, None
        return sheet.finish() if sheet else None

    def leftovers(self) -> Iterator[MalformedRecord]:
        """Headers of games that did not come."""
        for number, head in self._heads.items():
            yield MalformedRecord(f"there is no game {number} after this line", head.line)

    def _header(self, header: Header, line: int) -> None:
        head = self._all if header.game is None else self._heads.setdefault(header.game, _Head(line))
        if header.move is not None:
            head.comments[header.move] = header.text
        elif header.name is None:
            self._comment(header.text)
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

    def _comment(self, text: str) -> None:
        """A comment belongs to the game around it, or to the first one."""
        if self._sheet:
            self._sheet.comment(text)
        elif text:
            self._comments.append(text)

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
        for text in self._comments:
            self._sheet.comment(text)
        self._comments.clear()

    def _row(self, line: str) -> None:
        if not self._sheet:
            raise BadInput(f"{line.strip()[:40]!r} comes before the first line such as  Game 1")
        for cell in read_cells(line):
            self._sheet.take(cell)


class Sheet:
    def __init__(self, game: Game[Position, Move], reason: str | None, points: int | None) -> None:
        """`game` has no moves yet; `reason` and `points` of its end come from headers, if there are any."""
        self._game = game
        self._reason = reason
        self._points = points
        self._cube = Cube()
        self._winner: Player | None = None
        self._worth = 1
        self._shows_start = bool(game.start.dice)
        self._notes = {number: [text] for number, text in game.comments.items()}

    def comment(self, text: str) -> None:
        self._note(text, "\n")

    def take(self, cell: Cell) -> None:
        if cell.head == "Wins":
            self._win(cell)
            return
        if self._winner is not None:
            raise GameIsOver("the game is over: it has been won")
        if cell.head in OFFERS:
            self._double(cell)
        elif cell.head in ("Takes", "Drops"):
            self._answer(cell)
        else:
            self._roll(cell)

    def finish(self) -> Game[Position, Move]:
        game = self._game
        game.comments |= {number: "".join(notes) for number, notes in self._notes.items()}
        if game.outcome:
            if self._reason is not None:
                game.tags["Termination"] = self._reason
        elif self._winner is not None or self._reason is not None:
            reason = Reason.RESIGNATION if self._reason is None else self._reason
            game.end(Outcome(self._winner, reason, self._worth if self._points is None else self._points))
        return game

    def _roll(self, cell: Cell) -> None:
        one, two = int(cell.head[0]), int(cell.head[1])
        high, low = max(one, two), min(one, two)
        if self._shows_start:
            self._check_start((high, low))
        else:
            self._pass()
            is_opening = self._game.position.mover is None
            self._game.play(f"{low}{high}" if is_opening and cell.player is Player.SECOND else f"{high}{low}")
        self._check_turn(cell.player)
        self._cube.take()
        if cell.text not in UNPLAYED:
            self._game.play(cell.text)

    def _check_start(self, dice: tuple[int, int]) -> None:
        self._shows_start = False
        if dice != self._game.start.dice:
            raise BadInput("the game starts with the dice {}{}".format(*self._game.start.dice))

    def _check_turn(self, player: Player) -> None:
        mover = self._game.position.mover
        if mover is not None and mover is not player:
            raise BadInput(f"it is {self._game.rules.players[mover]}'s turn")

    def _pass(self) -> None:
        """Plays a forced pass, which a file may leave out."""
        if self._game.turn.player is None:
            return
        if self._game.legal_moves() != (Play(()),):
            raise BadInput("the roll {}{} has not been played".format(*self._game.position.dice))
        self._game.play(Play(()))

    def _double(self, cell: Cell) -> None:
        self._pass()
        match = OFFER.fullmatch(cell.text)
        if not match and cell.text:
            raise BadInput(f"{cell.text[:40]!r} is not a cube's value such as => 2")
        if self._game.turn is not Turn.DICE or self._game.position.mover is None:
            raise BadInput("nobody can double now")
        if cell.head == "Doubles":
            self._check_turn(cell.player)
        else:
            self._check_offer(cell)
        value = int(match[1]) if match else 2 * (self._cube.offer or self._cube.stake)
        self._cube.double(cell.player, value)
        self._note(f"{cell.head} => {value}")

    def _answer(self, cell: Cell) -> None:
        self._check_offer(cell)
        self._note(cell.head)
        if cell.head == "Takes":
            self._cube.take()
        else:
            self._winner = self._cube.offerer

    def _check_offer(self, cell: Cell) -> None:
        if self._cube.offerer is not cell.player.other:
            raise BadInput("there is no double to answer")

    def _win(self, cell: Cell) -> None:
        """Takes winner and points from the file, unless the board or the cube shows them."""
        match = WIN.fullmatch(cell.text)
        if not match:
            raise BadInput(f"{cell.text[:40]!r} does not give the points of a win")
        worth = -(-int(match[1]) // self._cube.stake)
        if self._game.outcome:
            return
        if not 1 <= worth <= self._game.rules.most_points:
            raise BadInput(f"a game played for {self._cube.stake} is won 1 to 3 times that, not {match[1]} points")
        self._worth = worth
        if self._winner is None:
            self._winner = cell.player

    def _note(self, text: str, glue: str = "; ") -> None:
        notes = self._notes.setdefault(len(self._game.moves), [])
        notes += [glue, text] if notes else [text]


def write(rules: Backgammon, games: Iterable[Game[Position, Move]]) -> str:
    """Writes the games as one match; what the format has no place for goes into headers at the top."""
    games = list(games)
    length = _match_length(games)
    pages = [_Page(rules, game, ordinal, length) for ordinal, game in enumerate(games, start=1)]
    lines = [*_head(pages), "", f" {length} point match", ""]
    for page in pages:
        lines += [*page.body(), ""]
    return "\n".join(lines).lstrip("\n")


def _match_length(games: Sequence[Game[Position, Move]]) -> str:
    lengths = {game.tags.get("MatchLength", "") for game in games}
    length = lengths.pop() if len(lengths) == 1 else ""
    return length if NUMBER.fullmatch(length) else "0"


def _head(pages: Sequence[_Page]) -> Iterator[str]:
    shared = set.intersection(*(set(page.headers) for page in pages)) if pages else set()
    # GNU Backgammon chokes on a header that begins with [Game, but not if a number comes first.
    shared = {line for line in shared if not line.startswith("[Game")}
    if pages:
        yield from (f"; {line}" for line in pages[0].headers if line in shared)
    for page in pages:
        yield from (f"; {{{page.ordinal}}} {line}" for line in page.headers if line not in shared)
        yield from (f"; {write_comment(page.ordinal, *comment)}" for comment in page.comments.items())


class _Page:
    """One game of the file: its headers, the comments that are no cells, and its body."""

    def __init__(self, rules: Backgammon, game: Game[Position, Move], ordinal: int, length: str) -> None:
        self.ordinal = ordinal
        self.comments = dict(game.comments)
        self._rules = rules
        self._game = game
        self._caption = caption_of(game.tags, ordinal, length)
        in_caption = tags_of(self._caption, ordinal).items()
        self.headers = [*(write_tag(*tag) for tag in game.tags.items() if tag not in in_caption), *_facts(game)]
        self._cube = Cube()
        self._cells: list[tuple[Player, str]] = []
        self._fill()

    def body(self) -> Iterator[str]:
        yield from write_caption(self._caption)
        yield from write_rows(self._cells)
        outcome = self._game.outcome
        if outcome and outcome.winner is not None:
            yield write_win(outcome.winner, self._cube.stake * outcome.points)

    def _fill(self) -> None:
        positions = self._game.positions
        for number, (position, move) in enumerate(zip(positions, self._game.moves, strict=False)):
            if isinstance(move, Roll):
                self._add_cube_action(number, position)
                self._cube.take()
            elif isinstance(move, Play):
                self._add_play(position, move)
        last = positions[-1]
        self._add_cube_action(len(positions) - 1, last)
        if self._game.moves and last.dice and last.mover is not None:
            self._cells.append((last.mover, "{}{}:".format(*last.dice)))

    def _add_play(self, position: Position, play: Play) -> None:
        if position.mover is not None:
            text = plays.write_steps(position, play) or "Cannot Move"
            self._cells.append((position.mover, "{}{}: {}".format(*position.dice, text)))

    def _add_cube_action(self, number: int, position: Position) -> None:
        """Turns a comment about the cube into cells, if they can be read back as the same comment."""
        text, player = self.comments.get(number, ""), position.mover
        if player is None or position.dice or self._rules.outcome(position) or not CUBE_TEXT.fullmatch(text):
            return
        offerer = player if text.count("=>") % 2 else player.other
        if text.endswith("Drops") and not self._is_won_by(offerer, number):
            return
        del self.comments[number]
        for action in text.split("; "):
            self._cells.append((player, f" {action}"))
            self._turn_cube(player, action)
            player = player.other

    def _turn_cube(self, player: Player, action: str) -> None:
        word, _, value = action.partition(" => ")
        if value:
            self._cube.double(player, int(value))
        elif word == "Takes":
            self._cube.take()

    def _is_won_by(self, player: Player, number: int) -> bool:
        """Whether the other side gave up after this many moves."""
        ending = self._game.ending
        return ending is not None and ending.winner is player and number == len(self._game.moves)


def _facts(game: Game[Position, Move]) -> Iterator[str]:
    if game.variant is None:
        yield write_fact("XGID", write_xgid(game.start))
    elif game.variant != "standard":
        yield write_fact("Variation", VARIATIONS.get(game.variant, game.variant))
    ending = game.ending
    if ending and (ending.reason != Reason.RESIGNATION or ending.winner is None):
        yield write_fact("Termination", ending.reason)
    if ending and ending.winner is None and ending.points != 1:
        yield write_fact("Points", str(ending.points))


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
    return Header(unescape(value), name, name in FACTS, game)


def write_fact(name: str, value: str) -> str:
    return f"[{name} {_quoted(value)}]"


def write_tag(name: str, value: str) -> str:
    is_plain = PLAIN_NAME.fullmatch(name) and name not in FACTS
    return f"[{name if is_plain else _quoted(name)} {_quoted(value)}]"


def write_comment(game: int, number: int, text: str) -> str:
    return f"{{{game}/{number}}} {escape(text, IN_COMMENT)}"


def _quoted(text: str) -> str:
    return f'"{escape(text, IN_TAG)}"'


class Caption(NamedTuple):
    number: str
    white: str
    black: str
    scores: str
    length: str


def read_caption(line: str, number: int, length: int) -> Caption:
    """`line` has the names and scores, such as `Ann : 0    Bob : 0`."""
    left, _, second = line.rpartition(":")
    white, _, middle = left.partition(":")
    first, black = (*middle.split(None, 1), "", "")[:2]
    second = second.strip()
    if len(line) > MAX_LINE or not SCORE.fullmatch(first) or not SCORE.fullmatch(second):
        raise BadInput(f"{line[:40]!r} does not name the players and their scores, as in  Ann : 0    Bob : 0")
    return Caption(str(number), white.strip(), black.strip(), f"{int(first)}-{int(second)}", str(length))


def write_caption(caption: Caption) -> list[str]:
    first, second = caption.scores.split("-")
    white = f"{caption.white} : {first} "
    return [f" Game {caption.number}", f" {white:<31}{caption.black} : {second}"]


def tags_of(caption: Caption, ordinal: int) -> dict[str, str]:
    """Without the defaults; `ordinal` counts the games of the file."""
    tags = dict(zip(("Game", "White", "Black", "Score", "MatchLength"), caption, strict=True))
    usual = Caption(str(ordinal), WHITE, BLACK, "0-0", "0")
    return {name: tag for (name, tag), without in zip(tags.items(), usual, strict=True) if tag != without}


def caption_of(tags: Mapping[str, str], ordinal: int, length: str) -> Caption:
    """Tags that don't fit into a caption are replaced by the defaults."""
    return Caption(
        _fitting(tags.get("Game"), NUMBER, str(ordinal)),
        _fitting(tags.get("White"), NAME, WHITE),
        _fitting(tags.get("Black"), NAME, BLACK),
        _fitting(tags.get("Score"), SCORES, "0-0"),
        length,
    )


def _fitting(tag: str | None, form: re.Pattern[str], usual: str) -> str:
    return tag if tag is not None and form.fullmatch(tag) else usual


class Cell(NamedTuple):
    """`head` is two dice or one of `WORDS`, `text` what follows."""

    player: Player
    head: str
    text: str


def read_cells(line: str) -> Iterator[Cell]:
    if len(line) > MAX_LINE:
        raise BadInput(f"{line[:40].strip()!r}... is too long for a row")
    line = line.expandtabs()
    number = ROW_NUMBER.match(line)
    at = number.end() if number else 0
    found = list(BEGINNING.finditer(line, at))
    if line[at : found[0].start() if found else None].strip():
        raise BadInput(f"{line.strip()[:40]!r} is not a row such as   1) 31: 8/5 6/5   62: 24/18 13/11")
    if len(found) > 2:
        raise BadInput("a row has two cells, one for each player")
    ends = [*(match.start() for match in found[1:]), len(line)]
    for match, end, player in zip(found, ends, _players(found, at, GAP if number else MARGIN), strict=False):
        yield Cell(player, match[1] or WORDS[match[2].lower()], line[match.end() : end].strip())


def _players(found: list[re.Match[str]], at: int, gap: int) -> tuple[Player, ...]:
    is_right = len(found) == 1 and found[0].start() - at >= gap
    return (Player.SECOND,) if is_right else (Player.FIRST, Player.SECOND)


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


def write_win(winner: Player, worth: int) -> str:
    return f"{' ' * (34 if winner is Player.SECOND else 6)}Wins {worth} point{'s' * (worth != 1)}"


class Cube:
    """The stake of a game, and an offer to raise it."""

    def __init__(self) -> None:
        self.stake = 1
        self.offer = 0
        self.offerer: Player | None = None

    def double(self, player: Player, value: int) -> None:
        """Offers to play for `value`; doubling back accepts the offer before."""
        self.take()
        self.offer, self.offerer = value, player

    def take(self) -> None:
        """Accepts an offer, if there is one; rolling on accepts too."""
        self.stake = self.offer or self.stake
        self.offer, self.offerer = 0, None
