"""The puzzles' API: what it tells, and to whom."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.server.rest.rest_app import RestApp
from tests.server.web.test_people import ask, browser, me

from ludus.games import GAMES
from ludus.puzzles import Puzzle, puzzles
from ludus.puzzles.adapter import adapter
from ludus.puzzles.puzzle import replay
from ludus.server.web.languages import LANGUAGES
from ludus.service.player_keys import person_key
from ludus.service.ports.writes import PutPuzzleRating
from ludus.service.puzzles import DAY
from ludus.wire import codec

pytestmark = pytest.mark.anyio
STATIC = Path(__file__).parents[3] / "src/ludus/web/static/games"
LONG = next(each for each in puzzles("checkers") if len(each.moves) > 1)
SHORT = next(each for each in puzzles("backgammon") if "/" in each.moves[0])


def right(puzzle: Puzzle, number: int) -> dict[str, Any]:
    """The solver's move of this number, as the page sends it."""
    position = replay(puzzle, 2 * number)
    move = GAMES[puzzle.game].notation.read_move(position, puzzle.moves[2 * number])
    return codec(puzzle.game).rooms.move(position, move)


def wrong(puzzle: Puzzle, number: int) -> dict[str, Any]:
    rules, position = GAMES[puzzle.game], replay(puzzle, 2 * number)
    best = rules.play(position, rules.notation.read_move(position, puzzle.moves[2 * number]))
    move = next(each for each in rules.moves(position) if rules.play(position, each) != best)
    return codec(puzzle.game).rooms.move(position, move)


async def try_move(client: httpx2.AsyncClient, puzzle: Puzzle, number: int, move: Any, status: int = 200) -> Any:
    body = {"number": number, "move": move}
    return await ask(client, f"/web/puzzles/{puzzle.game}/{puzzle.id}/try", body, status)


async def get(client: httpx2.AsyncClient, path: str) -> Any:
    return await ask(client, f"/web/puzzles{path}", method="GET")


@pytest.mark.parametrize("game", GAMES)
def test_every_theme_has_a_name_in_every_language(game: str) -> None:
    for language in LANGUAGES:
        written = (STATIC / game / "themes" / f"{language}.js").read_text(encoding="utf-8")
        named = re.findall(r'^  "(\w+)": ".+",$', written, re.MULTILINE)
        assert sorted(named) == sorted(adapter(game).vocabulary), language


async def test_looking_at_puzzles_makes_nobody_and_shows_no_solution(app: RestApp) -> None:
    async with browser(app) as client:
        overview = await get(client, "")
        assert [each["game"] for each in overview["games"]] == list(GAMES)
        assert (overview["date"], overview["games"][0]["me"]) == ("2023-11-14", None)
        for path in (f"/{LONG.game}/{LONG.id}", "/checkers/next", "/backgammon/daily"):
            shown = await get(client, path)
            assert (shown["attempt"], shown["me"], shown["solution"], shown["number"]) == (None, None, None, 0)
            assert shown["moves"]
        assert await me(client) is None


@pytest.mark.parametrize("puzzle", [LONG, SHORT])
async def test_a_puzzle_is_solved_move_by_move(app: RestApp, puzzle: Puzzle) -> None:
    rooms, last = codec(puzzle.game).rooms, (len(puzzle.moves) - 1) // 2
    async with browser(app) as client:
        for number in range(last + 1):
            tried = await try_move(client, puzzle, number, right(puzzle, number))
            assert tried["isRight"] and tried["made"]["notation"] == puzzle.moves[2 * number]
            assert tried["isSolved"] == (number == last)
            if number < last:
                assert tried["attempt"] == {"state": "open", "rating": None} and tried["solution"] is None
                assert tried["reply"]["notation"] == puzzle.moves[2 * number + 1]
                assert tried["reply"]["board"] == rooms.packed_board(replay(puzzle, 2 * number + 2))
                again = await get(client, f"/{puzzle.game}/{puzzle.id}")
                assert (again["number"], again["board"]) == (number + 1, tried["reply"]["board"])
        assert tried["attempt"]["state"] == "solved"
        assert tried["attempt"]["rating"]["after"] == tried["me"]["rating"] > 1500
        assert (tried["me"]["streak"], tried["me"]["solved"], tried["me"]["tried"]) == (1, 1, 1)
        assert [each["notation"] for each in tried["solution"]["moves"]] == list(puzzle.moves)
        assert tried["solution"]["margin"] == puzzle.margin and tried["solution"]["themes"] == list(puzzle.themes)
        assert await try_move(client, puzzle, last, right(puzzle, last)) == tried
        person = await me(client)
        assert person["name"] == "Guest"
        (shown,) = (await ask(client, f"/web/people/{person['id']}", method="GET"))["puzzles"]
        assert shown == {"game": puzzle.game, **tried["me"]}


