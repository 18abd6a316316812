r"""Games of checkers as PDN 3.0 files.

`1-0` is read and written as a win for black, who moves first. Files disagree about that, so a tag `Winner` (`black`,
`white` or `draw`) is written too and takes precedence. Neither counts where the board shows the end. Any other end is a
resignation or an agreed draw, unless a tag `Termination` gives another reason.

Public collections are not always PDN. Lines of prose before, between and after games are ignored; steps may be
written like jumps, and chains jump by jump; if a tag occurs twice, the first value counts; and players may have
played on after a third repetition.

Tag values and comments have two escapes: a backslash before a quote or another backslash, and `\u007d` for a character
that can't be written as itself: a control character, the brace that closes a comment, a blank that wrapping would lose.
"""

from __future__ import annotations

import enum
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import BadInput, IllegalMove, LudusError, MalformedRecord
from ludus.core.escapes import escape, unescape
from ludus.core.game import Game
from ludus.core.notation import MOST_TEXT, Errors, Problems, report
from ludus.core.rules import Outcome, Player, Reason
from ludus.games.checkers.position import STANDARD

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.games.checkers.position import Move, Position
    from ludus.games.checkers.rules import Checkers

COLUMNS: Final = 80

RESULTS: Final = frozenset({"1-0", "0-1", "1/2-1/2", "1/2", "2-0", "0-2", "1-1", "0-0", "*"})
SIGNS: Final = str.maketrans({"X": "x", "×": "x", "–": "-", "—": "-", "−": "-", "½": "1/2"})
"""Normalizes the signs in moves and results."""

IN_TAG: Final = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
IN_COMMENT: Final = re.compile(r"^ | $|(?<= ) |[}\\\x00-\x1f\x7f-\x9f\u2028\u2029]")
BLANKS: Final = re.compile(r"[ \t\n\v\f]+")

TOKEN: Final = re.compile(
    r"[\s,\x1a]++|^%[^\n]*+|\([!?]++\)|[!?]++|\$[0-9]++"
    r'|(?P<tag>\[\s*+(?P<name>[A-Za-z0-9_]++)\s*+"(?P<value>[^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+\])'
    r'|(?P<loose>\[\s*+(?P<key>[A-Za-z0-9_]++)[ \t]*+"(?P<text>[^\n]*)"[ \t]*+\][ \t]*+$)'
    r"|\{(?P<comment>[^}]*+)\}|;(?P<remark>[^\n]*+)"
    r"|(?P<variation>\()"
    r'|/\s*+FEN\s*+"(?P<setup>[^"/]*+)"\s*+/'
    r"|(?P<number>[0-9]*+\.++|[0-9]++\))"
    r"|(?P<move>[0-9]++(?:[ \t]*+[-–—−xX×:/][ \t]*+[0-9]++)++|½[ \t]*+[-–][ \t]*+½)[!?*]*+|(?P<result>\*)"
    r"|(?P<packed>[0-3][0-9]{3})(?![0-9.])"
    r"|(?<=[\s,})])(?P<words>[^\W\d_][^\n\d{}()\[\];*]*+)",
    re.MULTILINE | re.DOTALL,
)
PROSE: Final = re.compile(r"(?:[0-9]++[.):]*+[ \t]++)?(?!½)(?:[^\W\d_]|[\"'“”‘’«<>=_#~|+•]|[-–—*]{2})[^\n]*+")
"""A line that isn't PDN: words, perhaps after a number, or a ruled line."""
IN_VARIATION: Final = re.compile(r"[()]|\{[^}]*+\}?|;[^\n]*+|^%[^\n]*+", re.MULTILINE)

TAG_LINE: Final = re.compile(r"\n[ \t]*\[")
RECOGNIZED: Final = re.compile(
    r"\ufeff?(?:\s++|\[[^\]\n]*+\]|\{[^}]*+\}|;[^\n]*+|^%[^\n]*+)*+"
    r"(?:[0-9]++\.++\s*+)?+[0-9]{1,2}[ \t]*+[-–xX×][ \t]*+[0-9]",
    re.MULTILINE,
)
"""A first move, after tags and comments."""

