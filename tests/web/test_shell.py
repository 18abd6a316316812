"""What all pages have: a header, four languages, two colourings, and a friendly word where nothing is."""

from __future__ import annotations

import gzip
import re

import httpx2
import pytest
from playwright.sync_api import expect

from ..server_process import ServerProcess
from .conftest import Visit

MOST_BYTES = 150_000


def test_an_unknown_address_has_a_pleasant_page(visit: Visit) -> None:
    page = visit(forgives=("404",)).open("/no/such/page")
    page.get_by_role("heading", name="Page not found").wait_for()


def test_the_language_is_chosen_in_the_header_and_kept(visit: Visit) -> None:
    page = visit().open("/games")
    page.get_by_role("heading", name="Games", exact=True).wait_for()
    page.get_by_role("combobox", name="Language").select_option("Deutsch")
    page.get_by_role("heading", name="Spiele", exact=True).wait_for()
    assert page.evaluate("document.documentElement.lang") == "de"
    page.goto("/watch")
    page.get_by_role("heading", name="Live").wait_for()
    page.get_by_role("combobox", name="Sprache").select_option("Français")
    page.get_by_role("heading", name="En direct", exact=True).wait_for()


@pytest.mark.parametrize(
    ("locale", "heading"),
    [("de-DE", "Spiele"), ("es-MX", "Juegos"), ("fr-CA", "Jeux"), ("pt-BR", "Games")],
)
def test_the_page_is_in_the_browsers_language_or_in_english(visit: Visit, locale: str, heading: str) -> None:
    visit(locale=locale).open("/games").get_by_role("heading", name=heading, exact=True).wait_for()


def test_an_address_can_name_the_language(visit: Visit) -> None:
    page = visit().open("/games?lang=es")
    page.get_by_role("heading", name="Juegos", exact=True).wait_for()
    page.goto("/watch?lang=tlh")
    page.get_by_role("heading", name="En directo", exact=True).wait_for()


def test_a_large_count_has_a_plural_in_every_language(visit: Visit) -> None:
    """Spanish and French have a third form for millions."""
    page = visit(locale="es-ES").open("/games")
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    count = "async (module) => (await import(module)).tn('watch.moves', 1000000)"
    assert page.evaluate(count, f"{base}/strings.js") == "1.000.000 jugadas"


def test_the_colours_follow_the_system_until_they_are_chosen(visit: Visit) -> None:
    page = visit(dark=True).open("/games")
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(paper)
    page.get_by_role("button", name="Appearance").click()
    page.get_by_role("radio", name="Light").check()
    page.wait_for_function(f"dark => {paper} !== dark", arg=dark)  # colours change with the next frame
    page.reload()
    assert page.evaluate(paper) != dark


def test_the_navigation_leads_to_every_page_by_keyboard(visit: Visit) -> None:
    page = visit().open("/games")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.get_by_role("navigation", name="Main menu").get_by_role("link", name="Watch").press("Enter")
    page.get_by_role("heading", name="Live now").wait_for()


def test_a_phone_has_its_navigation_at_the_bottom_and_nothing_is_wider_than_it(visit: Visit) -> None:
    page = visit(phone=True).open("/games")
    tabs = page.get_by_role("navigation", name="Bottom menu").get_by_role("link")
    assert tabs.all_inner_texts() == ["Play", "Puzzles", "Watch", "Games", "Tournaments", "Me"]
    page.get_by_role("navigation", name="For developers").get_by_role("link", name="Embed").click()
    page.get_by_role("heading", name="A board on your own site").wait_for()
    for path in ("/", "/puzzles", "/watch", "/games", "/games/checkers", "/embed", "/dashboard"):
        page.goto(path)
        page.locator("main > *").first.wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path


def test_a_phone_finds_the_analysis_board_among_the_games(visit: Visit) -> None:
    page = visit(phone=True).open("/")
    page.get_by_role("navigation", name="Bottom menu").get_by_role("link", name="Games").tap()
    page.get_by_role("link", name="Analysis: Backgammon").tap()
    expect(page.get_by_role("heading", name="Analysis board")).to_be_visible()
    expect(page.locator("ludus-backgammon")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-GB", "de-DE", "es-ES", "fr-FR"])
def test_the_menu_fits_a_small_window_too(visit: Visit, locale: str) -> None:
    page = visit(locale=locale).open("/tournaments")
    page.locator(".top .nav a[aria-current]").wait_for()
    for width in (769, 900, 1057):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.set_viewport_size({"width": 320, "height": 600})
    last = page.locator(".tabs a").last.bounding_box()
    assert last and last["x"] + last["width"] <= 320


@pytest.mark.parametrize("path", ["/", "/puzzles", "/watch", "/games", "/embed", "/dashboard"])
def test_the_first_visit_costs_little(server: ServerProcess, path: str) -> None:
    """The document and all that it names, as they travel."""
    with httpx2.Client(base_url=server.url, headers={"Accept-Encoding": "gzip"}) as client:
        document = client.get(path)
        found = set(re.findall(r'(?:src|href)="(/static/[^"]+)"', document.text))
        assert found
        sizes = {name: len(gzip.compress(client.get(name).content, 9)) for name in found}
    assert len(gzip.compress(document.content, 9)) + sum(sizes.values()) < MOST_BYTES, sizes


def test_a_page_that_cannot_ask_the_server_says_so_and_tries_again(visit: Visit) -> None:
    visitor = visit(forgives=("ERR_FAILED",))
    visitor.page.route("**/api/**", lambda route: route.abort())
    page = visitor.open("/games")
    page.get_by_role("alert").get_by_text("Can't reach the server.").wait_for()
    page.unroute("**/api/**")
    page.get_by_role("button", name="Try again").click()
    page.get_by_role("heading", name="Games", exact=True).wait_for()


def test_the_footer_leads_to_documents_that_are_there(visit: Visit, server: ServerProcess) -> None:
    page = visit().open("/games")
    links = page.get_by_role("navigation", name="For developers").get_by_role("link")
    paths = [str(link.get_attribute("href")) for link in links.all()]
    assert {"/docs/", "/api/guide", "/v1/openapi.json", "/llms.txt"} <= set(paths)
    assert {path for path in paths if server.request("GET", path).status_code != 200} <= {"/docs/"}  # if not built
