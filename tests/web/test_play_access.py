"""Everybody can use the tables, in a game, at its end and while waiting: axe finds nothing, and nothing is too wide."""

from __future__ import annotations

import pytest

from .access import barriers, overflows
from .board_player import BoardPlayer
from .conftest import Visit
from .test_play import start


@pytest.mark.parametrize(("game", "phone"), [("checkers", False), ("backgammon", True)])
def test_nothing_keeps_people_out_at_a_table(visit: Visit, game: str, phone: bool) -> None:
    page = visit(phone=phone).open("/")
    start(page, game)
    player = BoardPlayer(page, game, seed=1)
    player.play(2)
    player.tap()
    assert barriers(page) == []
    assert overflows(page) == []
    page.locator("[data-action=resign]").click()
    assert barriers(page) == []
    assert overflows(page) == []
    page.locator("dialog").get_by_role("button", name="Resign").click()
    page.wait_for_selector("[data-over]")
    assert barriers(page) == []
    assert overflows(page) == []


def test_the_panel_beside_the_board_holds_its_buttons_in_a_low_window(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "backgammon")
    BoardPlayer(page, "backgammon", seed=1).play(2)
    page.set_viewport_size({"width": 1280, "height": 600})
    last = page.locator(".actions button:visible").last
    last.scroll_into_view_if_needed()
    panel, button = page.locator(".table-panel").bounding_box(), last.bounding_box()
    assert panel and button
    assert button["y"] + button["height"] <= panel["y"] + panel["height"] <= 600
    assert page.evaluate("scrollY") == 0


def test_nothing_keeps_people_out_while_a_friend_is_awaited(visit: Visit) -> None:
    page = visit().open("/?opponent=friend")
    page.locator('[data-game="checkers"] button').click()
    page.wait_for_selector("[data-code]")
    assert barriers(page) == []
    assert overflows(page) == []
