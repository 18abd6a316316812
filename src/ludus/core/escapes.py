r"""Escapes for text in files: a backslash before a quote or another backslash, `\u007d` for any other character."""

from __future__ import annotations

import re
from typing import Final

ESCAPE: Final = re.compile(r'\\(?:(["\\])|u(?![dD][89a-fA-F])([0-9a-fA-F]{4}))')


def escape(text: str, special: re.Pattern[str]) -> str:
    """Escapes each character that is `special`, which must include the backslash."""
    return special.sub(_escaped, text)


def unescape(text: str) -> str:
    return ESCAPE.sub(lambda match: match[1] or chr(int(match[2], 16)), text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\{match[0]}" if match[0] in '"\\' else f"\\u{ord(match[0]):04x}"
