"""Puzzles on the page: solved and failed by pointer and keyboard, and no solution in the traffic before its time."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Response, expect

from ludus.games import GAMES
from ludus.puzzles import Puzzle, puzzles
from ludus.puzzles.puzzle import replay
from ludus.wire import codec

from .access import barriers, overflows
from .conftest import Visit

LONG = next(each for each in puzzles("checkers") if len(each.moves) > 1)
SHORT = next(each for each in puzzles("backgammon") if "/" in each.moves[0] and "bar" not in each.moves[0])
CUBE = next(each for each in puzzles("backgammon") if each.moves == ("take",))
BOTH = {"checkers": LONG, "backgammon": SHORT}
FOCUS = "(tag) => document.querySelector(tag).shadowRoot.activeElement?.dataset.place ?? null"


def solution(puzzle: Puzzle, number: int) -> dict[str, Any]:
    """The solver's move of this number, as the board takes it."""
    position = replay(puzzle, 2 * number)
    move = GAMES[puzzle.game].notation.read_move(position, puzzle.moves[2 * number])
    return codec(puzzle.game).rooms.move(position, move)


def mistake(puzzle: Puzzle) -> dict[str, Any]:
    rules, position = GAMES[puzzle.game], replay(puzzle, 0)
    best = rules.play(position, rules.notation.read_move(position, puzzle.moves[0]))
    move = next(each for each in rules.moves(position) if rules.play(position, each) != best)
    return codec(puzzle.game).rooms.move(position, move)


