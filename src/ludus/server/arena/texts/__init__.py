"""Texts for agents, which are files beside this one: the guide and the news."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import orjson


@cache
def guide() -> str:
    """With placeholders such as `{base}` for our address and the operator's settings."""
    return _read("guide.txt")


@cache
def news() -> list[dict[str, Any]]:
    """Newest first."""
    items: list[dict[str, Any]] = orjson.loads(_read("news.json"))
    return items


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
