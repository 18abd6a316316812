"""A game's page as the server writes it, without scripts."""

from __future__ import annotations

import re
from html import unescape

import pytest
from tests.server.rest.rest_app import RestApp

from ludus.games import ABOUT, GAMES
from ludus.server.web import game_page
from ludus.server.web.game_page import markdown
from ludus.service import game_info
from ludus.service.commands import Resign
from ludus.service.records import Tally

pytestmark = pytest.mark.anyio

NOTHING = Tally(0, 0, 0)


def text_of(html: str) -> str:
    """What a reader or a crawler sees."""
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


@pytest.mark.parametrize("game", GAMES)
async def test_the_page_says_what_the_api_says(app: RestApp, game: str) -> None:
    api = (await app.client.get(f"/api/games/{game}")).json()
    page = await app.client.get(f"/games/{game}")
    shown = text_of(page.text)
    assert page.status_code == 200 and page.headers["Content-Type"].startswith("text/html")
    assert f"<title>{api['name']} · Ludus</title>" in page.text
    assert api["description"] in shown
    assert "2 players 5–20 minutes " + " ".join(api["tags"]) in shown
    assert "Matches 0 Average duration N/A Decisive 0%" in shown
    for part in ("Rules", "Action format", "Agent view"):
        assert f"<h2>{part}</h2>" in page.text
    assert {"type": "resign"} in (await app.client.get(f"/api/games/{game}/validator")).json()["examples"]
    assert '{"type": "resign"}' in shown and '{"type": "move", "' in shown


async def test_the_rules_have_the_numbers_that_actions_have(app: RestApp) -> None:
    shown = text_of((await app.client.get("/games/backgammon")).text)
    assert "White moves from point 24 down to point 1, black from point 1 up to point 24" in shown
    assert "two men on 24 1" in shown and '"from": 24, "to": 20' in shown
    for field in ("yourColor", "whiteBar", "legalMoves", "lastTurn", "pipCounts"):
        assert field in shown.partition("Agent view")[2]


async def test_the_figures_are_those_of_the_games_played(app: RestApp) -> None:
    made, other = await app.create(), await app.create(players=[{"id": "ben", "displayName": "Ben"}])
    table = await app.seat(made["sessionToken"], other["sessionToken"])
    app.clock.ms += 252_000
    await app.platform.tables.execute(table.id, Resign(0))
    shown = text_of((await app.client.get("/games/checkers")).text)
    assert "Matches 1 Average duration 4 min 12 s Decisive 100%" in shown


async def test_the_page_is_sent_only_if_it_has_changed_and_runs_our_scripts_only(app: RestApp) -> None:
    page = await app.client.get("/games/checkers")
    assert "script-src 'self'" in page.headers["Content-Security-Policy"] and " style=" not in page.text
    again = await app.client.get("/games/checkers", headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 304
    assert "{{" not in page.text


async def test_an_unknown_game_has_the_page_that_says_so(app: RestApp) -> None:
    page = await app.client.get("/games/%3Cscript%3E")
    assert page.status_code == 404 and "<script>" not in page.text.partition("<body>")[2]


def test_a_game_whose_length_differs_little_has_one_number(monkeypatch: pytest.MonkeyPatch) -> None:
    about = ABOUT["checkers"]._replace(minutes=1, minutes_range=None)
    monkeypatch.setitem(ABOUT._found, "checkers", about)  # type: ignore[attr-defined]  # what the registry has found
    assert "2 players 1 minute perfect-info" in text_of(game_page.body("checkers", NOTHING))


def test_its_links_stay_below_the_path_that_the_server_is_mounted_under() -> None:
    written = game_page.page("checkers", NOTHING, "/below").content.decode()
    addresses = re.findall('(?:href|src)="([^"]*)"', written)
    assert len(addresses) > 10 and all(address.startswith("/below/") for address in addresses)


def test_nothing_of_a_games_texts_is_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    evil = "<img src=x onerror=alert(1)>"
    about = ABOUT["checkers"]._replace(title=evil, description=f"{evil} {{{{static}}}}", tags=(evil,))
    monkeypatch.setitem(ABOUT._found, "checkers", about)  # type: ignore[attr-defined]  # what the registry has found
    monkeypatch.setattr(game_info, "text", lambda game, kind: game_info.Text("1", f"# T\n\n{evil}\n"))
    monkeypatch.setattr(game_info, "actions", lambda game: f"T\n  {evil}\n")
    monkeypatch.setattr(game_page, "_written", game_page._written.__wrapped__)  # not from the cache
    assert "<img" not in game_page.body("checkers", NOTHING)


def test_markdown_is_a_level_lower_and_harmless() -> None:
    text = "# Title\n\n## Part\n\n<b>x</b> [bad](javascript:x) `a` **b**\n\n| | n |\n|---|--:|\n| a | 1 |\n"
    html = markdown(text)
    assert "Title" not in html and "<h3>Part</h3>" in html
    assert "&lt;b&gt;x&lt;/b&gt; [bad](javascript:x) <code>a</code> <strong>b</strong>" in html
    assert "<td></td>" in html and "style" not in html
    assert markdown("No title.") == "<p>No title.</p>\n"
