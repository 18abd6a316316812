"""The analysis board: pasted games, positions that are set up, free moves, and an engine that thinks along."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from ..server_process import ServerProcess
from .access import barriers, overflows
from .conftest import Visit
from .matches import Match

DATA = Path(__file__).parents[1] / "games"
PDN = (DATA / "checkers/data/annotated.pdn").read_text()
MAT = (DATA / "backgammon/data/match.mat").read_text()
FEW = "B:W30:BK10"
TOPS = "(elements) => elements.map((each) => each.getBoundingClientRect().top)"
XGID = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def paste(page: Page, text: str) -> None:
    page.get_by_label("Paste a position or a game").fill(text)
    page.get_by_role("button", name="Load").click()


def position(page: Page) -> str:
    return page.get_by_label("This position as text").input_value()


def current(page: Page) -> str:
    return page.locator(".move[aria-current]").inner_text()


def open_at(page: Page, game: str, text: str) -> None:
    page.goto(f"/analysis?game={game}&position={quote(text)}")
    expect(page.get_by_label("This position as text")).to_have_value(text)


def test_a_pasted_pdn_is_walked_through_with_the_arrow_keys(visit: Visit) -> None:
    page = visit().open("/analysis?game=backgammon")
    paste(page, PDN)
    expect(page.locator("ludus-checkers")).to_be_visible()
    moves = page.locator(".moves .move")
    expect(moves.first).to_have_text("11-15")
    page.locator("h1").click()
    for text in ("11-15", "23-19", "8-11"):
        page.keyboard.press("ArrowRight")
        expect(page.locator(".move[aria-current]")).to_have_text(text)
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".move[aria-current]")).to_have_text("23-19")
    page.keyboard.press("End")
    assert current(page) == moves.last.inner_text()
    page.get_by_label("Games in this file").select_option(index=3)
    expect(page.get_by_label("Games in this file")).to_have_value("4")


def test_a_pasted_mat_stops_at_every_roll_and_a_reload_restores_the_place(visit: Visit) -> None:
    page = visit().open("/analysis")
    paste(page, MAT)
    expect(page.locator("ludus-backgammon")).to_be_visible()
    expect(page.get_by_text("0–0, match to 3")).to_be_visible()
    for _ in range(3):
        page.locator("[data-step=next]").click()
    expect(page.locator(".move[aria-current] .rolled")).to_be_visible()
    before, where = position(page), current(page)
    page.reload()
    expect(page.locator(".move[aria-current]")).to_have_text(where)
    assert position(page) == before


def test_a_text_that_cannot_be_read_says_in_which_line(visit: Visit) -> None:
    page = visit(forgives=("400",)).open("/analysis?game=checkers")
    paste(page, "1. 11-15 22-17\n2. 11-16")
    problem = "This can't be read: line 2: 11-16 is not legal here: square 11 is empty"
    expect(page.get_by_role("alert")).to_have_text(problem)


def test_an_address_that_cannot_be_read_leads_to_the_start(visit: Visit) -> None:
    page = visit(forgives=("400",)).open("/analysis?game=checkers&position=nonsense")
    expect(page.locator(".toasts")).to_contain_text("'nonsense' is not a FEN")
    expect(page.locator(".turn")).to_have_text("Red to move")
    assert position(page).startswith("B:W21")


def test_free_moves_have_an_opinion_and_a_move_from_the_table_can_be_played(visit: Visit) -> None:
    page = visit().open("/analysis?game=checkers")
    engine = page.locator(".engine")
    expect(engine.locator("tbody tr")).to_have_count(5)
    expect(page.locator("ludus-checkers .arrow")).to_have_count(3)
    page.locator('ludus-checkers [data-place="42"][data-mark="source"]').click()
    page.locator('ludus-checkers [data-place="35"][data-mark="target"]').click()
    expect(page.locator(".move[aria-current]")).to_have_text("11-15")
    expect(page.locator(".turn")).to_have_text("Black to move")
    expect(engine).to_have_attribute("data-state", "done")  # until then the best move may change under the pointer
    best = engine.locator("tbody button").first
    notation = best.inner_text()
    best.click()
    expect(page.locator(".move[aria-current]")).to_have_text(notation)
    page.get_by_role("switch").click()
    expect(engine.locator("table")).to_have_count(0)
    page.reload()
    expect(page.locator(".move[aria-current]")).to_have_text(notation)
    expect(page.get_by_role("switch")).not_to_be_checked()


def test_a_move_that_differs_begins_a_side_line_that_can_be_left(visit: Visit) -> None:
    page = visit().open("/analysis?game=checkers")
    paste(page, "1. 11-15 23-19 2. 8-11 22-17")
    page.locator(".move", has_text="11-15").click()
    page.locator('ludus-checkers [data-place="21"][data-mark="source"]').click()
    page.locator('ludus-checkers [data-place="28"][data-mark="target"]').click()
    side = page.locator(".side-line .move")
    expect(side).to_have_count(1)
    expect(page.locator(".moves .part")).to_contain_text("23-19")
    page.reload()
    expect(side).to_have_count(1)
    page.get_by_role("button", name="Back to the game").click()
    expect(side).to_have_count(0)
    expect(page.locator(".move[aria-current]")).to_have_text("11-15")
    expect(page.locator(".moves > li .move")).to_have_count(4)


def test_rolls_are_chosen_and_the_cube_is_judged(visit: Visit) -> None:
    page = visit().open("/analysis")
    open_at(page, "backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10")
    expect(page.locator("[data-cube]")).to_be_visible()
    page.locator("ludus-backgammon").get_by_role("button", name="Roll").click()
    page.locator(".rolls").get_by_role("button", name="31", exact=True).click()
    expect(page.locator(".move[aria-current] .rolled")).to_have_text("31:")
    expect(page.locator(".engine tbody button").first).to_have_text("8/5 6/5")
    page.locator(".engine tbody button").first.click()
    expect(page.locator(".move[aria-current]")).to_have_text("31:8/5 6/5")
    expect(page.locator(".turn")).to_have_text("Black to move")


def test_the_cube_has_a_row_for_a_beaver_where_one_is_allowed(visit: Visit) -> None:
    page = visit().open("/analysis")
    cube, rows = page.locator("[data-cube]"), page.locator("[data-cube] th")
    open_at(page, "backgammon", "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:00:0:0:2:0:10")
    expect(cube.locator("caption")).to_have_text("No double, beaver")
    expect(rows).to_have_text(["No double", "Double, take", "Double, beaver", "Double, drop"])
    expect(cube.locator(".is-best th")).to_have_text("No double")
    open_at(page, "backgammon", "XGID=-b---BD-B---eE---c-e----B-:0:0:-1:00:0:0:1:0:10")
    expect(cube.locator("caption")).to_have_text("No double, take")
    expect(rows).to_have_count(3)


def test_the_window_of_the_cube_and_effective_pip_counts_are_shown(visit: Visit) -> None:
    page = visit().open("/analysis")
    open_at(page, "backgammon", "XGID=------F---------e--f------:0:0:1:00:0:0:0:0:12")
    window = page.locator("[data-window]")
    expect(window.locator("caption")).to_have_text("Doubling window")
    labels = ["Take point", "Take point, dead cube", "Take point, live cube", "Doubling point", "Cash point"]
    expect(window.locator("th")).to_have_text([*labels, "Market losers, rolls", "Market losers, with a reply"])
    expect(window.locator("tr").nth(1)).to_contain_text("25.0%")
    expect(page.locator(".effective-pips")).to_have_text(["Effective pip count, white: 43.38"])


def test_a_position_that_is_read_as_one_without_a_cube_says_so(visit: Visit) -> None:
    page = visit().open("/analysis")
    open_at(page, "backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10")
    expect(page.locator("[data-cubeless]")).to_contain_text("without a doubling cube")
    open_at(page, "backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:1:0:10")
    expect(page.locator("[data-window]")).to_be_visible()
    expect(page.locator("[data-cubeless]")).to_have_count(0)
    open_at(page, "backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    expect(page.locator(".engine tbody button").first).to_be_visible()
    expect(page.locator("[data-cubeless]")).to_have_count(0)


def test_a_position_is_set_up_by_pointer(visit: Visit) -> None:
    page = visit(forgives=("400",)).open("/analysis?game=checkers")
    page.get_by_role("button", name="Set up position").click()
    page.get_by_role("button", name="Clear").click()
    board = page.locator("ludus-checkers")
    page.get_by_role("button", name="Red king").click()
    board.locator('[data-place="35"]').click()
    page.get_by_role("button", name="Black man").click()
    board.locator('[data-place="1"]').click()
    board.locator('[data-place="56"]').click()
    page.get_by_label("black", exact=True).check()
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_role("alert")).to_contain_text("must be a king")
    board.locator('[data-place="56"]').click()
    board.locator('[data-place="35"]').drag_to(board.locator('[data-place="28"]'))
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_label("This position as text")).to_have_value("W:W32:BK18")
    expect(page.locator(".engine tbody button").first).to_be_visible()


def test_a_position_is_set_up_by_keyboard_with_dice_cube_and_score(visit: Visit) -> None:
    page = visit().open("/analysis?game=backgammon")
    page.get_by_role("button", name="Set up position").press("Enter")
    page.get_by_role("button", name="Clear").press("Enter")
    place = page.locator('ludus-backgammon [data-place="6"]')
    place.focus()
    for key in ("Enter", "Enter", "Enter", "Delete"):
        page.keyboard.press(key)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Black checker").press("Enter")
    page.locator('ludus-backgammon [data-place="24"]').focus()
    page.keyboard.press("Enter")
    chosen = {"die.1": "6", "die.2": "5", "cube": "2", "length": "5", "score.white": "3"}
    for name, value in chosen.items():
        page.locator(f'[name="edit-{name}"]').select_option(value)
    page.get_by_role("button", name="Done").press("Enter")
    expect(page.get_by_label("This position as text")).to_have_value(
        "XGID=-----AB-----------------a-:1:1:1:65:3:0:0:5:10"
    )


def test_a_finished_game_is_analyzed_from_the_move_on_display(visit: Visit, server: ServerProcess) -> None:
    match = Match(server, "checkers").play(8).resign()
    page = visit().open(f"/matches/{match.id}?move=4")
    moves = page.locator(".moves .move")
    expect(moves).to_have_count(8)
    fourth = moves.nth(3).inner_text()
    page.get_by_role("link", name="Analyze from here").click()
    expect(page.get_by_role("heading", name="Analysis board")).to_be_visible()
    expect(page.locator(".move[aria-current]")).to_have_text(fourth)


@pytest.mark.parametrize(("game", "text"), [("checkers", FEW), ("backgammon", XGID)])
def test_nothing_keeps_people_out(visit: Visit, game: str, text: str) -> None:
    page = visit().open("/analysis")
    open_at(page, game, text)
    expect(page.locator(".engine")).to_have_attribute("data-state", "done")
    assert barriers(page) == []
    assert overflows(page) == []
    for width in (320, 390, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        tops = page.locator(".title-row button").evaluate_all(TOPS)  # at once: the layout follows the window by and by
        assert len(tops) == 2 and tops[0] == tops[1], width
    page.get_by_role("button", name="Set up position").click()
    expect(page.get_by_role("button", name="Done")).to_be_visible()
    assert barriers(page) == []
    assert overflows(page) == []
