"""One line of the table of contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic import BaseModel

from ludus.server.arena.asking import Handle


class Param(NamedTuple):
    """A part of a query; `schema` is its JSON Schema."""

    name: str
    meaning: str
    schema: Mapping[str, Any]
    is_required: bool = False


class Entry(NamedTuple):
    method: str
    path: str
    handle: Handle
    summary: str
    answer: Any
    """What its JSON is like, as a type, or the media type of what is not JSON."""
    is_open: bool = False
    """Whether it needs no key."""
    params: tuple[Param, ...] = ()
    body: type[BaseModel] | None = None
    status: int = 200
    refusals: tuple[int, ...] = ()
    """Besides those that every address has."""
