"""The opening explorer on the analysis board."""

from __future__ import annotations

import re
from time import sleep

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .access import barriers, overflows
from .conftest import Visit
from .matches import Match

NUMBER = 7
"""The move of the match that is looked at."""


@pytest.fixture(scope="module")
def match(server: ServerProcess) -> Match:
    """A finished match, which the server has counted: it does so soon after the end."""
    match = Match(server, "checkers", seed=1905).play(10).resign()
    moves = [move["notation"] for move in server.get(f"/api/matches/{match.id}")["moves"]]
    line = server.post("/web/analysis/checkers/line", None, {"start": None, "moves": moves[: NUMBER - 1]})
    position = line["moves"][-1]["after"]["position"]
    while not server.get("/web/explorer/checkers", position=position)["games"]:
        sleep(0.1)
    return match


def open_at(page: Page, match: Match) -> None:
    page.goto(f"/analysis?table={match.id}&move={NUMBER - 1}")
    expect(page.locator(".explorer")).to_have_attribute("data-state", "done")


def test_what_was_played_is_listed_with_its_results_and_played_with_a_press(
    visit: Visit, match: Match, server: ServerProcess
) -> None:
    record = server.get(f"/api/matches/{match.id}")
    played = record["moves"][NUMBER - 1]
    page = visit().open("/analysis")
    open_at(page, match)
    row = page.locator(".explorer tbody tr")
    expect(row).to_have_count(1)
    expect(row.locator("button")).to_have_text(played["notation"])
    expect(row.locator(".number")).to_have_text("1")
    is_won = record["result"]["winner"] == played["player"]
    words = "100% won, 0% drawn, 0% lost" if is_won else "0% won, 0% drawn, 100% lost"
    expect(row.locator(".result-bar .visually-hidden")).to_have_text(words)
    row.locator("button").press("Enter")
    expect(page.locator(".move[aria-current]")).to_have_text(played["notation"])
    expect(page.locator(".explorer tbody button")).to_have_text(record["moves"][NUMBER]["notation"])


def test_an_example_leads_to_its_game(visit: Visit, match: Match) -> None:
    page = visit().open("/analysis")
    open_at(page, match)
    page.locator(".explorer").get_by_role("link", name=match.agents[0].name).click()
    expect(page).to_have_url(re.compile(match.id))


def test_the_opening_is_named_above_the_board_and_keeps_its_name(visit: Visit, match: Match) -> None:
    page = visit().open("/analysis?game=checkers")
    name = page.locator(".opening")
    expect(name).to_have_text("")
    for source, target, text in ((42, 35, "Old Faithful"), (21, 30, "Old Faithful"), (35, 26, "Dyke · ballot 106")):
        expect(page.locator(".explorer")).to_have_attribute("data-state", "done")
        page.locator(f'ludus-checkers [data-place="{source}"][data-mark="source"]').click()
        page.locator(f'ludus-checkers [data-place="{target}"][data-mark="target"]').click()
        expect(name).to_have_text(text)
    page.locator("[data-step=back]").click()
    expect(name).to_have_text("Old Faithful")


def test_a_position_that_nobody_has_played_says_so(visit: Visit) -> None:
    page = visit().open("/analysis?game=checkers&position=B:W30:BK10")
    expect(page.locator(".explorer")).to_contain_text("Nobody has played this position here yet.")


def test_nothing_keeps_people_out(visit: Visit, match: Match) -> None:
    page = visit().open("/analysis")
    open_at(page, match)
    assert barriers(page) == []
    assert overflows(page) == []
