"""Names on pictures to share."""

from __future__ import annotations

import pytest

from ludus.core import pixels
from ludus.server.web.cards import written_names


def test_a_name_that_no_font_can_write_is_the_players_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pixels, "writable", lambda name: name if name.isascii() else "")
    assert written_names(["Ann", "王小明"], is_png=True) == ["Ann", "Player 2"]
    assert written_names(["Ann", "王小明"], is_png=False) == ["Ann", "王小明"]
