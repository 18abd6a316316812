"""Lessons: somebody who has never played finds the move of each step, or is shown it."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .board_player import BoardPlayer
from .conftest import Visit

GAMES = ("checkers", "backgammon")


def steps_of(server: ServerProcess, game: str) -> list[dict[str, Any]]:
    return list(server.get(f"/web/lessons/{game}")["steps"])


def play(page: Page, game: str, move: dict[str, Any]) -> None:
    """Clicks a move on the board, man by man."""
    board = page.locator(f"ludus-{game}")
    if "cube" in move:
        board.get_by_role("button", name="Double").click()
        return
    for step in move.get("moves", [move]):
        for end, mark in ((step["from"], "source"), (step["to"], "target")):
            place = f"{end}-white" if end in ("bar", "off") else end
            board.locator(f'[data-place="{place}"][data-mark="{mark}"]').click()
    if game == "backgammon":
        board.locator(".confirm").click()


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_from_start_to_end(visit: Visit, server: ServerProcess, game: str) -> None:
    page = visit().open(f"/games/{game}")
    page.get_by_role("link", name="Learn in ten steps").click()
    steps = steps_of(server, game)
    assert len(steps) == 10
    for number, step in enumerate(steps, 1):
        expect(page.get_by_text(f"Step {number} of 10")).to_be_visible()
        play(page, game, step["solution"])
        expect(page.locator(".lesson .note.good")).to_be_visible()
        if number < len(steps):
            page.get_by_role("button", name="Next step").click()
    expect(page.get_by_role("link", name="Play a game")).to_be_focused()


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
