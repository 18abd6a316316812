"""A game in somebody else's page: on another origin, as an element or in a frame, if the tenant allows it."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import FrameLocator, Page, WebSocketRoute, expect

from ..server_process import ServerProcess, Tenant
from .browser import OFFLINE
from .conftest import Visit

ANSWER_MS = 10_000
"""Longer than the page waits for an answer, and for a second try."""
_names = count(1)


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the name of the base class
        pass


@pytest.fixture
def app(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """The folder and the origin of an app of its own."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=str(tmp_path)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield tmp_path, f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def session(server: ServerProcess, owner: Tenant, game: str, **options: Any) -> str:
    body = {
        "game": game,
        "matchType": "bot",
        "botDifficulty": "easy",
        "players": [{"id": "ann", "displayName": "Ann"}],
        "theme": {"darkColor": "#123456"},
    } | options
    return str(server.post("/v1/sessions", owner.live, body)["sessionToken"])


def document(server: ServerProcess, inside: str) -> str:
    script = f'<script type="module" src="{server.url}/embed/ludus-game.js"></script>'
    head = "<meta charset=utf-8><title>App</title><link rel=icon href=data:,>"
    return f"<!doctype html><html lang=en>{head}{script}<main>{inside}</main></html>"


def framed(server: ServerProcess, tenant: str, more: str, size: tuple[int, int] = (700, 800)) -> str:
    width, height = size
    source = f"{server.url}/frame?tenant={tenant}#{more}"
    return f'<iframe title="game" width="{width}" height="{height}" src="{source}"></iframe>'


def make_first_move(page: Page | FrameLocator) -> None:
    """A man of red's third row goes forward, once the server has said that it can."""
    page.locator("ludus-checkers [data-mark=source]").first.wait_for(state="attached")
    page.locator("ludus-checkers").get_by_role("gridcell", name="9, red man").click()
    page.locator("ludus-checkers").get_by_role("gridcell", name="13, empty").click()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        ("en", "That piece is blocked. The pieces that can move are ringed."),
        ("de", "Dieser Stein ist blockiert. Ziehbare Steine sind umrandet."),
    ],
)
def test_a_piece_that_cannot_move_says_why(
    visit: Visit, server: ServerProcess, app: tuple[Path, str], language: str, sentence: str
) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=[origin])
    token = session(server, owner, "checkers")
    element = f'<ludus-game game="checkers" token="{token}" lang="{language}"></ludus-game>'
    (folder / "index.html").write_text(document(server, element))
    page = visit().open(f"{origin}/index.html")
    page.locator("ludus-checkers [data-mark=source]").first.wait_for(state="attached")
    page.locator("ludus-checkers").get_by_role("gridcell", name=re.compile("^1, ")).click()
    expect(page.locator("ludus-game .status")).to_have_text(sentence)


def test_the_element_plays_in_a_page_of_an_allowed_origin(
    visit: Visit, server: ServerProcess, app: tuple[Path, str]
) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=[origin])
    token = session(server, owner, "checkers")
    (folder / "index.html").write_text(document(server, f'<ludus-game game="checkers" token="{token}"></ludus-game>'))
    page = visit().open(f"{origin}/index.html")
    page.get_by_text("Your move").wait_for()
    assert "#123456" in str(page.evaluate("document.querySelector('ludus-game').board.getAttribute('style')"))
    page.evaluate("document.addEventListener('ludus-moved', ({detail}) => (window.heard = detail.move))")
    make_first_move(page)
    page.wait_for_function("() => window.heard")
    expect(page.locator(".announcer p")).to_have_text([re.compile(r"^Easy bot plays \d+-\d+$")])
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Really resign?").click()
    page.get_by_text("Easy bot won").wait_for()


def test_resigning_in_a_match_gives_up_one_game_as_the_player_chooses(
    visit: Visit, server: ServerProcess, app: tuple[Path, str]
) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=[origin])
    token = session(server, owner, "backgammon", matchLength=5)
    (folder / "index.html").write_text(document(server, f'<ludus-game game="backgammon" token="{token}"></ludus-game>'))
    page = visit().open(f"{origin}/index.html")
    score = page.locator("ludus-game .score")
    expect(score).to_have_text("Match: 0–0 / 5")
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Gammon: 2 points").click()
    expect(score).to_have_text("Match: 0–2 / 5")


