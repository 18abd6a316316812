"""The board of games that have none of their own: the server's drawing, and the legal moves as buttons."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .access import barriers
from .conftest import Visit

LAY = """async (module) => {
  const { LudusGeneric } = await import(module);
  const board = Object.assign(document.createElement("ludus-generic"), {
    position: { board: ["x..", "...", "..."], svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 3 3"/>` },
    moves: [{ move: "b1", touched: [1] }, { move: "c1", touched: [2] }],
  });
  window.chosen = [];
  board.addEventListener("ludus-move", ({ detail }) => window.chosen.push(detail));
  document.querySelector("main").replaceChildren(document.querySelector("h1"), board);
}"""


@pytest.fixture
def page(visit: Visit) -> Page:
    page = visit().open("/games")
    page.get_by_role("heading", level=1).wait_for()
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    page.evaluate(LAY, f"{base}/games/generic/board.js")
    return page


def test_it_shows_the_drawing_with_the_text_for_screen_readers(page: Page) -> None:
    picture = page.locator("ludus-generic img")
    expect(picture).to_have_attribute("alt", "Board: x..\n...\n...")
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert barriers(page) == []


def test_a_move_is_chosen_once_by_its_button(page: Page) -> None:
    page.get_by_role("list", name="Legal moves").get_by_role("button", name="c1").click()
    assert page.evaluate("window.chosen") == [{"move": "c1", "touched": [2]}]
    expect(page.get_by_role("button", name="b1")).to_have_count(0)


def test_a_refused_move_can_be_made_again(page: Page) -> None:
    page.get_by_role("button", name="c1").click()
    page.evaluate("() => { const board = document.querySelector('ludus-generic'); board.moves = board.moves; }")
    expect(page.get_by_role("button", name="c1")).to_be_visible()


def test_a_move_is_chosen_by_keyboard(page: Page) -> None:
    page.evaluate("document.querySelector('ludus-generic').focusFirst()")
    expect(page.get_by_role("button", name="b1")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("window.chosen") == [{"move": "c1", "touched": [2]}]


def test_without_moves_it_is_only_a_picture_that_can_point_at_a_better_move(page: Page) -> None:
    page.evaluate("Object.assign(document.querySelector('ludus-generic'), {moves: [], advice: {move: 'b2'}})")
    expect(page.locator("ludus-generic").get_by_role("button")).to_have_count(0)
    expect(page.locator("ludus-generic .advice")).to_have_text("Suggested: b2.")
