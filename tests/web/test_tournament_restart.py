"""Eight people and agents, in browsers and clients, and a server that is killed in the middle of a round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from ludus.client import Keyring, View, resigned, run_tournament

from ..ports import free_port
from ..server_process import ServerProcess
from ..tournament_recount import assert_recounted
from .conftest import UNHURRIED, Visit
from .test_play import resign
from .test_tournaments import Organizer, join, part

pytestmark = pytest.mark.slow

AGENTS = ("Ada", "Bob", "Cleo", "Dora")
PEOPLE = ("Eve", "Finn", "Gus", "Hal")
ROUNDS = 3
FEW = 18
OUTAGE = ("ERR_CONNECTION", "WebSocket", "ERR_EMPTY_RESPONSE", "ERR_SOCKET")
"""The browser's errors while the server is down."""


def hurried(view: View) -> Any:
    """Plays the first legal move, and resigns after a few captures: never before the opponent has moved."""
    men = sum(piece is not None for row in view["board"] for piece in row)
    return view["legalMoves"][0] if men > FEW else resigned()


class Restartable:
    """A server on one port."""

    def __init__(self, data: Path) -> None:
        self._data, self._settings = data, {**UNHURRIED, "port": free_port()}
        self.process = ServerProcess(data, **self._settings)

    def kill_and_start(self) -> None:
        self.process.kill()
        self.process = ServerProcess(self._data, **self._settings)


@contextmanager
def restartable(data: Path) -> Iterator[Restartable]:
    server = Restartable(data)
    try:
        yield server
    finally:
        server.process.kill()


def await_games(pages: Sequence[Page]) -> None:
    """The tournament's page leads its players there."""
    for page in pages:
        page.wait_for_url("**/play/*")
        expect(page.locator(".turn")).to_be_visible()


def lose(pages: Sequence[Page]) -> None:
    """In one game, if they meet."""
    for page in {page.url: page for page in pages}.values():
        resign(page)
    for page in pages:
        expect(page.locator("[data-over]")).to_be_visible()
        with page.expect_navigation(url="**/tournaments/*", wait_until="commit"):
            page.get_by_role("link", name="Back to the tournament").click()


def test_a_tournament_ends_right_though_the_server_is_killed(visit: Visit, tmp_path: Path) -> None:
    with ThreadPoolExecutor(len(AGENTS)) as pool, restartable(tmp_path / "data") as server:
        url = server.process.url
        organizer = Organizer(server.process, "Olga")
        id = organizer.make(rounds=ROUNDS, timeControl="10+5", maxEntrants=8)
        clients = [
            pool.submit(run_tournament, hurried, url=url, tournament=id, name=name, keys=Keyring(tmp_path / name))
            for name in AGENTS
        ]
        pages = [join(visit(url=url, forgives=OUTAGE), f"/tournaments/{id}", name) for name in PEOPLE]
        for page in pages:
            expect(part(page, "standings").locator("tbody tr")).to_have_count(8)
        organizer.post(f"/{id}/start")
        await_games(pages)
        lose(pages)
        await_games(pages)
        server.kill_and_start()
        lose(pages)
        await_games(pages)
        lose(pages)
        for page in pages:
            expect(part(page, "podium").locator("li")).to_have_count(3)
        games = [client.result() for client in clients]
        shown = organizer.http.get(f"/web/tournaments/{id}").json()
        ids = [row["games"][-1] for row in shown["pairings"]]
        assert_recounted(shown, {each: organizer.http.get(f"/web/tables/{each}").json() for each in ids})
        assert [len(own) for own in games] == [ROUNDS] * len(AGENTS), games
        for page, name in zip(pages, PEOPLE, strict=True):
            own = next(each for each in shown["standings"] if each["player"]["name"] == name)
            row = part(page, "standings").locator(f"tr[data-number='{own['number']}'] td")
            expect(row.nth(0)).to_have_text(str(own["rank"]))
            expect(row.nth(2)).to_have_text(f"{own['score']:g}")
        organizer.http.close()
