"""Lessons: somebody who has never played finds the move of each step, or is shown it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from ..server_process import ServerProcess
from .access import barriers, overflows
from .board_player import BoardPlayer
from .conftest import Visit

GAMES = ("checkers", "backgammon")
Press = Callable[[Locator], None]
IS_FOCUSED = "(element) => element.getRootNode().activeElement === element"
MOST_KEYS = 60


def steps_of(server: ServerProcess, game: str) -> list[dict[str, Any]]:
    return list(server.get(f"/web/lessons/{game}")["steps"])


def play(page: Page, game: str, move: dict[str, Any], press: Press = Locator.click) -> None:
    """Makes a move on the board, man by man."""
    board = page.locator(f"ludus-{game}")
    if "cube" in move:
        press(board.get_by_role("button", name="Double"))
        return
    for step in move.get("moves", [move]):
        for end, mark in ((step["from"], "source"), (step["to"], "target")):
            place = f"{end}-white" if end in ("bar", "off") else end
            press(board.locator(f'[data-place="{place}"][data-mark="{mark}"]'))
    if game == "backgammon":
        press(board.locator(".confirm"))


def press_by_keyboard(target: Locator) -> None:
    """Goes there with PageDown within a board, and with Tab elsewhere."""
    target.wait_for()
    key = "PageDown" if target.get_attribute("data-mark") else "Tab"
    for _ in range(MOST_KEYS):
        if target.evaluate(IS_FOCUSED):
            return target.press("Enter")
        target.page.keyboard.press(key)
    raise AssertionError("the keyboard does not get there")


@pytest.mark.parametrize("press", [Locator.click, press_by_keyboard], ids=["pointer", "keyboard"])
@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_from_start_to_end(visit: Visit, server: ServerProcess, game: str, press: Press) -> None:
    page = visit().open(f"/games/{game}")
    press(page.get_by_role("link", name="Learn in ten steps"))
    steps = steps_of(server, game)
    assert len(steps) == 10
    page.locator(f"ludus-{game}").wait_for()
    if press is press_by_keyboard:
        tab_into(page, game)  # once: each further step begins on the board
    for number, step in enumerate(steps, 1):
        expect(page.get_by_text(f"Step {number} of 10")).to_be_visible()
        play(page, game, step["solution"], press)
        expect(page.locator(".lesson .note.good")).to_be_visible()
        if number < len(steps):
            expect(page.get_by_role("button", name="Next step")).to_be_focused()
            press(page.get_by_role("button", name="Next step"))
    expect(page.get_by_role("link", name="Play a game")).to_be_focused()


def tab_into(page: Page, game: str) -> None:
    for _ in range(MOST_KEYS):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.localName") == f"ludus-{game}":
            return
    raise AssertionError("the keyboard does not get to the board")


@pytest.mark.parametrize("game", GAMES)
def test_nothing_keeps_people_out_of_a_lesson_from_start_to_end(visit: Visit, server: ServerProcess, game: str) -> None:
    page = visit().open(f"/learn/{game}")
    steps = steps_of(server, game)
    page.locator("[data-lesson=show]").click()
    expect(page.locator(f"ludus-{game} .arrow").first).to_be_attached()
    assert barriers(page) == []
    for step in steps:
        play(page, game, step["solution"])
        expect(page.locator(".lesson .note.good")).to_be_visible()
        if step is not steps[-1]:
            page.get_by_role("button", name="Next step").click()
    expect(page.get_by_role("link", name="Play a game")).to_be_visible()
    assert barriers(page) == []
    assert overflows(page) == []


def test_another_move_is_not_right_and_the_solution_can_be_shown(visit: Visit, server: ServerProcess) -> None:
    page = visit().open("/learn/checkers")
    for _ in range(4):
        page.locator("[data-lesson=show]").click()
        expect(page.locator("ludus-checkers .arrow").first).to_be_attached()
        BoardPlayer(page, "checkers", seed=1).tap()
        BoardPlayer(page, "checkers", seed=1).tap()
        page.get_by_role("button", name="Next step").click()
    expect(page.get_by_text("Step 5 of 10")).to_be_visible()
    wrong = next(move for move in steps_of(server, "checkers")[4]["moves"] if len(move["captures"]) == 1)
    play(page, "checkers", wrong)
    expect(page.locator(".note.warn")).to_contain_text("not the one this step is about")
    page.reload()
    expect(page.get_by_text("Step 5 of 10")).to_be_visible()
    play(page, "checkers", steps_of(server, "checkers")[4]["solution"])
    expect(page.locator(".note.good")).to_be_visible()
