"""What differs between boards, for clients that have seen an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress, count
from operator import is_not
from typing import Any

Board = Mapping[str, Any]
"""The fields of a message that show a position."""


def board_changes(seen: Sequence[Board], board: Board) -> dict[str, Any]:
    """The fields of `board`; of its arrays only the entries, in `changes`, that differ from any board in `seen`."""
    fields: dict[str, Any] = {}
    changes: dict[str, dict[str, Any]] = {}
    for name, value in board.items():
        earlier = [each.get(name) for each in seen]
        if isinstance(value, list) and all(isinstance(each, list) and len(each) == len(value) for each in earlier):
            changes[name] = _entries(earlier, value)
        else:
            fields[name] = value
    return {**fields, "changes": changes}


def _entries(earlier: Sequence[Any], value: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for old in earlier:
        # most entries are the same object, and to compare objects takes longer than to compare their identities
        for at in compress(count(), map(is_not, old, value)):
            if old[at] != value[at]:
                found[str(at)] = value[at]
    return found
