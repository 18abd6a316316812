"""Takebacks, hints, looking back, rolling and confirming by hand."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from ..server_process import ServerProcess, Tenant
from .access import barriers
from .board_player import BoardPlayer
from .conftest import Visit
from .tables import Seats, cell, said, type_move

POSITION = "(tag) => JSON.stringify(document.querySelector(tag).position.board)"


@pytest.fixture
def seats(visit: Visit, server: ServerProcess, tenant: Tenant) -> Seats:
    return Seats(visit, server, tenant)


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_a_move_is_taken_back_and_another_suggested(seats: Seats, game: str) -> None:
    page = seats.practice(game)
    page.wait_for_selector('[data-mark="source"]')
    count, before = page.locator(".ply").count(), page.evaluate(POSITION, f"ludus-{game}")
    dice = page.evaluate("(tag) => document.querySelector(tag).position.dice ?? null", f"ludus-{game}")
    takeback, hint = page.get_by_role("button", name="Take back"), page.get_by_role("button", name="Hint")
    expect(takeback).to_be_disabled()
    BoardPlayer(page, game, seed=3).play(2)
    expect(page.locator(".turn.is-mine")).to_be_visible()
    takeback.click()
    expect(page.locator(".ply")).to_have_count(count)
    expect(page.locator("[data-announcer]")).to_contain_text("The last move was taken back.")
    page.wait_for_selector('[data-mark="source"]')
    assert page.evaluate(POSITION, f"ludus-{game}") == before
    assert page.evaluate("(tag) => document.querySelector(tag).position.dice ?? null", f"ludus-{game}") == dice
    hint.click()
    expect(said(page)).to_have_text(re.compile(r"Suggested move: \S+"))
    expect(page.locator(".board-frame .arrow").first).to_be_attached()
    type_move(page, (said(page).inner_text()).partition(": ")[2])
    expect(page.locator(".ply").nth(count)).to_be_visible()
    expect(page.locator(".board-frame .arrow")).to_have_count(0)


def test_players_step_back_through_the_moves_and_return(seats: Seats) -> None:
    page = seats.practice("checkers")
    BoardPlayer(page, "checkers", seed=4).play(4)
    expect(page.locator(".turn.is-mine")).to_be_visible()
    now = page.evaluate(POSITION, "ludus-checkers")
    assert page.locator(".line .number").all_inner_texts()[:2] == ["1.", "2."]
    page.locator(".turn").click()
    page.evaluate("() => document.activeElement.blur()")
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    expect(page.locator('.ply[aria-current="true"]')).to_have_text(page.locator(".ply").first.inner_text())
    assert page.evaluate(POSITION, "ludus-checkers") != now
    expect(said(page)).to_contain_text("You're looking at an earlier position.")
    assert barriers(page) == []
    cell(page, 62).click()
    expect(said(page)).to_contain_text("Go back to the game to move.")
    page.locator("[data-step=first]").click()
    page.get_by_role("button", name="Back to the game").last.click()
    page.wait_for_selector('[data-mark="source"]')
    assert page.evaluate(POSITION, "ludus-checkers") == now
    expect(said(page)).to_have_text("")


def test_a_new_move_is_announced_to_those_who_look_back(seats: Seats) -> None:
    mover, other = seats.pair()
    mover.wait_for_selector('[data-mark="source"]')
    type_move(mover, "11-15")
    expect(other.locator(".ply")).to_have_count(1)
    mover.locator("[data-step=back]").click()
    expect(said(mover)).to_contain_text("You're looking at an earlier position.")
    other.wait_for_selector('[data-mark="source"]')
    type_move(other, "24-20")
    expect(said(mover)).to_contain_text("A move has been made since you looked back.")
    mover.locator(".prompt").get_by_role("button", name="Back to the game").click()
    mover.wait_for_selector('[data-mark="source"]')


def test_dice_wait_for_those_who_roll_by_hand(seats: Seats) -> None:
    page = seats.practice("backgammon", {"autoRoll": False, "autoConfirm": True, "sound": False})
    for _ in range(2):
        expect(page.locator(".turn")).to_have_text("Your turn: roll the dice")
        assert page.evaluate("() => document.querySelector('ludus-backgammon').position.dice") == []
        expect(page.locator(".board-frame .cell[data-mark]")).to_have_count(0)
        count = page.locator(".ply").count()
        page.get_by_role("button", name="Roll").click()
        player = BoardPlayer(page, "backgammon", seed=5)
        while page.locator(".ply").count() == count and player.tap(count + 1) != "enough":  # without Done
            expect(page.locator(".board-frame .confirm")).to_be_hidden()
        expect(page.locator(".ply").nth(count)).to_be_visible()


def test_a_move_waits_for_those_who_confirm(seats: Seats) -> None:
    page = seats.practice("checkers", {"confirmMoves": True})
    page.wait_for_selector('[data-mark="source"]')
    for answer in ("Undo", "Confirm"):
        cell(page, 40).click()
        cell(page, 33).click()
        expect(said(page)).to_contain_text("Play 12-16?")
        expect(page.locator(".ply")).to_have_count(0)
        page.get_by_role("button", name=answer).click()
        if answer == "Undo":
            page.wait_for_selector('[data-mark="source"]')
    expect(page.locator(".ply").first).to_have_text("12-16")


def test_the_rules_of_the_moment_are_one_tap_away(seats: Seats) -> None:
    page = seats.practice("backgammon", phone=True)
    page.wait_for_selector('[data-mark="source"]')
    page.get_by_role("button", name="Rules").click()
    dialog = page.get_by_role("dialog", name="Rules of Backgammon")
    expect(dialog.locator("[data-situation]")).to_contain_text(re.compile("Play both dice|You rolled a double"))
    expect(dialog).to_contain_text("Bearing off")
    assert barriers(page) == []
    dialog.get_by_role("button", name="Close").click()
    expect(dialog).to_have_count(0)


SPEAK = """async ([module, entry]) => {
  const { announcer } = await import(module);
  const players = [{ id: "a", displayName: "Ann", color: "white" }, { id: "b", displayName: "Ben", color: "black" }];
  const room = { game: "backgammon", players, playerId: "a", history: [entry] };
  const spoken = announcer(room);
  spoken.update("game:move:made", entry);
  return spoken.element.textContent;
}"""


def test_hits_are_spoken(visit: Visit) -> None:
    page = visit().open("/")
    base = (page.locator("script[type=module]").last.get_attribute("src") or "").rpartition("/play/")[0]
    entry = {"playerId": "b", "move": {"moves": [{"from": 1, "to": 7}]}}
    module = f"{base}/play/announcer.js"
    assert page.evaluate(SPEAK, [module, {**entry, "notation": "24/18"}]) == "Ben plays 24/18."
    assert page.evaluate(SPEAK, [module, {**entry, "notation": "24/18*"}]) == "Ben plays 24/18. A hit."
    assert page.evaluate(SPEAK, [module, {**entry, "notation": "24/18*/17*"}]) == "Ben plays 24/18. 2 hits."


WATCH = """() => {
  const board = document.querySelector("ludus-backgammon");
  const { get, set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Object.getPrototypeOf(board)), "position");
  window.shown = [];
  Object.defineProperty(board, "position", { get, set(value) {
    window.shown.push({ color: value.currentColor, made: value.made?.length ?? 0, dice: value.dice.length });
    set.call(this, value);
  } });
}"""


def test_the_opponents_play_is_shown_step_by_step_before_ones_own_dice(seats: Seats) -> None:
    page = seats.practice("backgammon", is_animated=True)
    page.wait_for_selector('[data-mark="source"]')
    page.evaluate(WATCH)
    own = page.evaluate("() => document.querySelector('ludus-backgammon').side")
    player = BoardPlayer(page, "backgammon", seed=6)
    before = player.made()
    player.play(2)
    page.wait_for_selector('[data-mark="source"]')
    shown = page.evaluate("() => window.shown")
    plays = [text for text in page.locator(".ply").all_inner_texts()[before + 1 :: 2] if "no move" not in text]
    turns = "".join(str(each["made"] or "") for each in shown if each["color"] != own).replace("1", " 1").split()
    assert [list(map(int, turn)) for turn in turns] == [list(range(1, len(turn) + 1)) for turn in turns], shown
    assert len(turns) == len(plays), (plays, shown)  # more than one if there was no legal move in between
    assert all(not each["made"] for each in shown if each["color"] == own)
    assert shown[-1]["color"] == own and shown[-1]["dice"]
    assert page.locator(".board-frame .die.used").count() >= 2  # the opponent's roll stays


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_tutor_warns_before_a_mistake_is_made(seats: Seats, game: str) -> None:
    """Moves by chance are soon bad ones."""
    page = seats.practice(game, {"tutor": True})
    player = BoardPlayer(page, game, seed=2)
    warning = page.locator('.prompt[data-prompt="tutor"] button')
    while not warning.count():
        if player.tap(player.made() + 1) == "over":
            raise AssertionError("no move was a mistake")
        page.wait_for_function("() => !document.querySelector('.prompt')?.textContent.startsWith('One moment')")
    made = player.made()
    expect(said(page)).to_have_text(re.compile(r"is a (mistake|blunder): it costs [\d.]+\."))
    page.get_by_role("button", name="Think again").click()
    expect(warning).to_have_count(0)
    page.wait_for_selector('[data-mark="source"]')
    assert player.made() == made
    page.locator("[data-action=tutor]").click()
    expect(page.locator("[data-action=tutor]")).to_have_attribute("aria-pressed", "false")
    player.play(1)
    assert player.made() > made


def early_decision(page: Page) -> Locator:
    """The button to double, as soon as it's there."""
    double = page.get_by_role("button", name=re.compile("^Double to"))
    take = page.get_by_role("button", name="Take", exact=True)
    source = page.locator('[data-mark="source"]')
    expect(double.or_(take).or_(source.first).first).to_be_visible()
    if source.count():
        BoardPlayer(page, "backgammon", seed=4).play(1)
        expect(double.or_(take)).to_be_visible()
    if take.count():
        take.click()
    return double


