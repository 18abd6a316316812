"""What readers without scripts, crawlers and link previews get: games and players as HTML from the server."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.server.rest.rest_app import ANN, BEN, RestApp, open_app
from tests.service.parts import person

from ludus.puzzles import puzzles
from ludus.service.commands import Resign
from ludus.service.exhibitions import EXHIBITION
from ludus.service.finished import MIN_MOVES
from ludus.service.lobby import bot_seat
from ludus.service.ports.store import Unavailable
from ludus.service.ports.writes import PutAgent
from ludus.service.records import Agent
from ludus.service.table import Limits, Opening, Seat, SeatKind, Table

pytestmark = pytest.mark.anyio

EVIL = "<b>{{body}}{{static}}</b>"
ANN_AT_PAGE = Seat("person/ann", "ann", "Ann", SeatKind.PERSON)
BEN_AT_PAGE = Seat("person/ben", "ben", "Ben", SeatKind.PERSON)
AGENT = Seat("agent/one", "one", EVIL, SeatKind.AGENT)


async def opened(app: RestApp, *seats: Seat, game: str = "checkers", **more: Any) -> Table:
    tables = app.server.platform.tables
    opening = Opening(
        table=tables.new_id(),
        game=game,
        mode="training",
        channel="rooms",
        seats=(seats[0], seats[1]),
        limits=Limits(None, None, None),
        is_rated=False,
        seed=tables.seed_for(game),
    )
    return await tables.open(opening._replace(**more))


async def played(app: RestApp, *seats: Seat, moves: int = 4, winner: int = 1, **more: Any) -> Table:
    """A game in which the opponent resigned."""
    table = await app.play(await opened(app, *seats, **more), most=moves)
    return (await app.server.platform.tables.execute(table.id, Resign(1 - winner))).table


async def registered(app: RestApp) -> None:
    await app.server.store.commit(PutAgent(Agent("one", 1, EVIL, "evil", None, "hash", "", None, 0)))


def text_of(html: str) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", html)).split())


@pytest.mark.parametrize("path", ["watch", "matches", "agents", "games", "people"])
async def test_a_wrong_id_answers_404_with_a_page_that_helps(app: RestApp, path: str) -> None:
    page = await app.client.get(f"/{path}/no-such-id", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert page.headers["Content-Type"].startswith("text/html")
    assert "/missing.js" in page.text


@pytest.mark.parametrize("path", ["watch", "matches"])
async def test_a_finished_game_can_be_read_without_scripts(app: RestApp, path: str) -> None:
    table = await played(app, ANN_AT_PAGE, BEN_AT_PAGE)
    page = await app.client.get(f"/{path}/{table.id}")
    assert page.status_code == 200
    assert "<title>Ann – Ben · Checkers · Ludus</title>" in page.text
    assert '<meta property="og:title" content="Ann – Ben · Checkers · Ludus">' in page.text
    assert '<meta property="og:description" content="Ben won (resignation).">' in page.text
    assert f'<img src="/web/tables/{table.id}/board.svg"' in page.text
    game = table.game
    first = game.rules.notation.write_move(game.position_at(0), game.move_at(0))
    assert f"<li>{first}</li>" in page.text
    assert page.text.count("<li>") == table.moves == 4


async def test_a_live_game_says_so(app: RestApp) -> None:
    table = await app.play(await opened(app, ANN_AT_PAGE, BEN_AT_PAGE, game="backgammon"), most=3)
    assert f"A live game, {table.moves} moves so far." in text_of((await app.client.get(f"/watch/{table.id}")).text)


async def test_an_agents_page_has_its_matches(app: RestApp) -> None:
    await registered(app)
    await played(app, AGENT, bot_seat("novice", "fast"))
    page = await app.client.get("/agents/one")
    assert page.status_code == 200
    assert "AI agent" in text_of(page.text) and "Novice bot won (resignation)." in text_of(page.text)
    bot = await app.client.get("/agents/house:novice")
    assert "<title>Novice bot · Ludus</title>" in bot.text
    assert "House bot" in text_of(bot.text) and "Novice bot won (resignation)." in text_of(bot.text)


async def test_names_are_text_and_nothing_else(app: RestApp) -> None:
    await registered(app)
    table = await played(app, AGENT, bot_seat("easy", "fast"))
    for path in ("/agents/one", f"/matches/{table.id}", "/games/checkers"):
        page = (await app.client.get(path)).text
        assert "&lt;b&gt;{{body}}{{static}}&lt;/b&gt;" in page and "<b>" not in page


async def test_a_games_page_has_its_latest_games_and_who_won(app: RestApp) -> None:
    await played(app, ANN_AT_PAGE, BEN_AT_PAGE, winner=0)
    shown = text_of((await app.client.get("/games/checkers")).text)
    assert "Latest games Date Players Result" in shown and "Ann – Ben Ann won (resignation)." in shown
    assert "Leaderboard" in shown


async def test_without_a_store_the_page_comes_all_the_same(app: RestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its script says what is wrong, and tries again."""

    async def fail(_id: str) -> None:
        raise Unavailable("no database")

    monkeypatch.setattr(app.server.platform.tables, "current", fail)
    monkeypatch.setattr(app.server.store, "agent", fail)
    assert "/replay/page.js" in (await app.client.get("/matches/x")).text
    assert "/agent/page.js" in (await app.client.get("/agents/x")).text


