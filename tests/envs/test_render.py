from __future__ import annotations

import io
import itertools
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ludus.core import palette
from ludus.core.board import Board, Line, Span
from ludus.core.errors import UnknownOption
from ludus.core.picture import Circle, Picture, Polygon, Rect, Shape, Text
from ludus.core.pixels import paint
from ludus.envs.render import RENDER_MODES, Renderer, Screen, Terminal, open_screen
from ludus.games import GAMES
from ludus.games.backgammon.board import BackgammonBoard
from ludus.games.backgammon.position import VARIANTS
from ludus.games.checkers.board import CheckersBoard
from ludus.games.checkers.position import SQUARES, STANDARD, column_of, row_of

BOARDS = (CheckersBoard(STANDARD), BackgammonBoard(VARIANTS["standard"]))
RED, BLUE = "#ff0000", "#0000ff"


class Sign(Board):
    """A board with nothing but these shapes on it."""

    def __init__(self, *shapes: Shape) -> None:
        self.shapes = shapes

    def picture(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Picture:
        return Picture(40, 20, self.shapes)

    def lines(self, *, flipped: bool = False, highlight: Collection[int] = ()) -> Sequence[Line]:
        return [[Span("●─")]]


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def no_display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def pixels(board: Board) -> NDArray[np.uint8]:
    array = Renderer("rgb_array").draw(board)
    assert isinstance(array, np.ndarray)
    return array


def colour(array: NDArray[np.uint8], x: float, y: float) -> str:
    return "#" + bytes(array[int(y), int(x)]).hex()


def an_episode(name: str) -> Iterator[Board]:
    rules, rng = GAMES[name], random.Random(3)
    position = rules.variants["standard"]
    while moves := rules.moves(position):
        yield rules.board(position)
        position = rules.play(position, rng.choice(moves))
    yield rules.board(position)


@pytest.mark.parametrize("mode", ["human ", "rgb", "", 3])
def test_an_unknown_mode_is_refused_with_the_known_ones_named(mode: Any) -> None:
    with pytest.raises(UnknownOption, match="human, ansi, rgb_array"):
        Renderer(mode)


def test_without_a_mode_nothing_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    renderer = Renderer(None)
    assert renderer.draw(BOARDS[0]) is None
    renderer.close()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("board", BOARDS)
def test_ansi_is_the_boards_text_without_colour(board: Board) -> None:
    assert Renderer("ansi").draw(board) == board.text() == str(board)


@pytest.mark.parametrize("mode", RENDER_MODES)
def test_closing_twice_or_before_drawing_is_harmless(no_display: None, mode: str) -> None:
    renderer = Renderer(mode)
    renderer.close()
    renderer.draw(BOARDS[0])
    renderer.close()
    renderer.close()


@pytest.mark.parametrize("board", BOARDS)
def test_pixels_are_bytes_in_the_pictures_size(board: Board) -> None:
    array, picture = pixels(board), board.picture()
    assert array.dtype == np.uint8 and array.shape == (picture.height, picture.width, 3)


@pytest.mark.parametrize("board", BOARDS)
def test_the_same_board_gives_the_same_pixels_in_a_new_array(board: Board) -> None:
    one, two = pixels(board), pixels(board)
    assert np.array_equal(one, two)
    one[:] = 0
    assert np.array_equal(two, pixels(board))


@pytest.mark.parametrize("game", GAMES)
def test_every_position_of_a_game_can_be_painted(game: str) -> None:
    frames = [pixels(board) for board in an_episode(game)]
    assert len({frame.shape for frame in frames}) == 1
    assert all((one != two).any() for one, two in itertools.pairwise(frames))


def test_checkers_pieces_are_in_the_middle_of_their_squares() -> None:
    array = pixels(BOARDS[0])
    for square in SQUARES:
        centre = 45 + 50 * column_of(square), 45 + 50 * row_of(square)
        body = palette.DARK.body if square <= 12 else palette.LIGHT.body if square > 20 else palette.FELT
        assert colour(array, *centre) == body


def test_backgammon_men_are_in_the_middle_of_their_points() -> None:
    board = BOARDS[1]
    array, discs = pixels(board), [shape for shape in board.picture().shapes if isinstance(shape, Circle)]
    assert [colour(array, disc.x, disc.y) for disc in discs] == [discs[i | 3].fill for i in range(len(discs))]
    assert colour(array, 522, 446) == palette.DARK.body and colour(array, 522, 46) == palette.LIGHT.body


def test_pixels_and_svg_come_from_the_same_picture() -> None:
    board = Sign(Rect(0, 0, 40, 20, BLUE), Rect(10, 5, 4, 2, RED))
    array = pixels(board)
    assert f'<rect x="10" y="5" width="4" height="2" fill="{RED}"/>' in board.svg()
    assert {colour(array, x, y) for x in range(10, 14) for y in (5, 6)} == {RED}
    assert (array[..., 0] == 255).sum() == 8 and (array[..., 2] == 255).sum() == 792


@pytest.mark.parametrize(
    ("shape", "area"),
    [
        (Rect(3.5, 3.25, 10.5, 6.25, RED), 10.5 * 6.25),
        (Rect(3, 3, 20, 12, RED, 5), 20 * 12 - (4 - np.pi) * 25),
        (Circle(20.3, 9.6, 8.5, RED), np.pi * 8.5**2),
        (Polygon(((3, 17), (35, 17), (20, 2)), RED), 32 * 15 / 2),
    ],
)
def test_edges_are_antialiased_so_areas_are_right(shape: Shape, area: float) -> None:
    red = pixels(Sign(Rect(0, 0, 40, 20, "#000000"), shape))[..., 0]
    assert red.sum() / 255 == pytest.approx(area, rel=0.02)
    assert red.max() == 255 and len(np.unique(red)) > 2


@pytest.mark.parametrize("text", ["0", "24", "167"])
def test_digits_are_centred_and_as_tall_as_in_the_svg(text: str) -> None:
    red = pixels(Sign(Rect(0, 0, 40, 20, "#000000"), Text(20, 10, text, 13, RED)))[..., 0]
    rows, columns = np.nonzero(red > 100)
    assert (rows.min() + rows.max() + 1) / 2 == pytest.approx(10, abs=0.6)
    assert (columns.min() + columns.max() + 1) / 2 == pytest.approx(20, abs=1.1)
    assert np.ptp(rows) + 1 == pytest.approx(13 * 0.72, abs=1.2)


def test_all_squares_have_different_numbers() -> None:
    array = pixels(CheckersBoard(STANDARD._replace(first=0, second=0)))
    corners = [(20 + 50 * row_of(square), 20 + 50 * column_of(square)) for square in SQUARES]
    assert len({array[y : y + 14, x : x + 17].tobytes() for y, x in corners}) == 32


def test_corners_are_round_and_shapes_are_clipped() -> None:
    array = paint(Picture(10, 10, (Circle(0, 0, 4, RED), Rect(8, 8, 9, 9, BLUE))), paper="#ffffff")
    assert colour(array, 0, 0) == RED and colour(array, 9, 9) == BLUE and colour(array, 5, 5) == "#ffffff"
    assert colour(pixels(BOARDS[0]), 0, 0) == palette.FRAME


def test_without_a_display_the_terminal_is_used(no_display: None, capsys: pytest.CaptureFixture[str]) -> None:
    renderer = Renderer("human")
    assert renderer.draw(BOARDS[0]) is None
    renderer.draw(BOARDS[1])
    renderer.close()
    assert capsys.readouterr().out == f"{BOARDS[0]}\n{BOARDS[1]}\n"


@pytest.mark.parametrize(
    ("settings", "has_colour"),
    [
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, True),
        ({"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ({"TERM": "dumb", "NO_COLOR": ""}, False),
    ],
)
def test_a_terminal_with_colour_gets_colour(
    no_display: None, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], has_colour: bool
) -> None:
    terminal = Tty()
    monkeypatch.setattr(sys, "stdout", terminal)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    Renderer("human").draw(BOARDS[0])
    assert terminal.getvalue() == BOARDS[0].text(colour=has_colour) + "\n"


def test_characters_a_terminal_cannot_write_are_replaced(no_display: None, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(paper, encoding="ascii", newline="\n"))
    Renderer("human").draw(Sign())
    assert paper.getvalue() == b"??\n"


def test_a_display_that_does_not_answer_counts_as_none(no_display: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    assert isinstance(open_screen(), Terminal)


def test_without_tk_the_terminal_is_used(no_display: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.setitem(sys.modules, "tkinter", None)
    assert isinstance(open_screen(), Terminal)


def test_windows_are_for_the_main_thread(no_display: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    monkeypatch.setattr("ludus.envs.render._desktop", pytest.fail)
    screens: list[Screen] = []
    thread = threading.Thread(target=lambda: screens.append(open_screen()))
    thread.start()
    thread.join()
    assert [type(screen) for screen in screens] == [Terminal]


WINDOW_SCRIPT = """
from ludus.envs.render import Renderer, Window
from ludus.games import GAMES

board = GAMES["checkers"].board(GAMES["checkers"].variants["standard"])
renderer, other = Renderer("human"), Renderer("human")
renderer.draw(board), other.draw(board), renderer.draw(board)
window = renderer._screen
assert isinstance(window, Window), window
assert (window._frame.winfo_width(), window._frame.winfo_height()) == (440, 440)
assert window._frame.winfo_viewable() and window._frame.title() == "Checkers: black to move"
assert "%02x%02x%02x" % window._image.get(95, 45) == "2b2624"

window._frame.tk.call(window._frame.protocol("WM_DELETE_WINDOW"))
renderer.draw(board), renderer.close(), renderer.close()
renderer.draw(board)
assert renderer._screen is not window and renderer._screen._frame.winfo_viewable()
renderer.close(), other.draw(board)
print("seen")
"""


@pytest.fixture
def display() -> Iterator[str]:
    """A virtual display."""
    reader, writer = os.pipe()
    with (
        subprocess.Popen(["Xvfb", "-displayfd", str(writer)], pass_fds=[writer], stderr=subprocess.DEVNULL) as server,
        os.fdopen(reader) as number,
    ):
        os.close(writer)
        yield f":{number.readline().strip()}"
        server.terminate()


@pytest.mark.skipif(shutil.which("Xvfb") is None, reason="needs Xvfb")
def test_a_window_shows_boards_and_can_be_closed_by_the_user_or_the_program(display: str) -> None:
    pytest.importorskip("tkinter")
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", WINDOW_SCRIPT],
        env=os.environ | {"DISPLAY": display},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert run.stdout == "seen\n", run.stderr
