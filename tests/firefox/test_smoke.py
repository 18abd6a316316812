"""The page in Firefox: a game of each kind, resuming it after a reload, and no findings by axe."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from ludus.games import GAMES

from ..server_process import ServerProcess
from ..web.access import AXE, RUN
from ..web.board_player import LOOK
from ..web.conftest import UNHURRIED
from .bidi import LOUD, Firefox, Tab, firefox_path

pytestmark = pytest.mark.slow
every_game = pytest.mark.parametrize("game", GAMES)
MOVES = 6
SMALLEST = 320
"""Pixels across."""
MOST_TAPS = 200


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path_factory.mktemp("firefox") / "data", **UNHURRIED)
    yield server
    server.close()


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    path = firefox_path()
    if path is None:
        pytest.skip(LOUD)
    with Firefox(path, tmp_path_factory.mktemp("profile")) as firefox:
        yield firefox


@pytest.fixture
def tab(firefox: Firefox) -> Iterator[Tab]:
    tab = firefox.tab()
    yield tab
    tab.close()
    complaints, firefox.complaints = firefox.complaints, []
    assert complaints == []


def play(tab: Tab, game: str, moves: int, rng: Random) -> None:
    """Clicks what the board marks until this many moves have been made."""
    for _ in range(MOST_TAPS):
        seen = tab.until(LOOK, [f"ludus-{game}", rng.random(), moves])
        if seen["kind"] in ("enough", "over"):
            return
        tab.click(seen["x"], seen["y"])
    raise AssertionError("the game takes too long")


def barriers(tab: Tab) -> list[str]:
    tab.evaluate(f"() => {{ {AXE.axe_script} }}")
    found: list[str] = tab.evaluate(f"() => {RUN}.then((all) => all.map(({{ id }}) => id))")
    return found


@every_game
def test_a_game_is_played_left_and_taken_up_again(tab: Tab, server: ServerProcess, game: str) -> None:
    rng = Random(1)
    tab.open(f"{server.url}/")
    tab.press(f'[data-game="{game}"] button.primary')
    play(tab, game, MOVES, rng)
    tab.reload()
    tab.until("(least) => document.querySelectorAll('.ply').length >= least", MOVES)
    play(tab, game, MOVES + 4, rng)
    assert barriers(tab) == []
    tab.press("[data-action=resign]")
    tab.press("dialog button.danger")
    assert tab.until("() => document.querySelector('[data-over]')?.dataset.over") == "lost"
    assert barriers(tab) == []


@pytest.mark.parametrize("path", ["/", "/watch", "/games", "/games/checkers", "/me", "/embed", "/offline"])
def test_pages_open_without_barriers_or_overflow(tab: Tab, server: ServerProcess, path: str) -> None:
    tab.resize(SMALLEST, 800)
    tab.open(server.url + path)
    tab.until("() => document.querySelector('main > *') && !document.querySelector('main[aria-busy]')")
    assert barriers(tab) == []
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= SMALLEST
