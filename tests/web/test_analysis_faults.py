"""The analysis board without a server, and with what the server can't read."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .test_analysis_board import PDN, paste

OFFLINE = "Can't reach the server."


def cut(page: Page) -> None:
    page.route("**/web/analysis/**", lambda route: route.abort())
    page.route("**/games/*/editor.js", lambda route: route.abort())


def reconnect(page: Page) -> None:
    page.unroute("**/web/analysis/**")
    page.unroute("**/games/*/editor.js")


def choose_game(page: Page) -> None:
    page.get_by_label("Game", exact=True).select_option("backgammon")


def choose_record(page: Page) -> None:
    page.get_by_label("Games in this file").select_option("2")


def restart(page: Page) -> None:
    page.get_by_role("button", name="Starting position").click()


def set_up(page: Page) -> None:
    page.get_by_role("button", name="Set up position").click()


@pytest.mark.parametrize(
    ("act", "shown"),
    [
        (choose_game, "ludus-backgammon"),
        (choose_record, ".moves-card:has(option[value='2']:checked)"),
        (restart, ".moves:not(:has(.move))"),
        (set_up, ".editor"),
    ],
)
def test_without_a_server_a_notice_says_so_and_the_same_works_later(
    visit: Visit, act: Callable[[Page], None], shown: str
) -> None:
    visitor = visit(forgives=("ERR_FAILED",))
    page = visitor.open("/analysis?game=checkers")
    paste(page, PDN)
    expect(page.locator(".moves .move").first).to_have_text("11-15")
    cut(page)
    act(page)
    expect(page.locator(".toast.bad")).to_contain_text(OFFLINE)
    expect(page.get_by_label("Game", exact=True)).to_have_value("checkers")
    expect(page.get_by_label("Games in this file")).to_have_value("1")
    expect(page.locator(".moves .move").first).to_have_text("11-15")
    reconnect(page)
    act(page)
    expect(page.locator(shown)).to_be_visible()


def test_the_editor_says_that_it_cannot_get_the_starting_position(visit: Visit) -> None:
    page = visit(forgives=("ERR_FAILED",)).open("/analysis?game=checkers")
    set_up(page)
    cut(page)
    page.locator("[data-edit=start]").click()
    expect(page.locator(".editor").get_by_role("alert")).to_contain_text(OFFLINE)


@pytest.mark.parametrize(
    ("locale", "unreadable", "impossible"),
    [
        ("de-DE", "Das lässt sich nicht lesen.", "Diese Stellung ist nicht möglich."),
        ("es-ES", "Esto no se puede leer.", "Esta posición no es posible."),
        ("fr-FR", "Ce texte est illisible.", "Cette position est impossible."),
    ],
)
def test_what_cannot_be_read_or_set_up_is_refused_in_the_visitors_language(
    visit: Visit, locale: str, unreadable: str, impossible: str
) -> None:
    page = visit(forgives=("400",), locale=locale).open("/analysis?game=checkers")
    page.locator("[name=text]").fill("1. 11-15 22-17\n2. 11-16")
    page.locator(".paste button[type=submit]").click()
    expect(page.get_by_role("alert")).to_contain_text(unreadable)
    expect(page.get_by_role("alert")).to_contain_text("line 2: 11-16 is not legal here")
    page.locator("[data-act=edit]").click()
    page.locator("[data-tool='black.man']").click()
    page.locator('ludus-checkers [data-place="56"]').click()
    page.locator("[data-edit=done]").click()
    expect(page.locator(".editor").get_by_role("alert")).to_contain_text(impossible)
