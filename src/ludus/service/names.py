"""Names as other players may see them."""

from __future__ import annotations

import re
from typing import Final

HIDDEN: Final = r"\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff"
"""A regex range: control characters, and those that reverse or break a line."""
JOINERS: Final = r"\u200c\u200d"
"""A regex range: they join or part letters and emojis, so people's names may have them."""
HIDDEN_CHARACTER: Final = re.compile(f"[{HIDDEN}]")


def strip_hidden(name: str) -> str:
    r"""The name without characters that could reorder the text around it; empty if nothing visible is left.

    >>> strip_hidden("\u202eAnn\u2069")
    'Ann'
    """
    plain = HIDDEN_CHARACTER.sub("", name).strip()
    return plain if any(letter.isprintable() for letter in plain) else ""
