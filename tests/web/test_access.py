"""Everybody can use the page: axe finds nothing at all in four configurations, and nothing is wider than a phone."""

from __future__ import annotations

import pytest

from ..server_process import ServerProcess, Tenant
from .access import barriers, overflows
from .conftest import Visit
from .matches import Agent, Match

PAGES = (
    *("play", "invited", "watch", "watching", "games", "game", "lesson", "agent", "replay"),
    *("claim", "dashboard", "embed", "frame", "me", "missing", "offline"),
)


@pytest.fixture(scope="module")
def places(server: ServerProcess, tenant: Tenant) -> dict[str, str]:
    invitation = server.post("/web/play", None, {"game": "checkers", "opponent": "friend", "name": "Ann"})
    over = Match(server, "checkers").play(12).resign()
    live = Match(server, "backgammon").play(6)
    return {
        "play": "/",
        "invited": f"/invite/{invitation['roomCode']}",
        "watch": "/watch",
        "watching": f"/watch/{live.id}",
        "games": "/games",
        "game": "/games/backgammon",
        "lesson": "/learn/checkers",
        "agent": f"/agents/{over.agents[0].id}",
        "replay": f"/matches/{over.id}",
        "claim": f"/claim?agent={Agent(server).id}",
        "dashboard": "/dashboard",
        "embed": "/embed",
        "frame": "/frame#game=checkers",
        "me": "/me",
        "missing": "/nothing/here",
        "offline": "/offline",
    }


@pytest.mark.parametrize("name", PAGES)
def test_nothing_keeps_people_out(visit: Visit, places: dict[str, str], name: str) -> None:
    page = visit(forgives=("404",) if name == "missing" else ()).open(places[name])
    page.locator("main > *").first.wait_for()
    page.wait_for_function("() => !document.querySelector('main[aria-busy]')")
    assert barriers(page) == []
    assert overflows(page) == []


def test_nothing_keeps_tenants_out_behind_the_sign_in(visit: Visit, tenant: Tenant, server: ServerProcess) -> None:
    body = {"game": "checkers", "matchType": "private", "players": [{"id": "ann", "displayName": "Ann"}]}
    server.post("/v1/sessions", tenant.live, body)
    page = visit().open("/dashboard")
    page.get_by_label("Live key").fill(tenant.live)
    page.get_by_role("button", name="Sign in").click()
    for tab in ("Sessions", "Live rooms", "Webhooks", "Keys", "Theme"):
        page.get_by_role("tab", name=tab).click()
        page.locator(
            f"[role=tabpanel][aria-labelledby=tab-{page.evaluate('location.hash').lstrip('#')}] > *"
        ).first.wait_for()
        assert barriers(page) == [], tab
        assert overflows(page) == [], tab


def test_nothing_keeps_people_out_of_the_choice_of_themes(visit: Visit) -> None:
    page = visit().open("/games")
    page.get_by_role("button", name="Appearance").click()
    page.get_by_role("radio", name="Bold").wait_for()
    assert barriers(page) == []
    assert overflows(page) == []


def test_axe_would_find_something(visit: Visit) -> None:
    page = visit().open("/games")
    page.get_by_role("heading", name="Games", exact=True).wait_for()
    page.evaluate("document.querySelector('main').append(Object.assign(document.createElement('button')))")
    assert [each.partition(":")[0] for each in barriers(page)] == [
        f"button-name ({colouring}, {window})" for window in ("desktop", "phone") for colouring in ("light", "dark")
    ]


def test_a_page_that_is_too_wide_is_found(visit: Visit) -> None:
    page = visit().open("/games")
    page.get_by_role("heading", name="Games", exact=True).wait_for()
    page.evaluate("document.querySelector('h1').style.width = '500px'")
    assert {each.partition(":")[0] for each in overflows(page)} == {"320", "390"}