def test_two_embedded_players_see_the_clock_and_agree_on_a_draw(
    visit: Visit, server: ServerProcess, app: tuple[Path, str]
) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=[origin])
    body = {"game": "checkers", "matchType": "private", "players": [{"id": "ann", "displayName": "Ann"}]}
    host = server.post("/v1/sessions", owner.live, body)
    joined = {"roomCode": host["roomCode"], "game": "checkers", "player": {"id": "ben", "displayName": "Ben"}}
    guest = server.post("/v1/sessions/join", owner.live, joined)
    pages = []
    for name, token in (("ann", host["sessionToken"]), ("ben", guest["sessionToken"])):
        (folder / f"{name}.html").write_text(
            document(server, f'<ludus-game game="checkers" token="{token}"></ludus-game>')
        )
        pages.append(visit().open(f"{origin}/{name}.html"))
    ann, ben = pages
    for page in pages:
        expect(page.get_by_role("timer")).to_have_text(re.compile(r"^\d+:\d\d$"))
    away = pages.pop()
    away.goto("about:blank")
    expect(pages[0].locator(".countdown")).to_have_text(re.compile(r"^Ben disconnected: \d+ s left$"))
    first = pages[0].locator(".announcer p", has_text="disconnected")
    expect(first).to_have_count(1)
    expect(pages[0].locator(".countdown")).not_to_have_text(first.inner_text())
    expect(first).to_have_count(1)
    away.goto(f"{origin}/ben.html")
    expect(pages[0].locator(".countdown")).to_be_hidden()
    pages.append(away)
    ann.get_by_role("button", name="Offer draw").click()
    ben.get_by_text("Ann offers a draw").wait_for()
    ben.get_by_role("button", name="Decline").click()
    ann.get_by_text("Ben declined the draw").wait_for()
    ben.get_by_role("button", name="Offer draw").click()
    ann.get_by_role("button", name="Accept draw").click()
    for page in pages:
        page.get_by_text("Draw", exact=True).wait_for()
    ben.get_by_role("button", name="Rematch").click()
    ben.get_by_text("Draw · Waiting for Ann…").wait_for()
    ann.get_by_text("Draw · Ben wants a rematch").wait_for()
    ben.goto("about:blank")
    ann.get_by_text("Draw · Ben left").wait_for()
    expect(ann.get_by_role("button", name="Rematch")).to_be_disabled()
    ben.goto(f"{origin}/ben.html")
    ann.get_by_text("Draw · Ben wants a rematch").wait_for()
    ann.get_by_role("button", name="Rematch").click()
    for page in pages:
        expect(page.get_by_role("button", name="Resign")).to_be_visible()


def test_an_embedded_move_made_without_a_network_is_sent_when_it_is_back(visit: Visit) -> None:
    visitor = visit(own=True, forgives=OFFLINE)
    visitor.fake_time()
    page = visitor.open("/embed")
    page.get_by_role("button", name="Start the example").click()
    page.get_by_text("Your move", exact=True).wait_for()
    page.locator("ludus-checkers [data-mark=source]").first.wait_for(state="attached")
    page.evaluate("""() => {
      window.problems = [];
      document.addEventListener("ludus-problem", ({detail}) => problems.push(detail));
      document.addEventListener("ludus-moved", ({detail}) => (window.heard ??= detail.move));
    }""")
    visitor.context.set_offline(True)
    status = page.locator("ludus-game .status")
    expect(status).to_have_text("Connection lost. Reconnecting…")
    make_first_move(page)
    page.get_by_role("button", name="Offer draw").click()
    page.clock.fast_forward(ANSWER_MS)
    expect(status).to_have_text("Connection lost. Reconnecting…")
    visitor.context.set_offline(False)
    page.wait_for_function("() => window.heard")
    expect(status).not_to_have_text("Connection lost. Reconnecting…")
    assert page.evaluate("window.problems") == []


def test_an_embedded_game_asks_again_for_the_legal_moves(visit: Visit) -> None:
    visitor = visit(own=True)
    visitor.fake_time()
    page = visitor.page
    unanswered: list[str | bytes] = []

    def relay(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def send(message: str | bytes) -> None:
            if "game:get_moves" in str(message) and not unanswered:
                unanswered.append(message)
            else:
                server.send(message)

        socket.on_message(send)

    page.route_web_socket(re.compile("/socket.io/"), relay)
    page.goto("/frame#game=checkers")
    expect(page.locator(".status")).to_have_text("Your move")
    page.clock.fast_forward(ANSWER_MS)
    expect(page.locator("ludus-checkers [data-mark=source]").first).to_be_attached()
    assert len(unanswered) == 1, "one request for all moves"


def test_a_page_of_another_origin_is_refused(visit: Visit, server: ServerProcess, app: tuple[Path, str]) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=["https://app.example"])
    token = session(server, owner, "checkers")
    (folder / "index.html").write_text(document(server, f'<ludus-game game="checkers" token="{token}"></ludus-game>'))
    page = visit().open(f"{origin}/index.html")
    page.get_by_text("Origin not allowed for this API key").wait_for()


def test_a_frame_shows_the_game_to_pages_that_the_tenant_allows(
    visit: Visit, server: ServerProcess, app: tuple[Path, str]
) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=[origin])
    token = session(server, owner, "backgammon")
    (folder / "index.html").write_text(document(server, framed(server, owner.id, f"game=backgammon&token={token}")))
    page = visit().open(f"{origin}/index.html")
    expect(page.frame_locator("iframe").locator(".status")).to_have_text("Your move")
    expect(page.frame_locator("iframe").locator(".announcer p").last).to_have_text(re.compile(r"^You rolled \d, \d$"))


