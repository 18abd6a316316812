"""What can be wrong with a database, or with what is to go into it."""

from __future__ import annotations

from ludus.core.errors import LudusError


class BadDatabase(LudusError):
    """It cannot be opened: unknown, out of reach, damaged, or written by a newer program."""

    code = "bad_database"


class BadRecord(LudusError):
    """A record that no database of the house can keep: text with a zero byte or half a character, an unknown tenant."""

    code = "bad_record"
