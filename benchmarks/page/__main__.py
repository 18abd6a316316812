"""`python -m benchmarks.page`: time to a playable board, time to draw a move, long tasks.

`--quick` makes only a few visits, as a smoke test. Needs Chromium (or the browser that CHROMIUM names) and Playwright.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.page.serving import served
from benchmarks.page.visits import played, time_to_board
from benchmarks.report import heading, machine, row
from ludus.games import GAMES

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
BOARD_MS, DRAW_MS, TASK_MS = 500, 50, 100


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.page", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    visits, moves = (3, 5) if parser.parse_args().quick else (30, 40)
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    assert path, "no browser found: apt-get install chromium, or name one in CHROMIUM"
    with tempfile.TemporaryDirectory() as name, served(Path(name)) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        print(f"Page, {machine()}, load {os.getloadavg()[0]:.1f} at the start, Chromium {browser.version}\n")
        heading("what", "p50", "p95", "worst", "aim")
        for game in GAMES:
            measure(browser, url, game, visits, moves)
        browser.close()


def measure(browser: Browser, url: str, game: str, visits: int, moves: int) -> None:
    time_to_board(browser, url, game)  # warms up the server; each visitor's cache stays cold
    times = [time_to_board(browser, url, game) for _ in range(visits)]
    show(f"{game}: navigation to a playable board, cold cache", times, f"p50 < {BOARD_MS} ms")
    seen = played(browser, url, game, moves)
    assert len(seen.draws) >= moves, f"{len(seen.draws)} moves were drawn"
    show(f"{game}: message to its frame, {len(seen.draws)} moves", seen.draws, f"< {DRAW_MS} ms")
    show(f"{game}: long tasks during play ({len(seen.tasks)})", seen.tasks or [0.0], f"none > {TASK_MS} ms")


def show(what: str, found: list[float], aim: str) -> None:
    ordered = sorted(found)
    tail = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    row(what, f"{statistics.median(ordered):.0f} ms", f"{tail:.0f} ms", f"{ordered[-1]:.0f} ms", aim)


if __name__ == "__main__":
    main()
