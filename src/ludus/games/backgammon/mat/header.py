r"""The lines of a MAT file that begin with a semicolon.

`; [Event "Open"]` is a tag of all games that follow, `; {2} [Event "Open"]` one of the file's second game only, and
`; {2/7} well rolled` a comment in it after seven moves, rolls counted too. A few names, `FACTS`, are no tags: they tell
how the game starts and ends. A tag with such a name, or with one that is not plain, has it in quotes. In quoted text
and in comments a backslash stands before a quote or another backslash, and `\u000a` for a control character.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from ludus.core.escapes import escape, unescape

FACTS: Final = frozenset({"Variation", "XGID", "Termination", "Points"})

PREFIX: Final = re.compile(r"\{([0-9]{1,6})(?:/([0-9]{1,6}))?\} ?")
QUOTED_NAME: Final = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)" ?"', re.DOTALL)
PLAIN_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?: [A-Za-z0-9_]+)*")
IN_TAG: Final = re.compile(r'["\\\x00-\x1f\x7f-\x9f\u2028\u2029]')
IN_COMMENT: Final = re.compile(r"[\\\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Header(NamedTuple):
    """One such line: of game number `game`, or of all; a tag or fact by its name, or a comment after so many moves.

    A comment that does not say where it belongs has no `move`: it belongs where it stands.
    """

    text: str
    name: str | None = None
    is_fact: bool = False
    game: int | None = None
    move: int | None = None


def read_header(line: str) -> Header:
    """What a line says, its semicolon taken off."""
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