def test_the_tutor_warns_before_a_wrong_double(seats: Seats) -> None:
    """After a move or two nobody is far enough ahead, but for the luckiest rolls: then another game is begun."""
    for _ in range(3):
        page = seats.practice("backgammon", session={"cube": True})
        double = early_decision(page)
        page.locator("[data-action=tutor]").click()
        made = page.locator(".ply").count()
        double.click()
        page.wait_for_function("() => !document.querySelector('.prompt')?.textContent.startsWith('One moment')")
        if page.get_by_role("button", name="Think again").count():
            break
    expect(said(page)).to_have_text(re.compile(r"^Double is a (mistake|blunder): it costs [\d.]+\."))
    page.get_by_role("button", name="Think again").click()
    expect(said(page)).to_be_empty()
    expect(page.locator(".turn")).to_have_text("Roll or double")
    assert page.locator(".ply").count() == made
    double.click()
    page.get_by_role("button", name="Play it anyway").click()
    expect(page.locator(".ply").nth(made)).to_have_text("Double")


HEAR = """() => {
  window.heard = [];
  window.OscillatorNode = class {
    constructor(_context, { frequency }) { window.heard.push(frequency); }
    connect() {}
    start() {}
    stop() {}
  };
}"""


def test_a_draw_does_not_sound_like_a_loss(seats: Seats) -> None:
    mover, other = seats.pair()
    for page in (mover, other):
        page.evaluate(HEAR)
    mover.locator("[data-action=draw]").click()
    other.get_by_role("button", name="Accept").click()
    for page in (mover, other):
        expect(page.locator("[data-over=draw]")).to_be_visible()
        assert page.evaluate("() => window.heard.slice(-2)") == [440, 440]
