"""Everybody can use the tables: axe finds nothing serious in the middle of a game, at its end, and while waiting."""

from __future__ import annotations

import pytest

from .access import barriers
from .board_player import BoardPlayer
from .conftest import Visit
from .test_play import start


@pytest.mark.parametrize(("game", "phone"), [("checkers", False), ("backgammon", True)])
def test_axe_finds_nothing_serious_at_a_table(visit: Visit, game: str, phone: bool) -> None:
    page = visit(phone=phone).open("/")
    start(page, game)
    player = BoardPlayer(page, game, seed=1)
    player.play(2)
    player.tap()
    assert barriers(page) == []
    page.locator("[data-action=resign]").click()
    assert barriers(page) == []
    page.locator("dialog").get_by_role("button", name="Resign").click()
    page.wait_for_selector("[data-over]")
    assert barriers(page) == []


def test_axe_finds_nothing_serious_while_a_friend_is_awaited(visit: Visit) -> None:
    page = visit().open("/?opponent=friend")
    page.locator('[data-game="checkers"] button').click()
    page.wait_for_selector("[data-code]")
    assert barriers(page) == []