@pytest.mark.parametrize("size", [(1200, 680), (590, 680), (390, 680)], ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_a_frame_as_high_as_the_snippet_s_shows_the_whole_game(
    visit: Visit, server: ServerProcess, app: tuple[Path, str], game: str, size: tuple[int, int]
) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=[origin])
    token = session(server, owner, game)
    (folder / "index.html").write_text(document(server, framed(server, owner.id, f"game={game}&token={token}", size)))
    frame = visit().open(f"{origin}/index.html").frame_locator("iframe")
    frame.get_by_role("button", name="Resign").wait_for()
    expect(frame.locator(f"ludus-{game} .piece").first).to_be_attached()
    root = frame.locator("html")
    assert root.evaluate("root => [root.scrollHeight <= root.clientHeight, root.clientHeight]") == [True, size[1]]
    assert root.evaluate("root => root.scrollWidth <= root.clientWidth")
    least = 0.7 * min(size)
    assert root.evaluate("root => root.querySelector('ludus-game').board.clientWidth") > least, "and it is not small"


def test_a_frame_stays_empty_in_any_other_page(visit: Visit, server: ServerProcess, app: tuple[Path, str]) -> None:
    folder, origin = app
    owner = server.tenant(f"Embed {next(_names)}", origins=["https://app.example"])
    (folder / "index.html").write_text(document(server, framed(server, owner.id, "game=checkers")))
    visitor = visit(forgives=("frame-ancestors",))
    with visitor.page.expect_console_message(lambda message: "frame-ancestors" in message.text):
        visitor.open(f"{origin}/index.html")


def test_an_embedded_game_can_be_german(visit: Visit, server: ServerProcess, app: tuple[Path, str]) -> None:
    folder, origin = app
    (folder / "index.html").write_text(document(server, '<ludus-game game="checkers" lang="de"></ludus-game>'))
    page = visit().open(f"{origin}/index.html")
    page.get_by_text("Du bist am Zug").wait_for()
    expect(page.locator("ludus-checkers").get_by_role("grid")).to_have_accessible_name(re.compile("Dame"))
    expect(page.locator(".name")).to_have_text("Bot (leicht)")


def test_a_frame_uses_the_browser_s_language_by_default(visit: Visit) -> None:
    expect(visit(locale="de-AT").open("/frame#game=checkers").locator(".status")).to_have_text("Du bist am Zug")
    told = visit(locale="de-AT").open("/frame#game=checkers&lang=en")
    expect(told.locator(".status")).to_have_text("Your move")


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
def test_the_generator_shows_a_snippet_and_a_game_that_runs(visit: Visit, server: ServerProcess, game: str) -> None:
    page = visit().open("/embed")
    page.get_by_role("combobox", name="Game").select_option(game)
    expect(page.locator(".snippet code").first).to_contain_text(f'<ludus-game game="{game}" token="SESSION_TOKEN">')
    expect(page.locator(".snippet code").first).to_contain_text(f"{server.url}/embed/ludus-game.js")
    page.locator(f"ludus-{game}").wait_for()
    page.get_by_role("button", name="Start the example").click()
    # a connection that is cut before it stands is complained of
    expect(page.locator("ludus-game .status")).not_to_have_text("Connecting…")
    page.get_by_role("combobox", name="Format").select_option("frame")
    expect(page.locator(".snippet code").first).to_contain_text("<iframe")


def test_looking_at_the_page_starts_no_game(visit: Visit) -> None:
    visitor = visit()
    asked: list[str] = []
    visitor.page.on("request", lambda request: asked.append(request.url))
    page = visitor.open("/embed")
    page.get_by_role("combobox", name="Bot").select_option("novice")
    page.get_by_role("combobox", name="Game").select_option("backgammon")
    page.locator("ludus-backgammon").wait_for()
    expect(page.locator("ludus-game")).to_have_count(0)
    assert not [url for url in asked if "socket.io/?" in url]


@pytest.mark.parametrize(("lang", "text"), [("en", "Unknown game: chess"), ("de", "Unbekanntes Spiel: chess")])
def test_an_unknown_game_is_an_error(visit: Visit, lang: str, text: str) -> None:
    page = visit(own=True).page
    page.add_init_script("addEventListener('ludus-problem', ({detail}) => (window.problem = detail))")
    page.goto(f"/frame#game=chess&lang={lang}")
    expect(page.get_by_role("alert")).to_have_text(text)
    assert page.evaluate("window.problem") == {"code": "unknown_game", "message": text}
    expect(page.locator("ludus-game").get_by_role("grid")).to_have_count(0)
