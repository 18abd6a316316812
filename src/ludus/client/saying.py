"""Deprecated; use `ludus.wire.text_codec(game)`."""

from __future__ import annotations

from typing import Any

from ludus.wire import text_codec
from ludus.wire.text import View


def read_action(game: str, view: View, said: object) -> dict[str, Any]:
    return text_codec(game).parse_action(view, said)
