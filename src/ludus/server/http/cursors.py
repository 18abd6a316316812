"""Cursors of lists that come page by page: where the next page starts, as text."""

from __future__ import annotations

import re
from typing import Final

from ludus.core.errors import InvalidInput
from ludus.service.ports.store import NEWEST, Cursor

CURSOR: Final = re.compile(r"([0-9]{1,19})\.([A-Za-z0-9-]{1,64})")


def read_cursor(text: str | None, name: str = "before", first: Cursor = NEWEST) -> Cursor:
    """Without a text, the first page; `name` is the query's parameter."""
    if text is None:
        return first
    found = CURSOR.fullmatch(text)
    if found is None or int(found[1]) > NEWEST.at:
        raise InvalidInput(f"{name}: must be what an earlier answer had")
    return Cursor(int(found[1]), found[2])


def write_cursor(at: int, id: str) -> str:
    return f"{at}.{id}"
