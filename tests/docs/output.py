"""Whether a program printed what a page shows."""

from __future__ import annotations

import re

VOLATILE = {
    r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b": "ID",
    r"\btenant_[0-9a-f]{16}\b": "TENANT",
    r"\bludus_(live|test)_[\w-]*…?": r"ludus_\1_KEY",
    r"\bwhsec_[\w+/=-]*…?": "SECRET",
    r"\bsince \d{4}-\d\d-\d\d": "since DATE",
    r"\b[\d.,]+ s\b": "SECONDS",
    r"\b[\d,]+ a second\b": "SPEED",
    r"127\.0\.0\.1:\d+": "ADDRESS",
    r" {2,}": "  ",
}
"""What differs from run to run, in the page and in the output alike."""
OMITTED = "…"


def matches(shown: str, printed: str) -> bool:
    """`…` in the page stands for any text.

    >>> matches("7 lines in 0.10 s", "7 lines in 0.03 s"), matches("7 lines", "8 lines"), matches("a … c", "a b c")
    (True, False, True)
    """
    parts = [re.escape(part) for part in re.split(rf"[ \n]*{OMITTED}[ \n]*", _steady(shown.rstrip()))]
    return re.fullmatch(r"(?s:.*?)".join(parts), _steady(printed.rstrip())) is not None


def _steady(text: str) -> str:
    for volatile, name in VOLATILE.items():
        text = re.sub(volatile, name, text)
    return "\n".join(line.rstrip() for line in text.splitlines())