PROBLEMS: Final = {
    "(": "the variation that begins here is not closed",
    "[": 'a tag is written [Name "value"]',
    "{": "the comment that begins here is not closed",
    "}": "a } closes a comment that was never opened",
    ")": "a ) closes a variation that was never opened",
    "/": 'a position is set up with /FEN "B:W21,K30:B1,2"/',
}

UNKNOWN: Final = {"Event": "?", "Site": "?", "Date": "????.??.??", "Round": "?", "Black": "?", "White": "?"}
"""Tags that are always written; with these values they are dropped when read."""
DERIVED: Final = {name.lower(): name for name in ("Result", "GameType", "SetUp", "FEN", "Winner", "Termination")}
"""Tags that follow from the game; they are never kept."""
TAG_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
GAME_TYPE: Final = re.compile(r"21(,[BW],8,8,N1(,[01])?)?|\??")

WINNERS: Final = {
    "1-0": Player.FIRST,
    "2-0": Player.FIRST,
    "0-1": Player.SECOND,
    "0-2": Player.SECOND,
    "1/2-1/2": None,
    "1/2": None,
    "1-1": None,
    "0-0": None,
}
DOUBLE_FORFEIT: Final = "double_forfeit"
"""The reason for `0-0`, a loss for both; like a draw it has no winner."""
NO_REASON: Final = frozenset({"?", "normal"})
"""What other programs write if there is no reason; beside our own tag `Winner` these words are taken literally."""


def recognizes(text: str) -> bool:
    return RECOGNIZED.match(text) is not None


def read(
    rules: Checkers, text: str, errors: Errors = "raise", skipped: Problems | None = None
) -> Iterator[Game[Position, Move]]:
    """Yields each game of a file as soon as the next begins; a comment between two belongs to the first."""
    if len(text) > MOST_TEXT:
        raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
    draft = _Draft(rules)
    for token in scan(text):
        if draft.ends_before(token):
            if game := _finish(draft, errors, skipped):
                yield game
            draft = _Draft(rules)
        try:
            draft.add(token)
        except MalformedRecord as problem:
            report(problem, errors, skipped)
            draft.spoil(token)
    if draft.is_begun and (last := _finish(draft, errors, skipped)):
        yield last


def _finish(draft: _Draft, errors: Errors, skipped: Problems | None) -> Game[Position, Move] | None:
    """The game, unless it has a problem, skipped earlier or found now."""
    if draft.is_spoilt:
        return None
    try:
        return draft.finish()
    except MalformedRecord as problem:
        report(problem, errors, skipped)
        return None


