"""Friends by link, challenges, games against each other, and their history."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .access import barriers
from .browser import Visitor
from .conftest import Visit
from .matches import Agent

NAME = """async (fields) => (await fetch("/web/me", {
  method: "PATCH", headers: {"Content-Type": "application/json"}, body: JSON.stringify(fields),
})).json().then(({person}) => person)"""
LOOK_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"
"""As if the visitor had come back to the tab: pages ask only now and then by themselves."""


def person(visitor: Visitor, name: str) -> Any:
    """Gives the visitor a name, and stays at the page of friends."""
    page = visitor.open("/me/friends")
    found = page.evaluate(NAME, {"name": name, "color": "teal"})
    page.reload()
    return found


def befriend(ann: Visitor, ben: Visitor) -> None:
    link = ann.page.get_by_label("Your friend link").input_value()
    page = ben.open(link.removeprefix(ann.url))
    page.get_by_role("button", name="Become friends").click()
    expect(page.get_by_text("are friends.")).to_be_visible()


def settled(page: Page) -> None:
    page.locator("main > *").first.wait_for()
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")


def test_friends_challenge_each_other_and_see_how_they_fared(visit: Visit) -> None:
    ann, ben = visit(), visit(phone=True)
    person(ann, "Ann"), person(ben, "Ben")
    befriend(ann, ben)
    ann.page.reload()
    ann.page.get_by_role("button", name="Challenge Ben").click()
    ann.page.get_by_role("dialog").get_by_role("combobox").first.select_option("backgammon")
    ann.page.get_by_role("button", name="Send challenge").click()
    expect(ann.page.get_by_text("Waiting for Ben to answer.")).to_be_visible()
    page = ben.open("/games")
    expect(page.get_by_text("Ann challenges you to a game.")).to_be_visible()
    expect(page.get_by_text("Backgammon · 3+2 · unrated")).to_be_visible()
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url(re.compile("/play/"))
    expect(page.get_by_role("heading", name="Waiting for Ann")).to_be_visible()
    ann.page.evaluate(LOOK_AGAIN)
    ann.page.wait_for_url(re.compile("/play/"))
    for visitor in (ann, ben):
        visitor.page.locator("ludus-backgammon").first.wait_for()
    resign(ben.page)
    page = ann.open("/me/games")
    row = page.get_by_role("row").filter(has=page.get_by_role("link", name="Ben"))
    expect(row).to_contain_text("won")
    expect(row).to_contain_text("private")
    row.get_by_role("link", name="Ben").click()
    scores = page.get_by_role("region").filter(has=page.get_by_role("columnheader", name="Won"))
    expect(page.get_by_role("heading", name="You against Ben")).to_be_visible()
    expect(scores.get_by_role("row").last).to_have_text("Backgammon100")
    expect(page.get_by_text("No public games yet.")).to_be_visible()


def resign(page: Page) -> None:
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_text("You lost", exact=False).first).to_be_visible()


def test_a_challenge_is_declined_and_withdrawn(visit: Visit) -> None:
    ann, ben = visit(), visit()
    other = person(ann, "Ann") and person(ben, "Ben")
    page = ann.open(f"/people/{other['id']}")
    for ending in ("Decline", "Withdraw"):
        page.get_by_role("button", name="Challenge").click()
        page.get_by_role("button", name="Send challenge").click()
        expect(page.get_by_text("Waiting for Ben to answer.")).to_be_visible()
        ben.page.evaluate(LOOK_AGAIN)
        expect(ben.page.get_by_text("Ann challenges you to a game.")).to_be_visible()
        if ending == "Decline":
            ben.page.get_by_role("button", name=ending).click()
            expect(ben.page.get_by_text("Ann challenges you to a game.")).to_be_hidden()
            page.evaluate(LOOK_AGAIN)
            expect(page.get_by_text("Ben declined your challenge.")).to_be_visible()
        else:
            page.get_by_role("button", name=ending).click()
        expect(page.get_by_text("Waiting for Ben to answer.")).to_be_hidden()
    ben.page.evaluate(LOOK_AGAIN)
    expect(ben.page.get_by_text("Ann challenges you to a game.")).to_be_hidden()


def test_a_person_waits_for_the_agent_they_challenged(visit: Visit, server: ServerProcess) -> None:
    agent = Agent(server, "Deep Thought")
    page = visit().open(f"/agents/{agent.id}")
    page.get_by_role("button", name="Challenge").click()
    expect(page.get_by_text("isn't taking games from people right now", exact=False)).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Play").click()
    expect(page.get_by_role("heading", name="Waiting for Deep Thought")).to_be_visible()
    queued = server.post("/api/matchmaking/queue", agent.key, {"gameId": "checkers", "lane": "fast", "people": True})
    assert queued["status"] == "matched"
    page.locator("ludus-checkers").first.wait_for()
    expect(page.get_by_text("Deep Thought").first).to_be_visible()


def test_a_blocked_person_cannot_challenge(visit: Visit) -> None:
    ann, ben = visit(), visit(forgives=("403",))
    one, two = person(ann, "Ann"), person(ben, "Ben")
    page = ann.open(f"/people/{two['id']}")
    page.get_by_role("button", name="Block", exact=True).click()
    page.get_by_role("dialog").get_by_role("button", name="Block").click()
    expect(page.get_by_role("button", name="Unblock")).to_be_visible()
    page = ben.open(f"/people/{one['id']}")
    page.get_by_role("button", name="Challenge").click()
    page.get_by_role("button", name="Send challenge").click()
    expect(page.get_by_text("This player isn't taking challenges from you.")).to_be_visible()


def test_axe_finds_nothing_on_peoples_pages(visit: Visit, server: ServerProcess) -> None:
    ann, ben = visit(), visit(phone=True)
    one, two = person(ann, "Ann"), person(ben, "Ben")
    befriend(ann, ben)
    code = ann.page.get_by_label("Your friend link").input_value().rpartition("/")[2]
    page = ann.open(f"/people/{two['id']}")
    page.get_by_role("button", name="Challenge").click()
    assert barriers(page) == []
    page.get_by_role("button", name="Send challenge").click()
    expect(page.get_by_text("Waiting for Ben to answer.")).to_be_visible()
    for visitor, other in ((ann, two), (ben, one)):
        for path in (f"/people/{other['id']}", f"/friends/{code}", "/me/games", "/me/friends"):
            page = visitor.open(path)
            settled(page)
            page.locator(".challenges .note").wait_for()
            assert barriers(page) == [], path
