"""Tournaments on the page: creating one, joining it, playing it, and how it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Locator, Page, Route, expect

from ..server_process import ServerProcess
from .access import barriers, overflows
from .browser import Visitor
from .conftest import Visit
from .test_play import resign


class Organizer:
    """Somebody without a browser, who owns tournaments."""

    def __init__(self, server: ServerProcess, name: str) -> None:
        self.http = httpx2.Client(base_url=server.url, headers={"Origin": server.url})
        self.http.patch("/web/me", json={"name": name}).raise_for_status()

    def post(self, path: str, **body: Any) -> Any:
        answer = self.http.post(f"/web/tournaments{path}", json=body)
        answer.raise_for_status()
        return answer.json()

    def make(self, *bots: str, **terms: Any) -> str:
        made = self.post("", **{"name": "Cup", "game": "checkers", "system": "swiss", **terms})
        for level in bots:
            self.post(f"/{made['id']}/bots", level=level)
        return str(made["id"])


@pytest.fixture(scope="module")
def organizer(server: ServerProcess) -> Iterator[Organizer]:
    organizer = Organizer(server, "Olga")
    yield organizer
    organizer.http.close()


def part(page: Page, name: str) -> Locator:
    return page.locator(f"[data-part={name}]")


def scores(page: Page) -> list[tuple[str, str]]:
    """Names and points, best first."""
    rows = part(page, "standings").locator("tbody tr").all()
    return [(row.locator(".player").inner_text(), row.locator("td").nth(2).inner_text()) for row in rows]


def join(visitor: Visitor, path: str, name: str) -> Page:
    page = visitor.open(path)
    page.get_by_label("Your name").fill(name)
    page.get_by_role("button", name="Join").click()
    expect(part(page, "mine")).to_contain_text("You're in.")
    return page


def test_a_tournament_from_the_form_to_its_winner(visit: Visit) -> None:
    owner = visit().open("/")
    owner.locator(".contests").get_by_role("link", name="Tournaments").click()
    owner.get_by_role("button", name="Create a tournament").click()
    owner.get_by_label("Tournament name").fill("Friday night")
    owner.get_by_role("radio", name="Swiss").check()
    owner.locator("select[name=rounds]").select_option("2")
    owner.get_by_label("Your name").fill("Ann")
    owner.locator("form").get_by_role("button", name="Create a tournament").click()
    expect(owner.get_by_role("heading", name="Friday night")).to_be_visible()
    expect(owner).to_have_title("Friday night · Ludus")
    expect(part(owner, "head")).to_contain_text("Checkers · Swiss, 2 rounds · 5+3 · unrated")
    expect(owner.get_by_role("button", name="Start now")).to_be_disabled()
    path = re.sub(r"^https?://[^/]*", "", owner.url)

    other = join(visit(), path, "Ben")
    spectator = visit().open("/")
    spectator.locator(".contests").get_by_role("link", name="Friday night").click()
    expect(part(owner, "standings").locator("tbody tr")).to_have_count(2)
    owner.get_by_role("button", name="Start now").click()
    for page in (owner, other):  # the page takes its players to the board
        page.wait_for_url("**/play/*")
        expect(page.locator(".turn")).to_be_visible()
        expect(page.locator("[data-action=new]")).to_be_hidden()
    first, second = (owner, other) if owner.locator(".turn.is-mine").count() else (other, owner)
    expect(first.locator("[data-no-show]")).to_have_text(re.compile(r"^You have [12]:\d\d for your first move"))
    expect(second.locator("[data-no-show]")).to_have_text(re.compile(r"^(Ann|Ben) has [12]:\d\d for the first move"))
    expect(part(spectator, "pairings")).to_contain_text("live")
    expect(spectator.get_by_role("button", name="Start now")).to_have_count(0)
    resign(other)
    for page in (owner, other):
        expect(page.locator("[data-over]")).to_be_visible()
        expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
    expect(part(spectator, "standings").locator("tbody tr").first).to_contain_text("Ann")
    expect(part(spectator, "standings").locator("tbody tr").first.locator("td").nth(2)).to_have_text("1")
    for page in (owner, other):
        page.get_by_role("link", name="Back to the tournament").click()
    for page in (owner, other):  # the second round, at once
        page.wait_for_url("**/play/*")
        expect(page.locator(".turn")).to_be_visible()
    resign(other)
    expect(other.locator("[data-over]")).to_be_visible()
    other.get_by_role("link", name="Back to the tournament").click()
    expect(part(other, "podium").locator("[data-rank='1']")).to_contain_text("Ann")
    expect(spectator.locator("[data-announcer]")).to_have_text("The tournament is over. Ann has won.")
    assert scores(spectator) == [("Ann", "2"), ("Ben", "0")]
    expect(spectator.get_by_role("button", name="Join")).to_have_count(0)
    expect(part(spectator, "podium")).to_be_visible()
    expect(part(spectator, "table").locator("table")).to_be_visible()
    assert barriers(spectator) == []
    assert overflows(spectator) == []
    part(spectator, "pairings").get_by_role("button", name="Round 1").click()
    part(spectator, "pairings").get_by_role("link", name="Ann – Ben: 1 – 0").or_(
        part(spectator, "pairings").get_by_role("link", name="Ben – Ann: 0 – 1")
    ).click()
    spectator.wait_for_url("**/matches/*")
    spectator.goto("/tournaments")
    expect(part(spectator, "finished").get_by_role("link", name="Friday night")).to_contain_text("Won by Ann")
    assert barriers(spectator) == []
    assert overflows(spectator) == []


def test_nobody_is_taken_to_the_same_game_twice(visit: Visit, organizer: Organizer) -> None:
    id = organizer.make("beginner", system="round_robin", timeControl="10+5")
    page = join(visit(), f"/tournaments/{id}", "Cid")
    organizer.post(f"/{id}/start")
    page.wait_for_url("**/play/*")
    page.locator("[data-action=leave]").click()
    page.get_by_role("dialog").get_by_role("button", name="Leave", exact=True).click()
    page.wait_for_url(f"**/tournaments/{id}")
    expect(page.get_by_role("link", name="Go to your game")).to_be_visible()
    expect(page).to_have_title("Your game has started. · Ludus")
    with page.expect_response(f"**/web/tournaments/{id}"):
        pass  # the page is still there, and polls
    page.get_by_role("link", name="Go to your game").click()
    expect(page.locator(".turn")).to_be_visible()


def test_people_leave_and_owners_add_bots_and_cancel(visit: Visit) -> None:
    page = visit().open("/tournaments?game=backgammon")
    page.get_by_role("button", name="Create a tournament").click()
    page.get_by_role("radio", name="Knock-out").check()
    expect(page.locator("select[name=rounds]")).to_be_hidden()
    page.locator("select[name=matchLength]").select_option("3")
    page.locator("select[name=starts]").select_option("time")
    page.get_by_role("checkbox", name="Easy").check()
    page.locator("form").get_by_role("button", name="Create a tournament").click()
    expect(page.get_by_role("heading", name="Backgammon Knock-out")).to_be_visible()
    expect(page.locator(".countdown")).to_contain_text("Starts in")
    expect(part(page, "standings").locator("tbody tr")).to_have_count(2)
    page.get_by_role("checkbox", name="Hard").check()
    expect(part(page, "standings")).to_contain_text("Hard bot")
    expect(page.get_by_role("checkbox", name="Hard")).to_be_focused()
    page.get_by_role("checkbox", name="Hard").uncheck()
    page.get_by_role("button", name="Withdraw").click()
    expect(part(page, "standings").locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("button", name="Join")).to_be_visible()
    page.get_by_role("button", name="Cancel the tournament").click()
    page.get_by_role("dialog").get_by_role("button", name="Cancel the tournament").click()
    expect(part(page, "head")).to_contain_text("Cancelled")
    expect(page.get_by_role("button", name="Join")).to_have_count(0)


def test_later_tournaments_are_one_press_away(visit: Visit, server: ServerProcess) -> None:
    organizer = Organizer(server, "Otto")
    made = [organizer.make(name=name) for name in ("Soon", "Later")]
    page = visit().page
    held: list[Any] = []

    def first_page(route: Route) -> None:
        """All upcoming ones but the last, as if a page ended there."""
        listed = route.fetch().json()
        held[:] = listed["upcoming"][-1:]
        route.fulfill(json={**listed, "upcoming": listed["upcoming"][:-1], "after": "there"})

    page.route("**/web/tournaments", first_page)
    page.route("**/web/tournaments?after=there", lambda route: route.fulfill(json={"upcoming": held, "after": None}))
    page.goto("/tournaments")
    rows = part(page, "upcoming").locator(".tournaments > li")
    expect(rows.first).to_be_visible()
    shown = rows.count()
    page.get_by_role("button", name="Later tournaments").click()
    expect(rows).to_have_count(shown + 1)
    expect(page.get_by_role("button", name="Later tournaments")).to_be_hidden()
    for id in made:
        organizer.post(f"/{id}/cancel")
    organizer.http.close()


def test_a_form_without_players_is_not_sent(visit: Visit) -> None:
    page = visit().open("/tournaments")
    page.get_by_role("button", name="Create a tournament").click()
    page.locator("select[name=starts]").select_option("now")
    form = page.locator("form.tournament-form")
    form.get_by_role("button", name="Create a tournament").click()
    expect(form.get_by_role("alert")).to_contain_text("needs two players")


def test_a_tournament_that_is_made_but_not_filled_is_shown_with_what_went_wrong(visit: Visit) -> None:
    visitor = visit(forgives=("409",))
    refusal = {"error": "full", "code": "tournament_full"}
    visitor.page.route("**/web/tournaments/*/bots", lambda route: route.fulfill(status=409, json=refusal))
    page = visitor.open("/tournaments")
    page.get_by_role("button", name="Create a tournament").click()
    page.get_by_label("Tournament name").fill("Half a cup")
    page.get_by_role("checkbox", name="Easy").check()
    page.locator("form").get_by_role("button", name="Create a tournament").click()
    page.wait_for_url("**/tournaments/*")
    problem = page.get_by_role("alert").filter(has_text="This tournament is full.")
    expect(problem).to_be_visible()
    expect(part(page, "standings").locator("tbody tr")).to_have_count(1)
    page.unroute("**/web/tournaments/*/bots")
    page.get_by_role("checkbox", name="Easy").check()
    expect(part(page, "standings").locator("tbody tr")).to_have_count(2)
    expect(problem).to_be_hidden()
    page.goto("/tournaments")
    expect(page.get_by_role("link", name="Half a cup")).to_have_count(1)


@pytest.mark.parametrize("system", ["arena", "round_robin", "knockout"])
def test_every_system_is_shown_to_everyone(
    visit: Visit, organizer: Organizer, server: ServerProcess, system: str
) -> None:
    id = organizer.make("beginner", "novice", "easy", system=system, timeControl="3+2")
    guest = Organizer(server, "A person with quite a long name to show")
    guest.post(f"/{id}/join")
    organizer.post(f"/{id}/start")
    page = visit().open(f"/tournaments/{id}")
    expect(part(page, "standings").locator("tbody tr")).to_have_count(4)
    expect(part(page, "pairings").locator("li").first).to_be_visible()
    assert barriers(page) == []
    assert overflows(page) == []
    organizer.post(f"/{id}/cancel")
    guest.http.close()


def test_nothing_keeps_people_out_of_the_form(visit: Visit) -> None:
    page = visit().open("/tournaments")
    page.get_by_role("button", name="Create a tournament").click()
    page.get_by_label("Tournament name").wait_for()
    page.get_by_label("Time control").select_option("custom")
    assert barriers(page) == []
    assert overflows(page) == []