class _Draft:
    """A game being read: its tags first, then, once there is a `_game`, its moves."""

    def __init__(self, rules: Checkers) -> None:
        self._rules = rules
        self._tags: dict[str, Token] = {}
        self._last_tag = 0
        self._game: Game[Position, Move] | None = None
        self._played = 0
        self._comments: dict[int, list[str]] = {}
        self._result: str | None = None
        self._has_moves = False
        self._written = 0
        """How many moves were written, legal or not."""
        self._chain: Token | None = None
        """The jumps so far of a chain that is written jump by jump."""
        self._prose: Token | None = None
        """The first line of prose after the last move."""
        self.is_spoilt = False

    @property
    def is_begun(self) -> bool:
        return bool(self._tags or self._game)

    def spoil(self, token: Token) -> None:
        """Drops the game because of this token; the rest of its tokens are only counted."""
        self.is_spoilt = True
        self._count(token)

    def _count(self, token: Token) -> None:
        """Notes where the draft stands, so that the next game is found."""
        match token.kind:
            case Kind.TAG:
                self._tags[_name(token)] = token
                self._last_tag = token.line
            case Kind.RESULT:
                self._result = token.text
            case Kind.SETUP | Kind.NUMBER | Kind.MOVE:
                self._has_moves = True
                self._written += token.kind is Kind.MOVE
            case Kind.PROBLEM:
                self._has_moves |= not token.text.startswith("[")
            case Kind.PROSE if self._has_moves:
                self._prose = token

    def ends_before(self, token: Token) -> bool:
        """Whether the next game begins: after a result, with a tag after moves, or with a repeated tag after a gap.

        Without these, the next game begins with a number `1.` after prose or after two moves: after one,
        `1. ... 22-18` may follow. A result that is repeated, or corrects a `*`, doesn't end another game.
        """
        if self._result:
            is_again = token.kind is Kind.RESULT and self._result in (token.text, "*")
            return token.kind not in (Kind.COMMENT, Kind.PROSE) and not is_again
        if token.kind is not Kind.TAG:
            is_first = token.kind is Kind.NUMBER and token.text in ("1.", "1)")
            return is_first and (self._written > 1 or self._prose is not None)
        return self._has_moves or (_name(token) in self._tags and token.line > self._last_tag + 1)

    def add(self, token: Token) -> None:
        if self.is_spoilt:
            self._count(token)
            return
        match token.kind:
            case Kind.TAG:
                self._tag(token)
            case Kind.COMMENT:
                self._comments.setdefault(self._played, []).append(token.text)
            case Kind.PROSE:
                if self._played and not self._prose:
                    self._prose = token
            case Kind.SETUP:
                self._set_up(token)
            case Kind.NUMBER:
                self._begun()
            case Kind.MOVE:
                self._play(token)
            case Kind.RESULT:
                self._close(token)
            case Kind.PROBLEM:
                raise MalformedRecord(_problem(token.text), token.line)

    def _tag(self, token: Token) -> None:
        name = _name(token)
        if name == "GameType" and not GAME_TYPE.fullmatch(token.text.replace(" ", "")):
            raise MalformedRecord(f"game type {token.text[:40]!r} is not English draughts, which is 21", token.line)
        if self._value(name) in ("", UNKNOWN.get(name, "?")):
            self._tags[name] = token
        self._last_tag = token.line

    def _set_up(self, token: Token) -> None:
        if self._game or "FEN" in self._tags:
            raise MalformedRecord("a position can only be set up at the start of a game", token.line)
        self._tags["FEN"] = token
        self._begun()

    def _play(self, token: Token) -> None:
        self._refuse_prose()
        game = self._begun()
        self._written += 1
        game.play_on()
        if game.outcome:
            raise MalformedRecord(f"{token.text[:40]} comes after the end: {game.outcome.reason}", token.line)
        if self._chain:
            token = self._continued(token)
        with _at(token.line):
            try:
                game.play(token.text)
            except IllegalMove:
                if not self._rules.notation.begins_chain(game.position, token.text):
                    raise
                self._chain = token
                return
        self._chain = None
        self._played += 1

    def _continued(self, jump: Token) -> Token:
        """The chain so far with its next jump."""
        assert self._chain
        start, _, here = self._chain.text.rpartition("x")
        if not jump.text.startswith(f"{here}x"):
            self._refuse_half_chain()
        return self._chain._replace(text=f"{start}x{jump.text}")

    def _refuse_half_chain(self) -> None:
        if self._chain:
            with _at(self._chain.line):
                self._begun().play(self._chain.text)

    def _refuse_prose(self) -> None:
        """Raises if prose came between moves; it may only come before the first one and after the last one."""
        if self._prose:
            raise MalformedRecord(_problem(self._prose.text), self._prose.line)

    def _close(self, token: Token) -> None:
        if not self.is_begun:
            raise MalformedRecord(f"the result {token.text} has no game before it", token.line)
        self._refuse_half_chain()
        self._result = token.text

    def _begun(self) -> Game[Position, Move]:
        self._has_moves = True
        if self._game is None:
            self._game = Game(self._rules, start=self._start())
        return self._game

    def _start(self) -> Position:
        fen = self._tags.get("FEN")
        if not fen or not fen.text:
            return STANDARD
        with _at(fen.line):
            return self._rules.notation.read_position(fen.text)

    def finish(self) -> Game[Position, Move]:
        game = self._begun()
        self._refuse_half_chain()
        game.tags.update(self._kept_tags())
        game.comments.update((number, " ".join(filter(None, texts))) for number, texts in self._comments.items())
        ending = self._ending()
        if ending and ending.winner is not None:
            game.play_on()
        if ending and not game.outcome:
            game.end(ending)
        return game

    def _kept_tags(self) -> Iterator[tuple[str, str]]:
        for name, token in self._tags.items():
            if name not in DERIVED.values() and token.text != UNKNOWN.get(name):
                yield name, token.text

    def _ending(self) -> Outcome | None:
        """The end according to the file: its last word, or its tag if that word is `*`."""
        result = self._result if self._result in WINNERS else self._value("Result").replace(" ", "").translate(SIGNS)
        if "Winner" in self._tags:
            winner = self._winner()
        elif self._value("Termination") == Reason.CANCELLED:
            return Outcome(None, Reason.CANCELLED)
        elif result in WINNERS:
            winner = WINNERS[result]
        else:
            return None
        return Outcome(winner, self._reason() or _usual_reason(winner, result))

    def _reason(self) -> str:
        reason = self._value("Termination")
        return "" if "Winner" not in self._tags and reason.lower() in NO_REASON else reason

    def _winner(self) -> Player | None:
        token = self._tags["Winner"]
        winners: dict[str, Player | None] = {**dict(zip(self._rules.players, Player, strict=True)), "draw": None}
        if token.text.lower() not in winners:
            raise MalformedRecord(f"the winner {token.text[:40]!r} is not {', '.join(winners)}", token.line)
        return winners[token.text.lower()]

    def _value(self, name: str) -> str:
        return self._tags[name].text if name in self._tags else ""