async def listed(app: RestApp, query: str = "") -> list[Any]:
    found: list[Any] = (await app.client.get(f"/web/finished{query}")).json()["matches"]
    return found


async def test_finished_games_of_people_and_agents_are_listed_with_the_winner(app: RestApp) -> None:
    people = await played(app, ANN_AT_PAGE, BEN_AT_PAGE, winner=0)
    app.clock.ms += 1000
    match = await played(app, AGENT, bot_seat("easy", "fast"), game="backgammon")
    shown = await listed(app)
    assert [each["id"] for each in shown] == [match.id, people.id]
    assert shown[1]["winner"] == 0 and shown[1]["reason"] == "resignation"
    assert [player["name"] for player in shown[1]["players"]] == ["Ann", "Ben"]
    assert [each["id"] for each in await listed(app, "?game=checkers")] == [people.id]
    assert len(await listed(app, "?limit=1")) == 1


async def test_private_unplayed_and_other_peoples_games_are_not_listed(app: RestApp) -> None:
    await played(app, ANN_AT_PAGE, BEN_AT_PAGE, is_private=True)
    await played(app, ANN_AT_PAGE, bot_seat("easy", "live"))
    await played(app, ANN_AT_PAGE, BEN_AT_PAGE, moves=MIN_MOVES - 1)
    await played(app, bot_seat("easy", "live"), bot_seat("hard", "live"), mode=EXHIBITION)
    made = [await app.create(players=[player]) for player in (ANN, BEN)]
    of_an_app = await app.play(await app.seat(*[each["sessionToken"] for each in made]), most=4)
    await app.server.platform.tables.execute(of_an_app.id, Resign(0))
    assert await listed(app) == []


async def test_presence_counts_games_and_those_who_wait(app: RestApp) -> None:
    await opened(app, ANN_AT_PAGE, BEN_AT_PAGE)
    found = (await app.client.get("/web/presence")).json()
    assert found == {
        "playing": 0,
        "waiting": {"backgammon": 0, "checkers": 0},
        "live": {"backgammon": 0, "checkers": 1},
    }


async def test_exhibitions_have_a_list_of_their_own_and_a_label(app: RestApp) -> None:
    seats = [bot_seat(level, "live")._replace(key=f"exhibition/{n}") for n, level in enumerate(("easy", "medium"))]
    table = await opened(app, *seats, mode=EXHIBITION)
    await opened(app, ANN_AT_PAGE, BEN_AT_PAGE)
    (shown,) = (await app.client.get("/web/exhibitions")).json()["tables"]
    assert (shown["id"], shown["isExhibition"]) == (table.id, True)
    live = (await app.client.get("/web/live")).json()["tables"]
    assert sorted(each["isExhibition"] for each in live) == [False, True]


async def test_links_to_games_and_positions_have_a_picture_with_a_whole_address(tmp_path: Path) -> None:
    async with open_app(tmp_path, public_url="https://play.example/games") as app:
        table = await played(app, person("ann"), person("ben"))
        position, quoted = "B:W21,22:B1,K2", "B%3AW21%2C22%3AB1%2CK2"
        puzzle, daily = puzzles("checkers")[0], app.server.platform.puzzles.daily("backgammon")
        for path, picture in {
            f"/matches/{table.id}": f"/web/tables/{table.id}/card.png",
            f"/watch/{table.id}": f"/web/tables/{table.id}/card.png",
            f"/analysis?game=checkers&position={position}": f"/web/analysis/checkers/card.png?position={quoted}",
            f"/puzzles/checkers/{puzzle.id}": f"/web/analysis/checkers/card.png?position={quote(puzzle.position, '')}",
            "/puzzles/backgammon/daily": f"/web/analysis/backgammon/card.png?position={quote(daily.position, '')}",
        }.items():
            page = (await app.client.get(path)).text
            assert f'<meta property="og:image" content="https://play.example/games{picture}">' in page
            assert 'content="summary_large_image"' in page
            drawn = await app.client.get(picture)
            assert (drawn.status_code, drawn.headers["Content-Type"]) == (200, "image/png")
        for path in ("/analysis", "/analysis?game=checkers&position=nonsense", "/analysis?game=no&position=x"):
            page = (await app.client.get(path)).text
            assert "og:image" not in page and "{{" not in page
