"""Errors of databases and records."""

from __future__ import annotations

from ludus.core.errors import LudusError


class BadDatabase(LudusError):
    """The database cannot be opened: unknown, unreachable, damaged, or written by a newer version."""

    code = "bad_database"


class BadRecord(LudusError):
    """A record that cannot be stored: text with a NUL or a lone surrogate, or an unknown tenant."""

    code = "bad_record"