@contextmanager
def _at(line: int) -> Iterator[None]:
    """Adds the line to an error."""
    try:
        yield
    except LudusError as error:
        raise MalformedRecord(str(error), line) from error


def _name(tag: Token) -> str:
    return DERIVED.get(tag.name.lower(), tag.name)


def _usual_reason(winner: Player | None, result: str) -> str:
    if winner is not None:
        return Reason.RESIGNATION
    return DOUBLE_FORFEIT if result == "0-0" else Reason.AGREEMENT


def write(rules: Checkers, games: Iterable[Game[Position, Move]]) -> str:
    return "\n".join(_text(rules, game) for game in games)


def _text(rules: Checkers, game: Game[Position, Move]) -> str:
    tags = "".join(f'[{name} "{tag_value(value)}"]\n' for name, value in _tags(rules, game).items())
    return "\n".join((tags, *_lines(_words(rules, game)), ""))


def _tags(rules: Checkers, game: Game[Position, Move]) -> dict[str, str]:
    own = {name: value for name, value in game.tags.items() if name.lower() not in DERIVED}
    for name in own:
        if not TAG_NAME.fullmatch(name):
            raise BadInput(f"{name[:40]!r} cannot be the name of a tag: use letters, digits and _")
    tags = UNKNOWN | {"Result": _result(game), "GameType": "21"}
    if game.start != STANDARD:
        tags |= {"SetUp": "1", "FEN": rules.notation.write_position(game.start)}
    if game.outcome and not _is_cancelled(game.outcome):
        winner = game.outcome.winner
        tags["Winner"] = "draw" if winner is None else rules.players[winner]
    if game.ending and game.ending.reason != _usual_reason(game.ending.winner, "*"):
        tags["Termination"] = game.ending.reason
    return tags | own


def _is_cancelled(outcome: Outcome) -> bool:
    return outcome.winner is None and outcome.reason == Reason.CANCELLED


def _result(game: Game[Position, Move]) -> str:
    if not game.outcome or _is_cancelled(game.outcome):
        return "*"
    winner, reason = game.outcome[:2]
    if winner is None:
        return "0-0" if reason == DOUBLE_FORFEIT else "1/2-1/2"
    return "1-0" if winner is Player.FIRST else "0-1"


def _words(rules: Checkers, game: Game[Position, Move]) -> Iterator[str]:
    notation = rules.notation
    for number in game.comments:
        if not 0 <= number <= len(game.moves):
            raise BadInput(f"a comment after {number} moves cannot be written in a game of {len(game.moves)}")
    for number, (position, move) in enumerate(zip(game.positions, game.moves, strict=False)):
        turn = (number + game.start.mover) // 2 + 1
        if number in game.comments:
            yield from comment_words(game.comments[number])
        if position.mover is Player.FIRST:
            yield f"{turn}."
        elif number == 0 or number in game.comments:
            yield f"{turn}..."
        yield notation.write_move(position, move)
    if len(game.moves) in game.comments:
        yield from comment_words(game.comments[len(game.moves)])
    yield _result(game)


