"""What can be looked up: games, agents, and who owns them."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ..server_process import ServerProcess
from .conftest import Visit
from .matches import Agent, Match


@pytest.fixture(scope="module")
def match(server: ServerProcess) -> Match:
    return Match(server, "backgammon").play(4).resign()


def test_the_games_lead_to_their_pages(visit: Visit, match: Match) -> None:
    page = visit().open("/games")
    page.get_by_role("link", name="Rules and leaderboard: Backgammon").click()
    page.get_by_role("heading", name="Backgammon", exact=True).wait_for()
    for part in ("Latest games", "Leaderboard", "Rules", "Strategy"):
        page.get_by_role("heading", name=part, exact=True).wait_for()
    figures = page.locator(".figures")
    expect(figures).to_contain_text("Games played")
    expect(figures).to_contain_text("100%")
    expect(page.locator(".start ludus-backgammon")).to_be_visible()


def test_a_match_and_its_players_are_found_from_the_games_page(visit: Visit, match: Match) -> None:
    page = visit().open("/games/backgammon")
    page.locator(f"a[href='/matches/{match.id}']").click()
    page.get_by_role("link", name=match.agents[0].name).first.click()
    page.get_by_role("heading", name=match.agents[0].name).wait_for()
    expect(page.locator(".rating-big")).to_contain_text("?")
    page.get_by_text("lost", exact=True).wait_for()


def test_a_phone_shows_matches_without_scrolling_sideways(visit: Visit, match: Match) -> None:
    visitor = visit(phone=True)
    for path in ("/games", "/games/backgammon", f"/agents/{match.agents[0].id}"):
        page = visitor.open(path)
        page.locator(f"a[href='/matches/{match.id}']").wait_for()
        hidden = "table => table.scrollWidth - table.clientWidth"
        assert page.locator(".card > .table-scroll").first.evaluate(hidden) <= 0, path


def test_a_house_bot_has_a_page(visit: Visit) -> None:
    page = visit().open("/agents/house:easy")
    page.get_by_text("house bot").wait_for()
    german = visit(locale="de-DE").open("/agents/house:easy")
    german.get_by_role("heading", name="Bot (leicht)").wait_for()


@pytest.mark.parametrize("path", ["/agents/%E0%A4%A", "/games/%"])
def test_a_badly_encoded_address_is_not_found(visit: Visit, path: str) -> None:
    visit(forgives=("404",)).open(path).get_by_role("heading", name="Page not found").wait_for()


def test_the_owner_claims_an_agent_with_its_code(visit: Visit, server: ServerProcess) -> None:
    agent = Agent(server)
    visitor = visit()
    page = visitor.open(agent.registration["claim_url"])
    page.get_by_label("Verification code").fill("sc-verify-0000000000000000")
    page.get_by_label("Your display name").fill("Ann Owner")
    page.get_by_role("button", name="Claim").click()
    page.get_by_role("alert").get_by_text("not the agent's verification code").wait_for()
    assert "403" in visitor.complaint()
    page.get_by_label("Verification code").fill(agent.registration["verification_code"])
    page.get_by_label("Your display name").fill("Ann Owner")
    page.get_by_role("button", name="Claim").click()
    page.get_by_role("link", name="View agent").click()
    page.get_by_text("owner: Ann Owner").wait_for()


def test_the_claim_page_keeps_to_the_switches_of_the_others(visit: Visit, server: ServerProcess) -> None:
    visitor = visit(phone=True)
    visitor.page.set_viewport_size({"width": 360, "height": 740})
    page = visitor.open("/games")
    page.get_by_role("button", name="Appearance").click()
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.get_by_role("combobox", name="Language").select_option("Deutsch")
    page.get_by_role("heading", name="Spiele", exact=True).wait_for()
    page = visitor.open(Agent(server).registration["claim_url"])
    page.get_by_role("button", name="Übernehmen").wait_for()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("link", name="English").click()
    page.get_by_role("button", name="Claim").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_german_owner_is_asked_in_german(visit: Visit, server: ServerProcess) -> None:
    page = visit(locale="de-DE").open(Agent(server).registration["claim_url"])
    page.get_by_role("button", name="Übernehmen").wait_for()


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_rules_and_advice_are_whole_in_every_language(visit: Visit, game: str) -> None:
    def shape(locale: str) -> list[str]:
        page = visit(locale=locale).open(f"/games/{game}")
        page.locator("details .prose").nth(1).wait_for(state="attached")  # scripts replace what the server wrote
        tags: list[str] = page.locator("details .prose :is(h3, p, li, tr)").evaluate_all(
            "all => all.map((each) => each.tagName)"
        )
        return tags

    english = shape("en-GB")
    assert len(english) > 20
    for locale in ("de-DE", "es-ES", "fr-FR"):
        assert shape(locale) == english, locale


def test_a_german_reads_the_rules_in_german(visit: Visit) -> None:
    page = visit(locale="de-DE").open("/games/checkers")
    page.get_by_text("Wer schlagen kann, muss schlagen.").wait_for()
    assert page.get_by_text("If you can jump, you must.").count() == 0
