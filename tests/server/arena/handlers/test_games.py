"""What can be read without a key."""

from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator
from tests.server.arena.arena_app import HOST, ArenaApp, with_app, with_strict_app

from ludus.games import GAMES

UNKNOWN = ["/api/games/chess", "/api/games/chess/validator", "/api/games/chess/rules", "/api/games/chess/strategy"]


@with_app
async def test_the_games_are_a_list(app: ArenaApp) -> None:
    games = await app.get("/api/games")
    assert [game["id"] for game in games] == list(GAMES)
    for game in games:
        assert set(game) == {
            "id", "name", "description", "minPlayers", "maxPlayers", "estimatedMinutes", "minMinutes", "maxMinutes",
            "tags",
        }  # fmt: skip
        assert (game["minPlayers"], game["maxPlayers"]) == (2, 2)
        assert (game["minMinutes"], game["maxMinutes"]) == (5, 20)
    tags = {game["id"]: " ".join(game["tags"]) for game in games}
    assert tags == {
        "backgammon": "perfect-info sequential 2-player classic stochastic",
        "checkers": "perfect-info deterministic sequential 2-player classic",
    }


@pytest.mark.parametrize(("tag", "found"), [
    ("stochastic", ["backgammon"]), ("deterministic", ["checkers"]), ("classic", ["checkers", "backgammon"]), ("x", []),
])  # fmt: skip
@with_app
async def test_a_tag_filters_them(app: ArenaApp, tag: str, found: list[str]) -> None:
    assert [game["id"] for game in await app.get(f"/api/games?tag={tag}")] == found


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_a_game_has_rules_and_numbers(app: ArenaApp, game: str) -> None:
    fresh = await app.get(f"/api/games/{game}")
    assert fresh["stats"] == {"matches": 0, "avgDurationSeconds": None, "decisivePercent": None}
    match, one, _ = await app.pair(game)
    app.clock.wait(90)
    await one.act(match, 1, {"type": "resign"})
    body = await app.get(f"/api/games/{game}")
    assert body["stats"] == {"matches": 1, "avgDurationSeconds": 90.0, "decisivePercent": 100.0}
    assert body["rules"] == (await app.get(f"/api/games/{game}/rules"))["content"]
    assert {key: body[key] for key in body if key not in ("rules", "stats")} in await app.get("/api/games")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("kind", ["rules", "strategy"])
@with_app
async def test_texts_have_a_version_that_changes_with_them(app: ArenaApp, game: str, kind: str) -> None:
    body = await app.get(f"/api/games/{game}/{kind}")
    assert set(body) == {"gameId", "version", "content"} and body["gameId"] == game
    assert body["content"].startswith(f"# {game.capitalize()}") and len(body["content"]) > 1500
    others = [await app.get(f"/api/games/{other}/{what}") for other in GAMES for what in ("rules", "strategy")]
    assert len({other["version"] for other in others}) == 4


@pytest.mark.parametrize("game", GAMES)
@with_app
async def test_the_validator_takes_what_is_offered(app: ArenaApp, game: str) -> None:
    schema = await app.get(f"/api/games/{game}/validator")
    Draft202012Validator.check_schema(schema)
    match, one, _ = await app.pair(game)
    action = one.choose(await one.state(match))
    assert Draft202012Validator(schema).is_valid(action)
    assert not Draft202012Validator(schema).is_valid({"type": "move"})


@pytest.mark.parametrize("path", UNKNOWN)
@with_app
async def test_a_game_that_is_not_played_here_is_not_found(app: ArenaApp, path: str) -> None:
    answer = await app.ask("GET", path)
    assert (answer.status_code, answer.json()) == (404, {"error": "game_not_found"})


@with_app
async def test_the_numbers_of_the_arena(app: ArenaApp) -> None:
    await app.pair("backgammon")
    alone = await app.agent()
    await alone.queue("checkers", lane="fast")
    body = await app.get("/api/stats")
    assert body == {
        "agents": 3,
        "queueDepth": {"checkers": 1, "backgammon": 0},
        "queueDepthByLane": {"checkers": {"fast": 1, "standard": 0}, "backgammon": {"fast": 0, "standard": 0}},
        "matchesPerDay": {"checkers": 0, "backgammon": 1},
    }
    app.clock.wait(24 * 60 * 60 + 1)
    assert (await app.get("/api/stats"))["matchesPerDay"]["backgammon"] == 0


@with_app
async def test_news_can_be_filtered_by_day_or_time(app: ArenaApp) -> None:
    items = (await app.get("/api/news"))["news"]
    assert items and all(set(item) == {"id", "date", "title", "body"} for item in items)
    newest = items[0]
    for since, is_included in (
        (newest["date"], True),
        (f"{newest['date']}T00:00:00Z", True),
        (f"{newest['date']}T00:00:00+01:00", True),
        (f"{newest['date']}T00:00:01", False),
        ("2999-01-01", False),
    ):
        found = (await app.client.get("/api/news", params={"since": since})).json()["news"]
        assert (newest in found) == is_included, since
    assert (await app.get("/api/news?since=2000-01-01"))["news"] == items
    assert [item["date"] for item in items] == sorted((item["date"] for item in items), reverse=True)


@pytest.mark.parametrize("since", ["", "yesterday", "2026-13-01", "1", "9" * 5000])
@with_app
async def test_what_is_no_day_is_refused(app: ArenaApp, since: str) -> None:
    answer = await app.ask("GET", f"/api/news?since={since}")
    assert (answer.status_code, answer.json()["error"]) == (400, "invalid_input")


@with_app
async def test_the_guide_is_plain_text_with_our_own_address(app: ArenaApp) -> None:
    answer = await app.ask("GET", "/api/guide")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert f'BASE = "{HOST}"' in answer.text and "{base}" not in answer.text


@with_app
async def test_the_guide_tells_the_usual_limits(app: ArenaApp) -> None:
    text = (await app.ask("GET", "/api/guide")).text
    assert "A turn may take 15 min in the fast lane and 65 min\nin the standard lane" in text
    assert "After 20 refused actions" in text and "64 open sockets" in text


@with_strict_app
async def test_the_guide_tells_what_the_operator_has_set(app: ArenaApp) -> None:
    text = (await app.ask("GET", "/api/guide")).text
    assert "After 3 refused actions" in text
    assert "turn may take 2.5 s in the fast lane" in text


@pytest.mark.parametrize("host", ['x"; import os', "a b", "x/y", "<b>", "a@b", "", "x" * 300])
@with_app
async def test_a_host_that_is_none_is_not_repeated(app: ArenaApp, host: str) -> None:
    answer = await app.ask("GET", "/api/guide", Host=host)
    assert answer.status_code == 200 and 'BASE = "http://127.0.0.1:8000"' in answer.text
    registered = await app.ask("POST", "/api/agents", {"name": "Deep Thought"}, Host=host)
    assert registered.json()["claim_url"].startswith("/claim?agent=")
