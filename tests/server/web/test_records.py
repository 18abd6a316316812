"""What the page asks the server: live games, whole games, rooms for guests."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.office import ANN, BEN, Office, opened

from ludus.server.web import records
from ludus.service.commands import Resign
from ludus.service.table import Table

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def office(tmp_path: Path) -> AsyncIterator[Office]:
    async with opened(tmp_path) as office:
        yield office


async def pair(office: Office, game: str = "checkers") -> Table:
    made = await office.create(game=game, matchType="private", players=[ANN, BEN])
    return await office.seat(made["sessionToken"], (await office.join(made))["sessionToken"])


async def get(office: Office, path: str, status: int = 200) -> Any:
    answer = await office.client.get(path)
    assert answer.status_code == status, answer.text
    assert "X-RateLimit-Remaining" in answer.headers
    return answer.json()


async def test_live_games_come_with_their_boards(office: Office) -> None:
    table = await office.play(await pair(office), most=3)
    (shown,) = (await get(office, "/web/live"))["tables"]
    assert (shown["id"], shown["game"], shown["moveCount"], shown["spectators"]) == (table.id, "checkers", 3, 0)
    assert len(shown["board"]) == 64 and set(shown["board"]) <= set(".rRbB")
    assert shown["players"][0] == {"id": "person:0", "name": table.seats[0].name, "kind": "person", "color": "red"}
    assert set(shown["last"]) == {"from", "to", "captures"}
    assert (await get(office, "/web/live?game=backgammon"))["tables"] == []
    assert (await get(office, "/web/live?game=chess", 400))["code"] == "invalid_input"


async def test_a_persons_game_with_a_bot_is_not_shown_around(office: Office) -> None:
    made = await office.create(matchType="bot")
    table = await office.seat(made["sessionToken"])
    assert (await get(office, "/web/live"))["tables"] == []
    assert (await get(office, f"/web/tables/{table.id}"))["status"] == "live"


async def test_not_too_many_are_shown(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_LISTED", 2)
    for _ in range(3):
        await pair(office, "backgammon")
    assert len((await get(office, "/web/live"))["tables"]) == 2


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_a_record_has_every_move_of_a_game(office: Office, game: str) -> None:
    table = await office.play(await pair(office, game))
    record = await get(office, f"/web/tables/{table.id}")
    assert record["status"] == "over" and record["count"] == len(record["moves"]) == table.moves
    assert record["result"]["winner"] == (table.outcome.winner if table.outcome else None)
    assert record["now"] == record["moves"][-1]["board"]
    assert record["ratings"] == [None, None], "this one is not rated"
    if game == "backgammon":
        assert len(record["moves"][0]["dice"]) in (2, 4)
        assert record["dice"]["seed"]
    rest = await get(office, f"/web/tables/{table.id}?after=5")
    assert rest["moves"] == record["moves"][5:] and rest["count"] == record["count"]


async def test_the_dice_seed_is_secret_during_the_game(office: Office) -> None:
    table = await pair(office, "backgammon")
    record = await get(office, f"/web/tables/{table.id}")
    assert record["dice"]["commitment"] and record["dice"]["seed"] is None
    text = (await office.client.get(f"/web/tables/{table.id}/file")).text
    assert table.opening.seed is not None and table.opening.seed.hex() not in text


async def test_record_and_pictures_are_files(office: Office) -> None:
    table = await office.play(await pair(office), most=4)
    await office.platform.tables.execute(table.id, Resign(0))
    file = await office.client.get(f"/web/tables/{table.id}/file")
    assert file.headers["Content-Disposition"].endswith('.pdn"') and "[Black" in file.text
    pictures = [(await office.client.get(f"/web/tables/{table.id}/board.svg?move={n}")).text for n in range(5)]
    assert all(picture.startswith("<svg") for picture in pictures) and len(set(pictures)) == 5
    turned = await office.client.get(f"/web/tables/{table.id}/board.svg?move=0&flip=true")
    assert turned.text != pictures[0] and turned.headers["Content-Security-Policy"] == "default-src 'none'"
    assert (await office.client.get(f"/web/tables/{table.id}/board.svg?move=6")).status_code == 400


@pytest.mark.parametrize("path", ["", "/file", "/board.svg", "/analysis"])
@pytest.mark.parametrize("id", ["nothing", "x" * 100, "%00"])
async def test_a_game_that_is_not_there_is_not_found(office: Office, id: str, path: str) -> None:
    assert (await get(office, f"/web/tables/{id}{path}", 404))["code"] == "match_not_found"


async def test_requests_are_counted_by_address(tmp_path: Path) -> None:
    async with opened(tmp_path, agent_rate_limit=2) as office:
        statuses = [(await office.client.get("/web/live")).status_code for _ in range(3)]
        assert statuses == [200, 200, 429]


async def room(office: Office, status: int = 201, **fields: Any) -> Any:
    body = {"game": "checkers", "opponent": "friend", "name": "Ann", **fields}
    answer = await office.client.post("/web/rooms", json=body)
    assert answer.status_code == status, answer.text
    return answer.json()


async def join(office: Office, code: str, status: int = 200) -> Any:
    answer = await office.client.post("/web/rooms/join", json={"code": code, "name": "Ben"})
    assert answer.status_code == status, answer.text
    return answer.json()


@pytest.mark.parametrize("game", ["checkers", "backgammon"])
async def test_two_guests_meet_by_a_code_and_keep_their_names(office: Office, game: str) -> None:
    made = await room(office, game=game)
    friend = await join(office, made["roomCode"].lower())
    assert friend["game"] == game and friend["sessionId"] == made["sessionId"]
    table = await office.seat(made["sessionToken"], friend["sessionToken"])
    assert {seat.name for seat in table.seats} == {"Ann", "Ben"}
    assert table.opening.mode == "training" and not table.opening.is_rated


async def test_a_room_has_two_places(office: Office) -> None:
    made = await room(office)
    await join(office, made["roomCode"])
    assert (await join(office, made["roomCode"], 409))["code"] == "room_full"
    assert (await join(office, "ABCDEF", 404))["code"] == "not_found"
    assert (await join(office, "no code", 400))["code"] == "invalid_input"


async def test_a_guest_may_wait_for_an_agent(office: Office) -> None:
    made = await room(office, opponent="agent")
    assert made["roomCode"] is None and (await office.platform.sessions.get(made["sessionId"])).match_type == "agent"


@pytest.mark.parametrize("fields", [{"game": "chess"}, {"opponent": "me"}, {"name": "x" * 41}, {"name": 7}])
async def test_what_is_no_room_is_refused(office: Office, fields: dict[str, Any]) -> None:
    assert (await room(office, 400, **fields))["code"] == "invalid_input"


async def test_the_pages_own_tenant_has_no_key(office: Office) -> None:
    await room(office)
    for key in ("page", "none", ""):
        assert (await office.ask("GET", "/v1/tenant", key=key or "x")).status_code == 401


async def test_without_guests_there_are_no_guest_rooms(tmp_path: Path) -> None:
    async with opened(tmp_path, guests=False) as office:
        assert (await room(office, 401))["code"] == "unauthorized"
        assert (await join(office, "ABCDEF", 401))["code"] == "unauthorized"
