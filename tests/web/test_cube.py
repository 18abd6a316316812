"""Doubling, matches and resignations between people, on the page."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess, Tenant
from .access import barriers
from .board_player import BoardPlayer
from .conftest import Visit
from .tables import Seats

GAME = "backgammon"


@pytest.fixture
def seats(visit: Visit, server: ServerProcess, tenant: Tenant) -> Seats:
    return Seats(visit, server, tenant)


def heard(page: Page, text: str) -> None:
    """What a screen reader reads out."""
    expect(page.locator("[data-announcer]")).to_contain_text(text)


def offer_resignation(page: Page, kind: str) -> None:
    page.locator("[data-action=resign]").click()
    page.get_by_role("dialog").get_by_role("button", name=kind).click()


def test_a_double_is_taken_turned_again_and_dropped(seats: Seats, visit: Visit) -> None:
    first, second = seats.pair(GAME, cube=True)
    watcher = visit().open(f"/watch/{first.url.rpartition('/')[2]}")
    BoardPlayer(first, GAME, seed=1).play(1)
    expect(second.locator(".turn")).to_have_text("Roll or double")
    second.get_by_role("button", name="Double to 2").click()
    expect(first.locator(".turn")).to_have_text(re.compile(r"doubles to 2\. Take or drop\?$"))
    expect(second.locator(".turn")).to_contain_text("You offer the cube at 2. Waiting for")
    expect(watcher.get_by_role("status").filter(has_text="doubles to 2.")).to_be_visible()
    expect(watcher.locator(".cube.offered .cube-value")).to_have_text("2")
    heard(first, "doubles to 2.")
    assert barriers(first) == []
    first.get_by_role("button", name="Take", exact=True).click()
    heard(second, "takes. The cube is at 2.")
    BoardPlayer(second, GAME, seed=2).play(1)
    first.get_by_role("button", name="Double to 4").click()
    second.get_by_role("button", name="Drop", exact=True).click()
    expect(first.locator("[data-over=won]")).to_contain_text("dropped your double. Single win: 2 points.")
    expect(second.locator("[data-over=lost]")).to_contain_text("You dropped")
    expect(first.locator(".ply").last).to_have_text("Drop")
    expect(watcher.get_by_role("status").filter(has_text="won: double dropped.")).to_be_visible()


def test_a_match_to_three_points_is_played_to_its_end(seats: Seats, visit: Visit) -> None:
    first, second = seats.pair(GAME, matchLength=3)
    expect(first.locator("[data-standing]")).to_have_text("0–0, match to 3 · game 1")
    offer_resignation(first, "Single game: 1 point")
    expect(first.locator("[data-action=resign]")).to_be_disabled()
    second.get_by_role("button", name="Refuse").click()
    expect(first.get_by_text("Your resignation was refused.")).to_be_visible()
    offer_resignation(first, "Gammon: 2 points")
    second.get_by_role("button", name="Accept").click()
    expect(second.locator("[data-part='1']")).to_contain_text("You won game 1: gammon, 2 points.")
    expect(second.locator("[data-standing]")).to_have_text("2–0, match to 3 · game 2 · Crawford game: no doubling")
    expect(first.locator(".strip-top .score")).to_have_text(re.compile(r"2$"))
    offer_resignation(second, "Single game: 1 point")
    first.get_by_role("button", name="Accept").click()
    expect(first.locator("[data-standing]")).to_have_text("1–2, match to 3 · game 3")
    offer_resignation(second, "Gammon: 2 points")
    first.get_by_role("button", name="Accept").click()
    expect(first.locator("[data-over=won]")).to_contain_text("You won the match!")
    expect(second.locator("[data-over=lost] [data-score]")).to_have_text(re.compile("You 2 – 3"))
    replay = visit().open(f"/matches/{first.url.rpartition('/')[2]}")
    expect(replay.locator(".moves .part")).to_have_count(3)
    replay.get_by_role("button", name="Next move").click()
    expect(replay.locator(".viewer .standing")).to_contain_text("match to 3 · game 1")
    replay.keyboard.press("End")
    expect(replay.locator(".seat .score")).to_have_text(["3", "2"] if is_black(first) else ["2", "3"])
    replay.get_by_role("button", name="Analyze game").click()
    replay.locator(".analysis[data-state=done]").wait_for(timeout=300_000)
    replay.get_by_label("Both players' statistics").select_option("Game 2")
    expect(replay.locator(".tally")).to_contain_text("Luck")


def play_until_double(doubler: Page, other: Page, value: int) -> None:
    """Both play by chance until the first one may double, which they then do."""
    double = doubler.get_by_role("button", name=f"Double to {value}")
    while not double.count():
        for page in (doubler, other):
            if page.locator('[data-mark="source"]').count():
                BoardPlayer(page, GAME, seed=value).play(1)
        doubler.wait_for_timeout(50)
    double.click()


def answer(page: Page, word: str) -> None:
    """With the board's button; in the list of moves there may be one with the same name."""
    page.locator(f"ludus-{GAME}").get_by_role("button", name=word, exact=True).click()


def test_a_match_is_decided_by_a_take_and_two_drops(seats: Seats) -> None:
    first, second = seats.pair(GAME, matchLength=3)
    play_until_double(second, first, 2)
    answer(first, "Take")
    heard(second, "takes. The cube is at 2.")
    play_until_double(first, second, 4)
    answer(second, "Drop")
    expect(second.locator("[data-part='1']")).to_contain_text("double dropped, 2 points")
    expect(second.locator("[data-standing]")).to_have_text("0–2, match to 3 · game 2 · Crawford game: no doubling")
    offer_resignation(first, "Single game: 1 point")
    second.get_by_role("button", name="Accept").click()
    expect(second.locator("[data-standing]")).to_have_text("1–2, match to 3 · game 3")
    play_until_double(second, first, 2)
    answer(first, "Drop")
    expect(first.locator("[data-part='3']")).to_contain_text("double dropped, 1 point")
    expect(first.locator("[data-standing]")).to_have_text("2–2, match to 3 · game 4")
    mover, other = (first, second) if first.locator(".turn.is-mine").count() else (second, first)
    BoardPlayer(mover, GAME, seed=5).play(1)
    other.wait_for_selector('[data-mark="source"]')
    expect(other.get_by_role("button", name="Double to 2")).to_have_count(0)  # the last point needs no cube
    offer_resignation(other, "Single game: 1 point")
    mover.get_by_role("button", name="Accept").click()
    expect(mover.locator("[data-over=won] [data-score]")).to_have_text(re.compile("You 3 – 2"))


def is_black(page: Page) -> bool:
    return bool(page.evaluate(f"document.querySelector('ludus-{GAME}').side === 'black'"))