async def test_a_wrong_move_ends_the_attempt_and_tells_nothing_of_the_right_one(app: RestApp) -> None:
    async with browser(app) as client:
        tried = await try_move(client, LONG, 0, wrong(LONG, 0))
        assert tried.keys() == {"isRight", "isSolved", "notation", "attempt", "me", "solution"}
        assert (tried["isRight"], tried["attempt"]["state"], tried["solution"]) == (False, "failed", None)
        assert tried["attempt"]["rating"]["after"] < 1500
        assert await try_move(client, LONG, 0, wrong(LONG, 0)) == tried
        shown = await get(client, f"/{LONG.game}/{LONG.id}")
        assert (shown["number"], shown["solution"], shown["attempt"]) == (0, None, tried["attempt"])
        for number in range((len(LONG.moves) + 1) // 2):
            later = await try_move(client, LONG, number, right(LONG, number))
        assert later["isSolved"] and later["solution"] and later["me"] == tried["me"]
        assert later["attempt"] == tried["attempt"]


async def test_a_position_that_was_not_reached_is_not_shown(app: RestApp) -> None:
    path = f"/web/puzzles/{LONG.game}/{LONG.id}"
    async with browser(app) as client:
        await ask(client, f"{path}/moves", {"number": 1}, 400)
        await try_move(client, LONG, 1, right(LONG, 1), 400)
        assert await me(client) is None
        await try_move(client, LONG, 0, wrong(LONG, 0))
        await ask(client, f"{path}/moves", {"number": 1}, 400)
        first = await ask(client, f"{path}/moves", {"number": 0})
        assert right(LONG, 0) in first["moves"]
        tried = await try_move(client, LONG, 0, right(LONG, 0))
        assert (await ask(client, f"{path}/moves", {"number": 1}))["moves"] == tried["reply"]["moves"]


async def test_who_gives_up_sees_the_solution(app: RestApp) -> None:
    path = f"/web/puzzles/{SHORT.game}/{SHORT.id}"
    async with browser(app) as client:
        shown = await ask(client, f"{path}/solution")
        assert [each["notation"] for each in shown["solution"]["moves"]] == list(SHORT.moves)
        assert (shown["attempt"]["state"], shown["me"]["streak"]) == ("shown", 0)
        assert (await get(client, f"/{SHORT.game}/{SHORT.id}"))["solution"] == shown["solution"]


async def test_a_hint_is_the_theme_and_the_piece_and_costs_the_rating(app: RestApp) -> None:
    path = f"/web/puzzles/{LONG.game}/{LONG.id}"
    async with browser(app) as client:
        found = await ask(client, f"{path}/hint")
        assert found["hint"] == {"themes": list(LONG.themes), "place": right(LONG, 0)["from"], "number": 0}
        assert (found["attempt"], found["solution"]) == ({"state": "hinted", "rating": None}, None)
        assert (await try_move(client, LONG, 0, right(LONG, 0)))["attempt"] == found["attempt"]


async def test_refused_moves_are_explained(app: RestApp) -> None:
    body = {"number": 0, "position": 999, "explain": True}
    answer = await app.client.post(f"/web/puzzles/{LONG.game}/{LONG.id}/moves", json=body)
    assert (answer.status_code, answer.json()["code"]) == (400, "malformed")
    body = {"number": 0, "position": 0, "explain": True}
    found = (await app.client.post(f"/web/puzzles/{LONG.game}/{LONG.id}/moves", json=body)).json()
    assert found["refusal"]["reason"]


async def test_the_daily_puzzle_is_the_same_for_all_and_another_tomorrow(app: RestApp) -> None:
    async with browser(app) as one, browser(app) as two:
        today = (await get(one, "/checkers/daily"))["id"]
        assert today == (await get(two, "/checkers/daily"))["id"] == (await get(one, ""))["games"][0]["daily"]["id"]
        assert (await get(one, f"/checkers/{today}"))["isDaily"]
        app.clock.ms += DAY
        assert (await get(two, "/checkers/daily"))["id"] != today
        assert not (await get(one, f"/checkers/{today}"))["isDaily"]


async def test_the_next_puzzle_can_have_a_theme_and_is_not_the_one_that_is_skipped(app: RestApp) -> None:
    async with browser(app) as client:
        shown = await get(client, f"/checkers/next?theme={LONG.themes[0]}")
        theme = LONG.themes[0]
        found = next(each for each in puzzles("checkers") if each.id == shown["id"])
        assert theme in found.themes and theme in shown["themes"]
        assert (await get(client, f"/checkers/next?skip={shown['id']}"))["id"] != shown["id"]
        await ask(client, "/web/puzzles/checkers/next?theme=none", method="GET", status=404)


async def test_people_with_settled_ratings_are_ranked(app: RestApp) -> None:
    async with browser(app) as client:
        await try_move(client, SHORT, 0, right(SHORT, 0))
        person = await me(client)
        (own,) = await app.platform.store.puzzle_ratings_of(person_key(person["id"]))
        assert (await get(client, "/backgammon/leaders")) == {"leaders": []}
        settled = own._replace(deviation=60.0, opponents=5, games=2)
        await app.platform.store.commit(PutPuzzleRating(settled))
        (line,) = (await get(client, "/backgammon/leaders"))["leaders"]
        assert (line["rank"], line["person"]["id"], line["games"]) == (1, person["id"], 2)


async def test_what_is_stored_of_a_person_is_exported_and_deleted(app: RestApp) -> None:
    async with browser(app) as client:
        await try_move(client, SHORT, 0, right(SHORT, 0))
        key = person_key((await me(client))["id"])
        exported = (await client.get("/web/me/export")).json()
        assert [each["puzzle"] for each in exported["puzzleAttempts"]] == [SHORT.id]
        assert [each["game"] for each in exported["puzzleRatings"]] == ["backgammon"]
        assert [each["streak"] for each in exported["puzzleStreaks"]] == [1]
        await ask(client, "/web/me", method="DELETE")
        store = app.platform.store
        assert not await store.puzzle_ratings_of(key) and not await store.puzzle_streaks_of(key)
        assert await store.puzzle_attempt(key, SHORT.game, SHORT.id) is None


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        (f"checkers/{LONG.id}/try", {"number": 0, "move": {"from": 0, "to": 1}}, 400, "illegal_move"),
        (f"checkers/{LONG.id}/try", {"number": 0, "move": "1-5"}, 400, "malformed_move"),
        (f"checkers/{LONG.id}/try", {"number": -1, "move": {}}, 400, "invalid_input"),
        (f"checkers/{LONG.id}/try", {"number": 50, "move": {}}, 400, "bad_input"),
        ("checkers/unknown/try", {"number": 0, "move": {}}, 404, "not_found"),
        (f"backgammon/{LONG.id}/solution", {}, 404, "not_found"),
        ("chess/daily/hint", {}, 404, "not_found"),
        (f"checkers/{LONG.id}/moves", {"number": 0, "position": "x"}, 400, "malformed"),
    ],
)
async def test_what_makes_no_sense_is_refused(app: RestApp, path: str, body: Any, status: int, code: str) -> None:
    answer = await app.client.post(f"/web/puzzles/{path}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_only_the_page_itself_may_solve_for_somebody(app: RestApp) -> None:
    path = f"/web/puzzles/{SHORT.game}/{SHORT.id}/solution"
    answer = await app.client.post(path, json={}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403


@pytest.mark.parametrize(
    ("path", "status"),
    [("/puzzles", 200), ("/puzzles/checkers", 200), ("/puzzles/checkers/daily", 200), ("/puzzles/chess", 404),
     (f"/puzzles/checkers/{LONG.id}", 200), ("/puzzles/checkers/unknown", 404), ("/puzzles/chess/daily", 404)],
)  # fmt: skip
async def test_unknown_puzzles_have_no_page(app: RestApp, path: str, status: int) -> None:
    assert (await app.client.get(path, headers={"Accept": "text/html"})).status_code == status
