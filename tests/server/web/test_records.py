"""What the page asks the server: live games and whole games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import ANN, BEN, RestApp, open_app

from ludus.core.board import Board
from ludus.server.web import records
from ludus.service.commands import AcceptResignation, OfferResignation, Resign
from ludus.service.table import Table

pytestmark = pytest.mark.anyio


async def pair(app: RestApp, game: str = "checkers") -> Table:
    made = [await app.create(game=game, players=[player]) for player in (ANN, BEN)]
    return await app.seat(*[each["sessionToken"] for each in made])


async def get(app: RestApp, path: str, status: int = 200) -> Any:
    answer = await app.client.get(path)
    assert answer.status_code == status, answer.text
    assert "X-RateLimit-Remaining" in answer.headers
    return answer.json()


async def test_live_games_come_with_their_boards(app: RestApp) -> None:
    table = await app.play(await pair(app), most=3)
    (shown,) = (await get(app, "/web/live"))["tables"]
    assert (shown["id"], shown["game"], shown["moveCount"], shown["spectators"]) == (table.id, "checkers", 3, 0)
    assert len(shown["board"]) == 64 and set(shown["board"]) <= set(".rRbB")
    assert shown["players"][0] == {"id": "person:0", "name": "A person", "kind": "person", "color": "red"}
    assert set(shown["last"]) == {"from", "to", "captures"}
    assert (await get(app, "/web/live?game=backgammon"))["tables"] == []
    assert (await get(app, "/web/live?game=chess", 400))["code"] == "invalid_input"


async def test_a_persons_game_with_a_bot_is_not_shown_around(app: RestApp) -> None:
    made = await app.create(matchType="bot")
    table = await app.seat(made["sessionToken"])
    assert (await get(app, "/web/live"))["tables"] == []
    assert (await get(app, f"/web/tables/{table.id}"))["status"] == "live"


async def test_a_private_room_is_not_shown_around(app: RestApp) -> None:
    made = await app.create(matchType="private", players=[ANN, BEN])
    table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    assert (await get(app, "/web/live"))["tables"] == []
    assert (await get(app, f"/web/tables/{table.id}"))["status"] == "live"


async def test_not_too_many_are_shown(app: RestApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_LISTED", 2)
    for _ in range(3):
        await pair(app, "backgammon")
    assert len((await get(app, "/web/live"))["tables"]) == 2


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_a_record_has_every_move_of_a_game(app: RestApp, game: str) -> None:
    table = await app.play(await pair(app, game))
    record = await get(app, f"/web/tables/{table.id}")
    assert record["status"] == "over" and record["count"] == len(record["moves"]) == table.moves
    assert record["result"]["winner"] == (table.outcome.winner if table.outcome else None)
    assert record["now"] == record["moves"][-1]["board"]
    assert record["ratings"] == [None, None], "this one is not rated"
    if game == "backgammon":
        assert len(record["moves"][0]["dice"]) in (2, 4)
        assert record["dice"]["seed"]
    rest = await get(app, f"/web/tables/{table.id}?after=5")
    assert rest["moves"] == record["moves"][5:] and rest["count"] == record["count"]


@pytest.mark.parametrize("is_own", [True, False])
async def test_a_resignation_has_dice_only_if_its_player_rolled_them(app: RestApp, is_own: bool) -> None:
    table = await app.play(await pair(app, "backgammon"), most=4)
    assert table.mover is not None
    loser = table.mover if is_own else 1 - table.mover
    await app.platform.tables.execute(table.id, OfferResignation(loser, 1))
    await app.platform.tables.execute(table.id, AcceptResignation(1 - loser))
    made = (await get(app, f"/web/tables/{table.id}"))["moves"][-1]
    assert made["move"]["resign"]["points"] == 1 and made["seat"] == loser
    assert ("dice" in made) is is_own


async def test_the_dice_seed_is_secret_during_the_game(app: RestApp) -> None:
    table = await pair(app, "backgammon")
    record = await get(app, f"/web/tables/{table.id}")
    assert record["dice"]["commitment"] and record["dice"]["seed"] is None
    text = (await app.client.get(f"/web/tables/{table.id}/file")).text
    assert table.opening.seed is not None and table.opening.seed.hex() not in text


async def test_record_and_pictures_are_files(app: RestApp) -> None:
    table = await app.play(await pair(app), most=4)
    await app.platform.tables.execute(table.id, Resign(0))
    file = await app.client.get(f"/web/tables/{table.id}/file")
    assert file.headers["Content-Disposition"].endswith('.pdn"') and "[Black" in file.text
    pictures = [(await app.client.get(f"/web/tables/{table.id}/board.svg?move={n}")).text for n in range(5)]
    assert all(picture.startswith("<svg") for picture in pictures) and len(set(pictures)) == 5
    turned = await app.client.get(f"/web/tables/{table.id}/board.svg?move=0&flip=true")
    assert turned.text != pictures[0] and turned.headers["Content-Security-Policy"] == "default-src 'none'"
    assert (await app.client.get(f"/web/tables/{table.id}/board.svg?move=6")).status_code == 400


async def test_a_card_to_share_has_the_names_and_the_result(app: RestApp) -> None:
    table = await app.play(await pair(app), most=4)
    await app.platform.tables.execute(table.id, Resign(0))
    drawn = await app.client.get(f"/web/tables/{table.id}/card.svg")
    names = [player["name"] for player in (await get(app, f"/web/tables/{table.id}"))["players"]]
    assert all(f">{text}<" in drawn.text for text in (*names, f"{names[1]} won (resignation)."))
    assert drawn.headers["Content-Security-Policy"] == "default-src 'none'"
    painted = await app.client.get(f"/web/tables/{table.id}/card.png?move=2&flip=true")
    assert painted.headers["Content-Type"] == "image/png" and painted.content.startswith(b"\x89PNG")
    assert (await get(app, f"/web/tables/{table.id}/card.gif", 404))["code"] == "not_found"


@pytest.mark.parametrize("path", ["", "/file", "/board.svg", "/card.png", "/analysis"])
@pytest.mark.parametrize("id", ["nothing", "x" * 100, "%00"])
async def test_a_game_that_is_not_there_is_not_found(app: RestApp, id: str, path: str) -> None:
    assert (await get(app, f"/web/tables/{id}{path}", 404))["code"] == "match_not_found"


async def test_requests_are_counted_by_address(tmp_path: Path) -> None:
    async with open_app(tmp_path, agent_rate_limit=2) as app:
        statuses = [(await app.client.get("/web/live")).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]


@pytest.mark.parametrize("path", ["", "?after=3", "/file", "/board.svg", "/board.svg?move=2&flip=true"])
async def test_a_game_is_written_once_for_all_who_ask(app: RestApp, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = await app.play(await pair(app))
    first = await app.client.get(f"/web/tables/{table.id}{path}")
    for name in ("record_file", "player_moves", "move_entry"):
        monkeypatch.delattr(records, name)
    monkeypatch.setattr(Board, "svg", None)
    again = await app.client.get(f"/web/tables/{table.id}{path}")
    assert (again.status_code, again.content) == (200, first.content)
    assert again.headers["Cache-Control"] == "no-cache"
    same = await app.client.get(f"/web/tables/{table.id}{path}", headers={"If-None-Match": first.headers["ETag"]})
    assert (same.status_code, same.content) == (304, b"")


async def test_a_live_game_is_shown_as_it_is_now(app: RestApp) -> None:
    table = await app.play(await pair(app), most=3)
    for path in ("", "/file", "/board.svg"):
        before = await app.client.get(f"/web/tables/{table.id}{path}")
        table = await app.play(table, most=1)
        etag = {"If-None-Match": before.headers["ETag"]}
        after = await app.client.get(f"/web/tables/{table.id}{path}", headers=etag)
        assert after.status_code == 200 and after.content != before.content
