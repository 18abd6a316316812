"""While the server's store fails, the page and the embedded game say so and try again; then the game goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from ludus.storage import FILE

from ..server_process import ServerProcess
from .board_player import BoardPlayer
from .browser import Visitor
from .conftest import Visit
from .test_embed import make_first_move

PAGE = "The server can't save anything right now. Games resume as soon as it can."
ELEMENT = "The server can't save anything right now. Trying again…"
REFUSAL = '44/checkers,{"message":"no","data":{"code":"unavailable","message":"no"}}'


@contextmanager
def fault(server: ServerProcess) -> Iterator[None]:
    """Without its file the server stores nothing."""
    path = server.data / FILE
    path.rename(path.with_name("elsewhere"))
    try:
        yield
    finally:
        path.with_name("elsewhere").rename(path)


class Refusals:
    """Refuses the connections of a visitor, as a server does whose database is away."""

    def __init__(self, visitor: Visitor) -> None:
        self.is_on = True
        visitor.context.route_web_socket("**/socket.io/**", self._route)

    def _route(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def pass_on(message: str | bytes) -> None:
            if self.is_on and str(message).startswith("40/"):
                socket.send(REFUSAL)
            else:
                server.send(message)

        socket.on_message(pass_on)


def play_on_page(page: Page) -> None:
    page.goto("/?game=checkers&opponent=bot&level=easy&go=1")


def play_in_element(page: Page) -> None:
    page.goto("/frame#game=checkers&level=easy")


@pytest.mark.parametrize(("start", "status", "said", "ready"), [
    (play_on_page, "[role=status]", PAGE, ".turn"),
    (play_in_element, ".status", ELEMENT, "ludus-checkers [data-mark=source]"),
])  # fmt: skip
def test_a_connection_that_is_refused_during_a_fault_is_tried_again(
    visit: Visit, start: Callable[[Page], None], status: str, said: str, ready: str
) -> None:
    visitor = visit(own=True)
    refusals = Refusals(visitor)
    start(visitor.page)
    expect(visitor.page.locator(status).first).to_have_text(said)
    refusals.is_on = False
    visitor.page.locator(ready).first.wait_for(state="attached")


def test_a_game_on_the_page_goes_on_after_a_fault(visit: Visit, server: ServerProcess) -> None:
    page = visit(forgives=("503",)).page  # the server's answer to the page's first request
    with fault(server):
        play_on_page(page)
        expect(page.locator(".waiting [role=status]")).to_have_text(PAGE)
    player = BoardPlayer(page, "checkers", seed=2)
    player.look()
    count = player.made()
    with fault(server):
        player.tap()
        player.tap()
        expect(page.locator(".notices")).to_contain_text(PAGE)
    expect(page.locator(".ply").nth(count)).to_be_visible()
    expect(page.locator(".notices")).not_to_contain_text(PAGE)
    expect(page.locator(".toast.bad")).to_have_count(0)
    player.play(1)


def test_an_embedded_game_goes_on_after_a_fault(visit: Visit, server: ServerProcess) -> None:
    page = visit().page
    status = page.locator(".status")
    with fault(server):
        play_in_element(page)
        expect(status).to_have_text(ELEMENT)
    expect(status).to_have_text("Your move")
    with fault(server):
        make_first_move(page)
        expect(status).to_have_text(ELEMENT)
    expect(status).to_have_text("Your move")  # again, since the bot has answered
    expect(page.locator("ludus-checkers").get_by_role("gridcell", name="9, empty", exact=True)).to_be_visible()