def _lines(words: Iterable[str]) -> Iterator[str]:
    line = ""
    for word in words:
        if line and len(line) + 1 + len(word) > COLUMNS:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
    yield line


class Kind(enum.Enum):
    TAG = "tag"
    COMMENT = "comment"
    SETUP = "setup"
    NUMBER = "number"
    MOVE = "move"
    RESULT = "result"
    PROSE = "prose"
    """A line of words, with any numbers in it, or words behind moves."""
    PROBLEM = "problem"
    """Text that isn't a token; the scanner goes on at the next line that begins with a tag."""


class Token(NamedTuple):
    """A piece of a file, without brackets, blanks and escapes; `name` is a tag's name."""

    kind: Kind
    text: str
    line: int
    name: str = ""


def scan(text: str) -> Iterator[Token]:
    """The tokens in order; variations, annotation glyphs and `%` lines are skipped."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    at, line, is_line_start = 0, 1, True
    last_brace, has_open_variation = text.rfind("}"), False
    while at < len(text):
        if is_line_start and (prose := PROSE.match(text, at)):
            yield Token(Kind.PROSE, prose[0][:40], line)
            at, is_line_start = prose.end(), False
            continue
        is_open_comment = text[at] == "{" and at > last_brace
        match = None if is_open_comment else TOKEN.match(text, at)
        end = _end(text, match, has_open_variation) if match else None
        if match is None or end is None:
            yield Token(Kind.PROBLEM, text[at : at + 40], line)
            has_open_variation |= match is not None
            end = _next_tag(text, at)
        elif token := _token(match, line):
            yield token
        lines = text.count("\n", at, end)
        is_line_start = text[end - 1] == "\n" or (text[end - 1].isspace() and (lines > 0 or is_line_start))
        at, line = end, line + lines


def _token(match: re.Match[str], line: int) -> Token | None:
    match match.lastgroup:
        case "tag":
            return Token(Kind.TAG, unescape(match["value"]), line, match["name"])
        case "loose":
            return Token(Kind.TAG, unescape(match["text"]), line, match["key"])
        case "comment" | "remark" as group:
            return Token(Kind.COMMENT, unescape(BLANKS.sub(" ", match[group]).strip(" ")), line)
        case "move":
            word = BLANKS.sub("", match["move"]).translate(SIGNS)
            if word in RESULTS:
                return Token(Kind.RESULT, word, line)
            return Token(Kind.MOVE, word.replace("-", "x") if word.count("-") > 1 else word, line)
        case "packed":
            return Token(Kind.MOVE, f"{int(match['packed'][:2])}-{int(match['packed'][2:])}", line)
        case "words":
            return Token(Kind.PROSE, match["words"][:40], line)
        case "setup" | "number" | "result" as group:
            return Token(Kind(group), match[group], line)
    return None


def _end(text: str, token: re.Match[str], is_near: bool) -> int | None:
    """Where a token ends, or None if it is a variation that isn't closed before the next game or the end.

    Searching the whole file for the end of every variation would take too long if none had one.
    """
    if token.lastgroup != "variation":
        return token.end()
    depth = 0
    last = _next_tag(text, token.start()) if is_near else len(text)
    for match in IN_VARIATION.finditer(text, token.start(), last):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    return None


def _next_tag(text: str, at: int) -> int:
    """The start of the next line that begins with a tag."""
    match = TAG_LINE.search(text, at)
    return match.start() + 1 if match else len(text)


def _problem(text: str) -> str:
    """Explains text that isn't a token."""
    return PROBLEMS.get(text[0], f"{text.split()[0]!r} is not a move, tag, comment or result")


def tag_value(text: str) -> str:
    """Text as written between a tag's quotes."""
    return escape(text, IN_TAG)


def comment_words(text: str) -> list[str]:
    """A comment in braces, as words to join with blanks or line ends."""
    return f"{{{escape(text, IN_COMMENT)}}}".split(" ")
