"""Whole games on the page, with a mouse, a finger, and keys alone."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from playwright.sync_api import Page, expect

from .board_player import BoardPlayer, KeyboardPlayer
from .conftest import Visit

GAMES = ("checkers", "backgammon")
LINES = """(found) => found.map((each) => {
  const range = document.createRange();
  range.selectNodeContents(each);
  const shown = [...range.getClientRects()].filter(({width}) => width).sort((one, other) => one.top - other.top);
  let [lines, end] = [0, -Infinity];
  for (const {top, bottom} of shown) {
    if (top >= end - 1) lines += 1;
    end = Math.max(end, bottom);
  }
  return lines;
})"""
"""On how many lines texts stand."""
OUTCOMES = ("won", "lost", "draw")


def start(page: Page, game: str) -> None:
    page.locator(f'[data-game="{game}"] button').click()
    page.wait_for_selector(f"ludus-{game}:not([compact])")


@pytest.mark.parametrize("game", GAMES)
def test_a_new_visitor_plays_a_whole_game_against_the_easy_bot(visit: Visit, game: str) -> None:
    page = visit(is_animated=True).open("/")
    start(page, game)
    player = BoardPlayer(page, game, seed=1)
    player.play(20)
    page.emulate_media(reduced_motion="reduce")  # the other moves are made without waiting for men to glide
    assert player.finish() in OUTCOMES
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()


@pytest.mark.parametrize("game", GAMES)
def test_a_finger_plays_on_a_phone_and_nothing_is_beside_the_screen(visit: Visit, game: str) -> None:
    page = visit(phone=True).open("/")
    assert too_wide(page) <= 0
    start(page, game)
    BoardPlayer(page, game, seed=2, has_touch=True).play(10)
    assert too_wide(page) <= 0
    box = page.locator(f"ludus-{game}").bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= 844, "the whole board is to be seen without scrolling"


def too_wide(page: Page) -> int:
    pixels: int = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    return pixels


TEXTS_FIT = """(width) => innerWidth === width && [...document.querySelectorAll(".pills span")].every((pill) => {
  const text = document.createRange();
  text.selectNodeContents(pill);
  return text.getBoundingClientRect().width <= pill.clientWidth;
})"""


def test_the_choices_of_the_start_page_fit_their_pills_on_small_phones_in_all_languages(visit: Visit) -> None:
    page = visit().page
    for language in ("en", "de", "es", "fr"):
        page.goto(f"/?lang={language}")
        page.locator(".pills").first.wait_for()
        for width in (320, 360, 390):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function(TEXTS_FIT, arg=width)  # the resized page is laid out a frame later


def start_by_keys(page: Page, game: str) -> None:
    button = page.locator(f'[data-game="{game}"] button')
    for _ in range(40):
        page.keyboard.press("Tab")
        if button.evaluate("element => element === document.activeElement"):
            break
    page.keyboard.press("Enter")
    page.wait_for_selector(f"ludus-{game}:not([compact])")


def test_a_whole_game_by_keyboard_alone(visit: Visit) -> None:
    page = visit().open("/")
    start_by_keys(page, "checkers")
    assert KeyboardPlayer(page, "checkers", seed=3).finish() in OUTCOMES


def test_backgammon_by_keyboard_alone(visit: Visit) -> None:
    page = visit().open("/")
    start_by_keys(page, "backgammon")
    KeyboardPlayer(page, "backgammon", seed=3).play(8)
    assert page.locator(".ply").count() >= 8


def test_two_people_meet_and_play_each_other(visit: Visit) -> None:
    pages = [visit().open("/?opponent=anyone") for _ in range(2)]
    for page, name in zip(pages, ("Ann", "Ben"), strict=True):
        page.get_by_label("Your name").fill(name)
        page.locator('[data-game="checkers"] button').click()
    players = [BoardPlayer(page, "checkers", seed) for seed, page in enumerate(pages)]
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    names = sorted(page.locator(".strip-top .name").inner_text() for page in pages)
    assert names == ["Ann", "Ben"]
    for _ in range(6):
        mover = next(player for player in players if player.page.locator(".turn.is-mine").count())
        before = mover.made()
        mover.play(1)
        for player in players:
            expect(player.page.locator(".ply")).to_have_count(before + 1)


def test_a_friend_comes_with_the_code_and_they_play_again(visit: Visit) -> None:
    host, guest = visit().open("/?opponent=friend"), visit().open("/")
    host.locator('[data-game="backgammon"] button').click()
    code = host.locator("[data-code]").get_attribute("data-code") or ""
    assert re.fullmatch("[A-Z2-9]{6}", code)
    guest.get_by_label("Got a code?").fill(code.lower())
    guest.get_by_role("button", name="Open").click()
    guest.get_by_role("button", name="Join").click()
    for page in (host, guest):
        page.wait_for_selector("ludus-backgammon:not([compact])")
    resign(host)
    expect(guest.locator("[data-over]")).to_contain_text("You won!")
    address = host.url
    host.get_by_role("button", name="Rematch").click()
    guest.get_by_role("button", name="Accept rematch").click()
    for page in (host, guest):
        expect(page.locator("[data-over]")).to_have_count(0)
        expect(page).not_to_have_url(address)


def test_a_code_that_is_too_short_is_answered_in_words(visit: Visit) -> None:
    visitor = visit(own=True)
    page = visitor.open("/")
    visitor.stop_time()
    page.get_by_label("Got a code?").fill("ABC")
    page.get_by_role("button", name="Open").click()
    expect(page.locator(".toast.bad")).to_contain_text("six characters")


@pytest.mark.parametrize("query", ["opponent=xyz", "opponent=toString", "level=godlike"])
def test_a_link_that_names_what_there_is_not_leads_to_the_start(visit: Visit, query: str) -> None:
    page = visit().open(f"/?game=checkers&{query}&go=1")
    expect(page.locator('[data-game="checkers"] button')).to_be_visible()
    expect(page.get_by_role("radio", name="Computer")).to_be_checked()


def test_the_language_of_a_link_stays(visit: Visit) -> None:
    page = visit().open("/?lang=de")
    start(page, "checkers")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator(".strip-top .name")).to_have_text("Bot (leicht)")


def test_a_name_that_runs_from_right_to_left_turns_only_itself_round(visit: Visit) -> None:
    pages = [visit().open("/?opponent=anyone") for _ in range(2)]
    for page, name in zip(pages, ("\u202eevil", "\u05d3\u05d5\u05d3"), strict=True):
        page.get_by_label("Your name").fill(name)
        page.locator('[data-game="backgammon"] button').click()
    expect(pages[0].locator(".strip-top .name")).to_have_text("\u2068\u05d3\u05d5\u05d3\u2069")
    expect(pages[1].locator(".strip-top .name")).to_have_text("evil")


def test_small_phones_break_no_word_and_no_clock(visit: Visit) -> None:
    small = {"width": 360, "height": 740}
    pages = [visit(phone=True, viewport=small).open("/?opponent=anyone&lang=de") for _ in range(2)]
    for page in pages:
        expect(page.locator("button.big")).to_have_count(2)  # German comes after the page has loaded
        lines = page.locator(".game h2, button.big").evaluate_all(LINES)
        assert lines == [1, 1, 1, 1]
        page.get_by_label("Dein Name").fill("W" * 40)
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        expect(page.locator(".clock:visible")).to_have_count(2)
        assert page.locator(".clock:visible").evaluate_all(LINES) == [1, 1]
        assert too_wide(page) <= 0


HELD = """(width) => innerWidth === width && document.documentElement.scrollWidth <= width
  && [...document.querySelectorAll(".actions button")].every((each) => each.scrollWidth <= each.clientWidth)"""
"""Whether nothing is wider than the window, and no text wider than its button."""


@pytest.mark.parametrize("language", ["de", "fr"])
def test_windows_of_all_forms_hold_the_table_and_its_buttons_in_languages_with_long_words(
    visit: Visit, language: str
) -> None:
    page = visit().open(f"/?lang={language}")
    start(page, "backgammon")
    expect(page.locator(".turn")).to_be_visible()
    for width, height in ((1280, 800), (360, 740), (320, 568), (740, 360), (568, 320), (480, 320), (320, 256)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(HELD, arg=width)


def resign(page: Page) -> None:
    page.locator("[data-action=resign]").click()
    page.locator("dialog").get_by_role("button", name="Resign").click()


def test_resigning_asks_first(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.locator("[data-action=resign]").click()
    page.get_by_role("button", name="Keep playing").click()
    expect(page.locator("[data-over]")).to_have_count(0)
    resign(page)
    expect(page.locator("[data-over]")).to_contain_text("You resigned.")


def test_a_draw_is_offered_declined_offered_and_taken(visit: Visit) -> None:
    pages = [visit().open("/?opponent=anyone") for _ in range(2)]
    for page in pages:
        page.locator('[data-game="checkers"] button').click()
    for page in pages:
        page.wait_for_selector("ludus-checkers:not([compact])")
    first, second = pages
    first.locator("[data-action=draw]").click()
    expect(first.locator(".notices")).to_contain_text("You offered a draw.")
    second.get_by_role("button", name="Decline").click()
    expect(first.locator(".notices")).not_to_contain_text("offered")
    second.locator("[data-action=draw]").click()
    first.get_by_role("button", name="Accept").click()
    for page in pages:
        expect(page.locator("[data-over=draw]")).to_be_visible()


@pytest.mark.parametrize(("game", "text"), [("checkers", "11-15"), ("checkers", "11 15")])
def test_a_move_can_be_written(visit: Visit, game: str, text: str) -> None:
    page = visit().open("/")
    start(page, game)
    page.wait_for_selector(f"ludus-{game} [data-mark=source]")
    page.get_by_label("Type a move").fill(text)
    page.keyboard.press("Enter")
    expect(page.locator(".ply").first).to_contain_text("11-15")


def test_a_move_that_cannot_be_played_is_answered_with_one_that_can(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    page.wait_for_selector("ludus-checkers [data-mark=source]")
    page.get_by_label("Type a move").fill("1-32")
    page.keyboard.press("Enter")
    expect(page.locator(".problem")).to_have_text(re.compile(r"Try \d+-\d+\."))


def change(play: str) -> dict[str, int]:
    """What a play changes at which points: one play is written in several ways, with its steps in any order."""
    moved: Counter[str] = Counter()
    for way in play.replace("*", "").split():
        path, _, times = way.rstrip(")").partition("(")
        points = path.split("/")
        moved[points[0]] -= int(times or 1)
        moved[points[-1]] += int(times or 1)
    return {point: men for point, men in moved.items() if men}


def test_a_written_play_of_backgammon_is_found_among_the_legal_ones(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "backgammon")
    page.wait_for_selector("ludus-backgammon [data-mark=source]")
    before = page.locator(".ply").count()
    page.get_by_label("Type a move").fill("1/24")
    page.keyboard.press("Enter")
    example = re.search(r"Try (.+)\.$", page.locator(".problem").inner_text())
    assert example is not None
    page.get_by_label("Type a move").fill(example[1])
    page.keyboard.press("Enter")
    made = page.locator(".ply .text").nth(before).text_content() or ""
    assert change(made) == change(example[1])


def test_moves_are_spoken(visit: Visit) -> None:
    page = visit().open("/")
    start(page, "checkers")
    BoardPlayer(page, "checkers", seed=4).play(2)
    expect(page.locator("[data-announcer]")).to_contain_text(re.compile(r"You play \d+-\d+\."))
    expect(page.locator("[data-announcer]")).to_contain_text(re.compile(r"Easy bot plays \d+[-x]\d+"))


def test_the_page_speaks_german(visit: Visit) -> None:
    page = visit(locale="de-DE").open("/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sofort spielen. Ohne Konto.")
    start(page, "checkers")
    expect(page.locator(".turn")).to_have_text("Du bist am Zug")
    expect(page.locator('ludus-checkers [data-mark="source"]').first).to_have_attribute(
        "aria-label", re.compile("roter Stein, kann ziehen")
    )
