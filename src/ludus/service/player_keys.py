"""The keys of the page's people. Other keys are made by the code that admits their players."""

from __future__ import annotations

from typing import Final

PERSON: Final = "person/"
"""How the keys of the page's people start."""


def person_key(id: str) -> str:
    return f"{PERSON}{id}"


def person_in(key: str) -> str | None:
    """The id of the person with this key; None for all other players.

    >>> person_in("person/7"), person_in("guest/7")
    ('7', None)
    """
    return key.removeprefix(PERSON) if key.startswith(PERSON) else None
