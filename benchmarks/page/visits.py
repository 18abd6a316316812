"""Browser visits: to a playable board, and through a game."""

from __future__ import annotations

from importlib.resources import files
from typing import Any, Final, NamedTuple

from playwright.sync_api import Browser, Page

WATCH: Final = files(__package__).joinpath("watch.js").read_text(encoding="utf-8")
READY: Final = "() => window.seen.playable !== null"
BOARD: Final = "document.querySelector('.board-frame > *')"
OVER: Final = "document.querySelector('[data-over]')"
TURN: Final = f"() => {BOARD}?.moves?.length || {OVER}"
CHOOSE: Final = f"""
() => {{
  const board = {BOARD};
  if (!board?.moves?.length) return false;
  const move = board.moves[0];
  const detail = Array.isArray(move) ? {{moves: move}} : move;
  board.dispatchEvent(new CustomEvent("ludus-move", {{detail, bubbles: true, composed: true}}));
  return true;
}}
"""
PAUSE_MS: Final = 250
"""Between two moves, so that frames and messages do not pile up; people take longer."""


class Game(NamedTuple):
    draws: list[float]
    """Milliseconds from a message to the frame that shows it."""
    tasks: list[float]
    """Milliseconds of each long task."""


def opened(browser: Browser, url: str, game: str) -> Page:
    """A new visitor, with an empty cache."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=url).new_page()
    page.add_init_script(WATCH)
    page.goto(f"/?game={game}", wait_until="commit")
    return page


def time_to_board(browser: Browser, url: str, game: str) -> float:
    """Milliseconds from the navigation until the first move could be made."""
    page = opened(browser, url, game)
    page.wait_for_function(READY, timeout=60_000, polling=20)
    took = float(page.evaluate("window.seen.playable"))
    page.context.close()
    return took


def played(browser: Browser, url: str, game: str, moves: int) -> Game:
    """Plays this many moves against the easy bot."""
    page = opened(browser, url, game)
    page.wait_for_function(READY, timeout=60_000, polling=20)
    began = page.evaluate("performance.now()")
    for _ in range(moves):
        page.wait_for_function(TURN, polling=50)
        if not page.evaluate(CHOOSE):
            break  # the game is over
        page.wait_for_timeout(PAUSE_MS)
    seen: dict[str, Any] = page.evaluate("window.seen")
    page.context.close()
    return Game(seen["draws"], [duration for start, duration in seen["tasks"] if start >= began])
