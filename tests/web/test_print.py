"""Printed pages have the text, and none of the controls."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .conftest import Visit
from .matches import Match


def printed(page: Page) -> Page:
    page.emulate_media(media="print", color_scheme="dark")
    expect(page.get_by_role("banner")).to_be_hidden()
    expect(page.locator(".foot")).to_be_hidden()
    expect(page.locator("body")).to_have_css("background-color", "rgb(255, 255, 255)")
    return page


def test_the_rules_and_the_closed_strategy_are_printed(visit: Visit) -> None:
    page = visit(own=True).open("/games/checkers")
    page.locator("details .prose").nth(1).wait_for(state="attached")
    expect(page.get_by_text("Good first moves for red")).to_be_hidden()
    printed(page)
    expect(page.get_by_text("If you can jump, you must.")).to_be_visible()
    expect(page.get_by_text("Good first moves for red")).to_be_visible()


def test_a_match_is_printed_with_its_board_and_all_its_moves(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(40).resign()
    page = visit(own=True).open(f"/matches/{match.id}")
    page.locator(".move").nth(30).wait_for(state="attached")
    printed(page)
    hidden = "list => list.scrollHeight - list.clientHeight"
    assert page.locator(".moves").evaluate(hidden) <= 1
    expect(page.locator(".board-box")).to_be_visible()
    expect(page.get_by_role("toolbar", name="Playback")).to_be_hidden()
