"""Gestures that aren't legal moves: the page says why, and shows what can be done."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess, Tenant
from .board_player import KeyboardPlayer
from .conftest import Visit
from .tables import Seats, cell, play_typed, said, type_move

DOCS = Path(__file__).parents[2] / "docs" / "rooms" / "events.md"
RINGS = ".board-frame .ring"
JUMP_DUE = "You must jump. The pieces that can jump are ringed."


@pytest.fixture
def seats(visit: Visit, server: ServerProcess, tenant: Tenant) -> Seats:
    return Seats(visit, server, tenant)


def refuse_by(page: Page, way: str, place: int) -> None:
    """Tries to pick up a piece."""
    if way == "keyboard":
        cell(page, place).focus()
        page.keyboard.press("Enter")
    elif way == "touch":
        cell(page, place).tap()
    elif way == "drag":
        box = cell(page, place).bounding_box()
        assert box
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * 2, box["y"] - box["height"] / 2, steps=3)
        page.mouse.up()
    else:
        cell(page, place).click()


def test_a_man_that_may_not_move_since_a_jump_is_due_says_so_and_shows_the_jump(seats: Seats) -> None:
    first, second = seats.pair()
    mover, other = play_typed(first, second, "11-15", "22-18")
    for way in ("pointer", "drag", "keyboard"):
        mover.locator(".turn").click()  # nothing of an earlier answer is left
        refuse_by(mover, way, 44)
        expect(said(mover)).to_have_text(JUMP_DUE)
        expect(mover.locator(RINGS)).to_have_count(1)
        cell(mover, 35).click()  # the piece that can jump: its rings are no longer needed
        expect(mover.locator(RINGS)).to_have_count(0)
        mover.keyboard.press("Escape")
    type_move(mover, "9-13")
    expect(mover.locator(".notation .problem")).to_have_text(f"{JUMP_DUE} Try 15x22.")
    refuse_by(other, "pointer", 44)
    expect(said(other)).to_have_text("It's your opponent's turn.")


def test_other_pieces_and_squares_say_why_they_are_refused_by_touch(seats: Seats) -> None:
    page = seats.practice("checkers", phone=True)
    page.wait_for_selector('[data-mark="source"]')
    refuse_by(page, "touch", 62)
    expect(said(page)).to_have_text("That piece is blocked. The pieces that can move are ringed.")
    expect(page.locator(RINGS)).to_have_count(4)
    refuse_by(page, "touch", 5)
    expect(said(page)).to_have_text("That's your opponent's piece.")
    cell(page, 40).tap()
    cell(page, 26).tap()
    expect(said(page)).to_have_text("It can't move there. The squares it can reach are marked.")
    expect(page.locator(RINGS)).to_have_count(1)


def test_backgammon_says_why_too_and_pips_follow_the_play(seats: Seats) -> None:
    page = seats.practice("backgammon")
    page.wait_for_selector('[data-mark="source"]')
    own = page.evaluate("() => document.querySelector('ludus-backgammon').side")
    place = 12 if own == "white" else 13
    cell(page, place).click()
    expect(said(page)).to_have_text("That's your opponent's checker.")
    pips = page.locator(".strip-bottom .detail")
    expect(pips).to_have_text("167 pips")
    done = page.locator(".board-frame .confirm")
    while not done.is_visible():
        page.locator('.board-frame [data-mark="source"]').first.dblclick()
        page.wait_for_function(
            """() => {
              const root = document.querySelector("ludus-backgammon").shadowRoot;
              return !root.querySelector(".confirm").hidden || root.querySelector('[data-mark="source"]');
            }"""
        )
    expect(pips).not_to_have_text("167 pips")
    cell(page, 24 if own == "white" else 1).click()
    expect(said(page)).to_have_text("You've used your dice. Press Done, or undo a step.")
    expect(done).to_be_visible()  # the steps are still there
    page.locator(".board-frame .undo").click()
    expect(done).to_be_hidden()


def test_the_focus_is_never_on_the_opponents_checkers(seats: Seats) -> None:
    page = seats.practice("backgammon")
    side = page.evaluate("() => document.querySelector('ludus-backgammon').side")
    theirs = "black" if side == "white" else "white"
    focused = "() => document.querySelector('ludus-backgammon').shadowRoot.activeElement.ariaLabel"
    for seed in range(3):
        KeyboardPlayer(page, "backgammon", seed=seed).play(2)
        if page.locator("[data-over]").count():
            return
        expect(page.locator(".turn.is-mine")).to_be_visible()
        page.wait_for_selector('[data-mark="source"]')
        assert theirs not in page.evaluate(focused)


def test_there_is_a_sentence_for_every_reason(visit: Visit) -> None:
    table = DOCS.read_text(encoding="utf-8").partition("| reason | in | meaning |")[2].partition("\n\n")[0]
    reasons = {
        (reason, game.strip())
        for names, game in re.findall(r"^\| (.*?) \| (\w+) \|", table, re.MULTILINE)
        for reason in re.findall("`(\\w+)`", names)
    }
    assert len(reasons) > 12
    page = visit().open("/games")
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    has = "async ([module, keys]) => { const { has } = await import(module); return keys.map(has); }"
    for reason, game in reasons - {("empty", "both")}:  # there is nothing to say about an empty square
        for each in ("checkers", "backgammon") if game in ("both", "others") else (game,):
            keys = [f"{each}.why.{reason}", f"play.why.{reason}"]
            assert any(page.evaluate(has, [f"{base}/strings.js", keys])), (reason, each)
