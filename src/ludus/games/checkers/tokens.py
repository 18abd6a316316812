r"""The words of a PDN file, each with its line, and how text is kept inside them.

Tag values and comments know two escapes: a backslash before a quote or another backslash, and `\u007d` for a character
that cannot stand there as itself: a control character, the brace that closes a comment, a blank that wrapping loses.
"""

from __future__ import annotations

import enum
import re
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import MalformedRecord
from ludus.core.escapes import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Iterator

RESULTS: Final = frozenset({"1-0", "0-1", "1/2-1/2", "2-0", "0-2", "1-1", "0-0", "*"})
SIGNS: Final = str.maketrans({"X": "x", "×": "x", "–": "-", "½": "1/2"})
"""Other spellings of the signs in moves and results."""

IN_TAG: Final = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
IN_COMMENT: Final = re.compile(r"^ | $|(?<= ) |[}\\\x00-\x1f\x7f-\x9f\u2028\u2029]")
BLANKS: Final = re.compile(r"[ \t\n\v\f]+")

TOKEN: Final = re.compile(
    r"\s++|^%[^\n]*+|\([!?]++\)|[!?]++|\$[0-9]++"
    r'|(?P<tag>\[\s*+(?P<name>[A-Za-z0-9_]++)\s*+"(?P<value>[^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+\])'
    r"|\{(?P<comment>[^}]*+)\}|;(?P<remark>[^\n]*+)"
    r"|(?P<variation>\()"
    r'|/\s*+FEN\s*+"(?P<setup>[^"/]*+)"\s*+/'
    r"|(?P<number>[0-9]*+\.++)"
    r"|(?P<move>[0-9]++(?:[ \t]*+[-–xX×:/][ \t]*+[0-9]++)++|½[ \t]*+[-–][ \t]*+½)[!?*]*+|(?P<result>\*)",
    re.MULTILINE | re.DOTALL,
)
IN_VARIATION: Final = re.compile(r"[()]|\{[^}]*+\}?|;[^\n]*+|^%[^\n]*+", re.MULTILINE)

PROBLEMS: Final = {
    "[": 'a tag is written [Name "value"]',
    "{": "the comment that begins here is not closed",
    "}": "a } closes a comment that was never opened",
    ")": "a ) closes a variation that was never opened",
    "/": 'a position is set up with /FEN "B:W21,K30:B1,2"/',
}


class Kind(enum.Enum):
    TAG = "tag"
    COMMENT = "comment"
    SETUP = "setup"
    NUMBER = "number"
    MOVE = "move"
    RESULT = "result"


class Token(NamedTuple):
    """What one word says, without its brackets, blanks and escapes; `name` is a tag's."""

    kind: Kind
    text: str
    line: int
    name: str = ""


def scan(text: str) -> Iterator[Token]:
    """The words in order; variations, annotation glyphs and `%` lines are passed over."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    at, line = 0, 1
    while at < len(text):
        match = TOKEN.match(text, at)
        if not match:
            raise MalformedRecord(_problem(text[at : at + 40]), line)
        if token := _token(match, line):
            yield token
        end = _end_of_variation(text, at, line) if match.lastgroup == "variation" else match.end()
        line += text.count("\n", at, end)
        at = end


def _token(match: re.Match[str], line: int) -> Token | None:
    match match.lastgroup:
        case "tag":
            return Token(Kind.TAG, unescape(match["value"]), line, match["name"])
        case "comment" | "remark" as group:
            return Token(Kind.COMMENT, unescape(BLANKS.sub(" ", match[group]).strip(" ")), line)
        case "move":
            word = BLANKS.sub("", match["move"]).translate(SIGNS)
            return Token(Kind.RESULT if word in RESULTS else Kind.MOVE, word, line)
        case "setup" | "number" | "result" as group:
            return Token(Kind(group), match[group], line)
    return None


def _end_of_variation(text: str, start: int, line: int) -> int:
    depth = 0
    for match in IN_VARIATION.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.end()
    raise MalformedRecord("the variation that begins here is not closed", line)


def _problem(text: str) -> str:
    """What is wrong with text that is no word."""
    return PROBLEMS.get(text[0], f"{text.split()[0]!r} is not a move, tag, comment or result")


def tag_value(text: str) -> str:
    """Text as it stands between a tag's quotes."""
    return escape(text, IN_TAG)


def comment_words(text: str) -> list[str]:
    """A comment with its braces, to be set with one blank or line end between the words."""
    return f"{{{escape(text, IN_COMMENT)}}}".split(" ")