class Solver:
    """Makes moves on the board, by pointer or by keyboard."""

    def __init__(self, page: Page, puzzle: Puzzle, *, has_keyboard: bool = False) -> None:
        self.page, self.puzzle, self.has_keyboard = page, puzzle, has_keyboard
        self.board = page.locator(f"ludus-{puzzle.game}")
        self.color = codec(puzzle.game).rooms.colors[GAMES[puzzle.game].turn(replay(puzzle, 0)).value]

    def play(self, move: dict[str, Any]) -> None:
        for step in move.get("moves", [move]):
            self._press(step["from"], "source")
            self._press(step["to"], "target")
        if self.puzzle.game == "backgammon":
            confirm = self.board.locator(".confirm")
            confirm.wait_for()
            confirm.press("Enter") if self.has_keyboard else confirm.click()

    def _press(self, end: Any, mark: str) -> None:
        place = f"{end}-{self.color}" if end in ("bar", "off") else str(end)
        cell = self.board.locator(f'[data-place="{place}"][data-mark="{mark}"]')
        cell.wait_for()
        if not self.has_keyboard:
            return cell.click()
        if self.page.evaluate(FOCUS, f"ludus-{self.puzzle.game}") is None:
            self.board.locator('[data-place][tabindex="0"]').focus()
        for _ in range(40):
            if self.page.evaluate(FOCUS, f"ludus-{self.puzzle.game}") == place:
                return self.page.keyboard.press("Enter")
            self.page.keyboard.press("PageDown")
        raise AssertionError(f"the keyboard does not reach {place}")

    def solve(self) -> None:
        for number in range((len(self.puzzle.moves) + 1) // 2):
            self.play(solution(self.puzzle, number))
        expect(self.page.locator(".note.good")).to_contain_text("Solved")


def standing(page: Page, name: str) -> str:
    return page.locator(f"[data-standing={name}] dd").inner_text()


@pytest.mark.parametrize("has_keyboard", [False, True], ids=["pointer", "keyboard"])
@pytest.mark.parametrize("game", BOTH)
def test_a_puzzle_is_solved_on_the_board(visit: Visit, game: str, has_keyboard: bool) -> None:
    puzzle = BOTH[game]
    page = visit().open(f"/puzzles/{game}/{puzzle.id}")
    expect(page.locator(".task")).to_contain_text("Find the best move")
    Solver(page, puzzle, has_keyboard=has_keyboard).solve()
    expect(page.locator(".rating-change")).to_contain_text("Rating 1500 →")
    assert standing(page, "streak").startswith("1")
    expect(page.get_by_role("button", name="Next puzzle")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-puzzle=show]")).to_be_visible()
    assert page.url.endswith(f"/puzzles/{game}")


@pytest.mark.parametrize("has_keyboard", [False, True], ids=["pointer", "keyboard"])
@pytest.mark.parametrize("game", BOTH)
def test_a_wrong_move_fails_and_the_puzzle_can_still_be_solved(visit: Visit, game: str, has_keyboard: bool) -> None:
    puzzle = BOTH[game]
    page = visit().open(f"/puzzles/{game}/{puzzle.id}")
    solver = Solver(page, puzzle, has_keyboard=has_keyboard)
    solver.play(mistake(puzzle))
    expect(page.locator(".note.warn")).to_contain_text("isn't the best move")
    change = page.locator(".rating-change").inner_text()
    assert "−" in change or "-" in change
    for number in range((len(puzzle.moves) + 1) // 2):
        solver.play(solution(puzzle, number))
    expect(page.locator(".note.good")).to_contain_text("Found")
    assert standing(page, "total").startswith("0")
    page.get_by_role("button", name="Play it again").click()
    expect(page.locator("[data-puzzle=show]")).to_be_visible()


def test_no_response_holds_the_solution_before_it_is_found(visit: Visit) -> None:
    visitor = visit()
    page, texts = visitor.page, list[str]()

    def note(response: Response) -> None:
        if "/web/" in response.url:
            texts.append(response.text())

    page.on("response", note)
    visitor.open(f"/puzzles/checkers/{LONG.id}")
    solver = Solver(page, LONG)
    solver.play(mistake(LONG))
    expect(page.locator(".note.warn")).to_be_visible()
    page.locator("[data-puzzle=hint]").click()
    expect(page.locator(".note")).to_contain_text("Theme")
    rooms = codec("checkers").rooms
    later = [rooms.packed_board(replay(LONG, ply)) for ply in range(1, len(LONG.moves) + 1)]
    seen = "".join(texts)
    assert rooms.packed_board(replay(LONG, 0)) in seen
    assert not [board for board in later if board in seen]
    assert '"solution":{' not in seen and LONG.source not in seen and "margin" not in seen
    page.get_by_role("button", name="Show the solution").click()
    expect(page.locator(".note")).to_contain_text(f"The best move was {LONG.moves[0]}")
    expect(page.locator(".line li")).to_have_text(list(LONG.moves))
    assert all(board in "".join(texts) for board in later)
    page.get_by_role("link", name="Analyze the position").click()
    expect(page.locator("ludus-checkers")).to_be_visible()
    assert "/analysis?game=checkers" in page.url


def test_a_typed_move_solves_and_an_illegal_one_is_explained(visit: Visit) -> None:
    page = visit().open(f"/puzzles/checkers/{LONG.id}")
    typed = page.get_by_label("Type a move")
    typed.fill("1-32")
    typed.press("Enter")
    expect(page.locator(".problem")).to_contain_text("Try ")
    expect(page.locator(".rating-change")).to_have_count(0)
    for number in range((len(LONG.moves) + 1) // 2):
        expect(page.locator(".puzzle")).to_have_attribute("data-number", str(number))  # the reply was made
        typed.fill(LONG.moves[2 * number])
        typed.press("Enter")
        expect(typed).to_have_value("")
    expect(page.locator(".note.good")).to_contain_text("Solved")


def test_a_decision_about_the_cube_is_made_with_its_buttons(visit: Visit) -> None:
    page = visit().open(f"/puzzles/backgammon/{CUBE.id}")
    expect(page.locator(".task")).to_have_text("Your opponent doubles to 2. Take or drop?")
    page.locator("ludus-backgammon").get_by_role("button", name="Take").click()
    expect(page.locator(".note.good")).to_contain_text("Solved")


def test_the_daily_puzzle_is_the_same_for_two_visitors_and_counts_the_day(visit: Visit) -> None:
    ann, ben = visit(), visit()
    page = ann.open("/puzzles")
    page.get_by_role("link", name="Solve today's puzzle: Checkers").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Daily puzzle: Checkers")
    own, other = (each.page.request.get("/web/puzzles/checkers/daily").json() for each in (ann, ben))
    assert own["id"] == other["id"]
    puzzle = next(each for each in puzzles("checkers") if each.id == own["id"])
    Solver(page, puzzle).solve()
    assert standing(page, "days").startswith("1")
    page.get_by_role("link", name="All puzzles").click()
    expect(page.locator("[data-game=checkers] .badge.good")).to_have_text("Solved today")
    profile = page.request.get("/web/me").json()["person"]["id"]
    ann.open(f"/people/{profile}")
    expect(page.locator("[data-puzzles=checkers]")).to_contain_text("Puzzles: Checkers")
    assert standing(page, "streak").startswith("1")


def test_nothing_keeps_people_out_of_the_list_of_puzzles(visit: Visit) -> None:
    page = visit().open("/puzzles")
    page.locator(".puzzle-card").first.wait_for()
    assert barriers(page) == []
    assert overflows(page) == []


@pytest.mark.parametrize("puzzle", [LONG, SHORT, CUBE], ids=["line", "play", "cube"])
def test_nothing_keeps_people_out_of_a_puzzle_from_start_to_end(visit: Visit, puzzle: Puzzle) -> None:
    page = visit().open(f"/puzzles/{puzzle.game}/{puzzle.id}")
    page.locator("[data-puzzle=hint]").click()
    expect(page.locator(".note")).to_be_visible()
    assert barriers(page) == []
    if puzzle is not CUBE:
        Solver(page, puzzle).play(mistake(puzzle))
    page.locator("[data-puzzle=show]").click()
    page.locator("[data-puzzle=next]").wait_for()
    assert barriers(page) == []
    assert overflows(page) == []
