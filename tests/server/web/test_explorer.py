"""The opening explorer over HTTP, for the page and for agents."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.rest.rest_app import RestApp
from tests.service.test_explorer import PEOPLE, Stored, finish, put

from ludus.games import GAMES
from ludus.service.ports.writes import DropTable

pytestmark = pytest.mark.anyio

LINE = ("11-15", "23-19")


async def store(app: RestApp, *games: Stored) -> None:
    await put(app.platform.store, games)
    while await app.platform.explorer.count():
        pass


async def explore(app: RestApp, game: str = "checkers", **query: str) -> Any:
    answer = await app.client.get(f"/web/explorer/{game}", params=query)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_the_start_of_a_game_is_shown_with_results_names_and_examples(app: RestApp) -> None:
    await store(app, finish("t1", line=LINE, moves=2), finish("t2", line=("9-13", "22-18"), moves=3, seats=PEOPLE))
    found = await explore(app)
    assert found["gameId"] == "checkers" and found["position"].startswith("B:W21")
    assert (found["games"], found["wins"], found["draws"], found["losses"]) == (2, 1, 0, 1)
    assert (found["name"], found["ballot"]) == (None, None)
    lost = {"move": "11-15", "name": "Old Faithful", "ballot": None, "games": 1, "wins": 0, "draws": 0, "losses": 1}
    shown = next(move for move in found["moves"] if move["move"] == "11-15")
    assert lost.items() <= shown.items() and shown["rating"] is None and shown["lastPlayedAt"].startswith("2023-11-14")
    assert {match["id"]: [player["name"] for player in match["players"]] for match in found["examples"]} == {
        "t1": ["Ada", "Bob"],
        "t2": ["Pia", "Quin"],
    }
    after = await explore(app, position=shown["position"])
    assert [move["move"] for move in after["moves"]] == ["23-19"] and after["name"] == "Old Faithful"


async def test_agents_see_matches_of_agents_only(app: RestApp) -> None:
    await store(app, finish("t1", line=LINE, moves=2), finish("t2", line=("9-13", "22-18"), moves=3, seats=PEOPLE))
    found = (await app.client.get("/api/explorer?gameId=checkers")).json()
    assert found["games"] == 2 and [match["id"] for match in found["examples"]] == ["t1"]
    assert "Pia" not in str(found)


@pytest.mark.parametrize("game", GAMES)
async def test_nothing_stored_is_nothing_shown(app: RestApp, game: str) -> None:
    found = await explore(app, game)
    assert (found["games"], found["moves"], found["examples"]) == (0, [], [])


async def test_what_has_not_changed_is_not_sent_again(app: RestApp) -> None:
    first = await app.client.get("/web/explorer/checkers")
    again = await app.client.get("/web/explorer/checkers", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


async def test_a_deleted_game_is_no_example(app: RestApp) -> None:
    game = finish("t1", line=LINE, moves=2)
    await store(app, game)
    await app.platform.store.commit(DropTable(game.row))
    found = await explore(app)
    assert (found["games"], found["examples"]) == (1, [])


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/web/explorer/nothing", 404, "not_found"),
        ("/web/explorer/checkers?position=", 400, "malformed_position"),
        ("/web/explorer/checkers?position=B:W99:B1", 400, "malformed_position"),
        (f"/web/explorer/checkers?position={'B:W1' + ',2' * 2000}", 400, "malformed_position"),
        ("/web/explorer/backgammon?position=XGID=%00", 400, "malformed_position"),
        ("/api/explorer", 400, "invalid_input"),
        ("/api/explorer?gameId=nothing", 404, "game_not_found"),
        ("/api/explorer?gameId=checkers&position=x", 400, "malformed_position"),
    ],
)
async def test_bad_questions_get_a_code(app: RestApp, path: str, status: int, code: str) -> None:
    answer = await app.client.get(path)
    assert answer.status_code == status and code in answer.text
