"""Between people: premoves, phrases, and the score over rematches."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from ..server_process import ServerProcess, Tenant
from .access import barriers
from .conftest import Visit
from .tables import Seats, cell, play_typed, said, type_move
from .test_play import resign


@pytest.fixture
def seats(visit: Visit, server: ServerProcess, tenant: Tenant) -> Seats:
    return Seats(visit, server, tenant)


def test_a_premove_is_made_when_the_turn_comes_if_it_is_legal_then(seats: Seats) -> None:
    mover, other = seats.pair()
    cell(other, 17).click()
    cell(other, 26).click()
    expect(said(other)).to_contain_text("Premove: 24-19")
    expect(other.locator(".board-frame .arrow.premove")).to_have_count(1)
    other.get_by_role("button", name="Cancel").click()
    expect(other.locator(".board-frame .arrow.premove")).to_have_count(0)
    cell(other, 17).focus()
    other.keyboard.press("Enter")
    cell(other, 26).focus()
    other.keyboard.press("Enter")
    mover.wait_for_selector('[data-mark="source"]')
    type_move(mover, "11-16")
    for page in (mover, other):
        expect(page.locator(".ply")).to_have_count(2)
    expect(other.locator(".ply").nth(1)).to_have_text("24-19")
    cell(other, 19).click()
    cell(other, 35).click()
    expect(said(other)).to_contain_text("Premove")
    mover.wait_for_selector('[data-mark="source"]')
    type_move(mover, "8-11")
    expect(said(other)).to_have_text("Your premove was no longer legal.")
    expect(other.locator(".ply")).to_have_count(3)


def test_a_phrase_is_read_in_the_readers_language_and_can_be_muted(seats: Seats) -> None:
    mover, other = seats.pair()
    for page in (mover, other):
        page.locator("[data-action=say]").click()
    assert barriers(other) == []
    mover.get_by_role("button", name="Good luck!").click()
    expect(other.locator(".strip-top .bubble")).to_have_text("Good luck!")
    expect(mover.locator(".strip-bottom .bubble")).to_have_text("Good luck!")
    expect(other.locator("[data-announcer]")).to_contain_text("says: Good luck!")
    other.locator("[data-phrase=mute]").click()
    mover.locator("[data-action=say]").click()
    mover.get_by_role("button", name="Oops!").click()
    expect(mover.locator(".strip-bottom .bubble")).to_have_text("Oops!")
    play_typed(mover, other, "11-15")
    assert other.locator(".strip-top .bubble").inner_text() != "Oops!"
    expect(other.locator("[data-announcer]")).not_to_contain_text("Oops!")


def test_rematches_have_a_score_and_the_last_position_stays(seats: Seats) -> None:
    first, second = seats.pair()
    play_typed(first, second, "11-15", "22-18", "15x22")
    resign(second)
    for page in (first, second):
        expect(page.locator("[data-over]")).to_be_visible()
        expect(page.locator(".board-frame .under .last")).to_have_count(2)
        expect(page.locator(".series")).to_have_count(0)
    first.get_by_role("button", name="Rematch").click()
    second.get_by_role("button", name="Accept rematch").click()
    for page in (first, second):
        expect(page.locator("[data-over]")).to_have_count(0)
        expect(page.locator(".turn")).to_be_visible()
    resign(second)
    name = {first: "Ben", second: "Ann"}
    if first.locator(".strip-top .name").inner_text() == "Ann":
        name = {first: "Ann", second: "Ben"}
    expect(first.locator(".series")).to_have_text(f"You 2 – 0 {name[first]}")
    expect(second.locator(".series")).to_have_text(f"You 0 – 2 {name[second]}")
    expect(first.get_by_role("button", name="New game")).to_be_visible()
    expect(first.get_by_role("link", name="Replay and analysis")).to_be_visible()


DECIDED = """async ([module, game, facts]) => (await import(module)).GAMES[game].decidingPlaces(facts)"""


def test_the_board_shows_what_decided_the_game(visit: Visit) -> None:
    page = visit().open("/games")
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    man = {"player": "red", "type": "man"}
    board = [man if square in (40, 49) else None for square in range(64)]
    board[33] = {"player": "black", "type": "king"}
    facts = {"position": {"board": board}, "winner": "black", "loser": "red"}
    module = f"{base}/games/index.js"
    assert page.evaluate(DECIDED, [module, "checkers", {**facts, "reason": "no_moves"}]) == [40, 49]
    assert page.evaluate(DECIDED, [module, "checkers", {**facts, "reason": "resignation"}]) == []
    borne_off = {"position": {}, "winner": "white", "loser": "black", "reason": "borne_off"}
    assert page.evaluate(DECIDED, [module, "backgammon", borne_off]) == ["off-white"]


PASSING = """async ([module, plays]) => {
  const shown = [];
  const players = [{ id: "ann", color: "black" }, { id: "ben", color: "white" }];
  const board = {
    set position({ currentColor, dice, previousDice }) {
      shown.push([currentColor, dice, previousDice?.dice ?? null]);
    },
  };
  const none = { white: 0, black: 0 };
  const position = (currentColor, dice) => ({ board: Array(26).fill(0), bar: none, off: none, currentColor, dice });
  const room = {
    game: "backgammon", roomId: "r", playerId: "ann", opponent: players[1], players, history: [],
    position: position("black", [2, 1]), isMine: true, legalMoves: async () => [{}],
  };
  const presentation = new (await import(module)).Presentation({ room, board });
  const settled = () => new Promise((resolve) => presentation.addEventListener("change", resolve, { once: true }));
  let wait = settled();
  presentation.update("game:started", {});
  await wait;
  wait = settled();
  for (const [playerId, dice, next, nextDice] of plays) {
    room.history.push({ playerId, dice, move: { moves: [] } });
    Object.assign(room, { position: position(next, nextDice), isMine: next === "black" });
    presentation.update("game:move:made", { playerId, move: { moves: [] } });
  }
  await wait;
  return shown;
}"""


@pytest.mark.parametrize("is_animated", [False, True])
def test_a_roll_without_a_legal_move_is_shown_before_the_next_one(visit: Visit, is_animated: bool) -> None:
    page = visit(is_animated=is_animated).open("/games")
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    plays = [["ann", [2, 1], "white", [6, 6]], ["ben", [6, 6], "black", [4, 3]]]
    shown = page.evaluate(PASSING, [f"{base}/play/presentation.js", plays])
    start, mine, theirs, end = [["black", [2, 1], None]] * 2 + [["white", [6, 6], [2, 1]], ["black", [4, 3], [6, 6]]]
    assert shown == ([start, mine, theirs, end] if is_animated else [start, theirs, end])
