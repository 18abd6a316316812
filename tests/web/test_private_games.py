"""Games between friends are private unless the host lets anyone watch, and the players see which."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from .conftest import Visit
from .tables import play_typed
from .test_play import resign
from .test_play_session import at_table


def friends(visit: Visit, *, is_public: bool = False) -> tuple[Page, Page]:
    host, guest = visit().open("/?opponent=friend"), visit()
    if is_public:
        host.get_by_label("Anyone can watch").check()
    host.locator('[data-game="checkers"] button').click()
    guest.page.goto(host.get_by_label("Invitation link").input_value())
    spectators = guest.page.locator("[data-term=watch]")
    expect(spectators).to_contain_text("Anyone can watch" if is_public else "Private: only the two of you")
    guest.page.get_by_role("button", name="Join").click()
    return at_table(host), at_table(guest.page)


@pytest.mark.parametrize("is_over", [False, True])
def test_strangers_find_nothing_of_a_private_game(visit: Visit, is_over: bool) -> None:
    host, guest = friends(visit)
    for page in (host, guest):
        expect(page.locator("[data-private]")).to_have_text("Private game: only the two of you can see it.")
    id = host.url.rpartition("/")[2]
    if is_over:
        expect(host.locator(".turn")).to_be_visible()
        first, second = (host, guest) if host.locator(".turn.is-mine").count() else (guest, host)
        play_typed(first, second, "11-15")
        resign(host)
        expect(guest.locator("[data-over=won]")).to_be_visible()
    stranger = visit(forgives=("404",)).page
    for path in (f"/watch/{id}", f"/matches/{id}"):
        answer = stranger.goto(path)
        assert answer is not None and answer.status == 404
        expect(stranger.get_by_role("heading", level=1)).to_have_text("Page not found")
    stranger.goto(f"/play/{id}")
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Game not found")
    if is_over:
        guest.get_by_role("link", name="Replay and analysis").click()
        expect(guest.locator(".viewer")).to_be_visible()
        guest.get_by_role("button", name="Analyze game").click()
        guest.locator(".analysis[data-state=done]").wait_for()


def test_friends_let_anyone_watch(visit: Visit) -> None:
    host, _ = friends(visit, is_public=True)
    expect(host.locator("[data-private]")).to_be_hidden()
    id = host.url.rpartition("/")[2]
    page = visit().open("/watch?game=checkers")
    page.locator(f"a[href='/watch/{id}']").click()
    page.locator(".seat").first.wait_for()


def test_a_device_that_took_the_seat_over_replays_the_game(visit: Visit) -> None:
    host, guest = friends(visit)
    host.locator("[data-action=device]").click()
    phone = visit(own=True).page
    phone.goto(host.get_by_label("Link to this game").input_value())
    at_table(phone)
    resign(guest)
    phone.get_by_role("link", name="Replay and analysis").click()
    expect(phone.locator(".viewer")).to_be_visible()
    with phone.expect_download() as download:
        phone.get_by_role("link", name="PDN").click()
    assert "[GameType " in download.value.path().read_text()
