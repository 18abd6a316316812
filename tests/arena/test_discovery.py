"""What can be found out without a key."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from typing import Any

import jsonschema
import pytest

from .client import Agent, Visitor, refusal
from .players import mover_first, paired

GAMES = ("backgammon", "checkers")
TAGS = {
    "backgammon": {"perfect-info", "sequential", "2-player", "classic", "stochastic"},
    "checkers": {"perfect-info", "deterministic", "sequential", "2-player", "classic"},
}


def test_the_games_are_a_list(visitor: Visitor) -> None:
    games = visitor.get("/api/games")
    assert isinstance(games, list)
    assert {game["id"] for game in games} == set(GAMES)
    for game in games:
        assert set(game) >= {"id", "name", "description", "minPlayers", "maxPlayers", "estimatedMinutes", "tags"}
        assert game["minPlayers"] == game["maxPlayers"] == 2
        assert set(game["tags"]) == TAGS[game["id"]]


@pytest.mark.parametrize(
    ("tag", "found"),
    [("stochastic", {"backgammon"}), ("deterministic", {"checkers"}), ("classic", set(GAMES)), ("x", set())],
)
def test_games_are_found_by_tag(visitor: Visitor, tag: str, found: set[str]) -> None:
    assert {game["id"] for game in visitor.get("/api/games", tag=tag)} == found


@pytest.mark.parametrize("game", GAMES)
def test_a_game_tells_its_rules_and_its_statistics(visitor: Visitor, game: str) -> None:
    found = visitor.get(f"/api/games/{game}")
    assert len(found["rules"]) > 200
    assert set(found["stats"]) >= {"matches", "avgDurationSeconds", "decisivePercent"}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", ["rules", "strategy"])
def test_there_are_texts_worth_reading(visitor: Visitor, game: str, text: str) -> None:
    found = visitor.get(f"/api/games/{game}/{text}")
    assert found["gameId"] == game and isinstance(found["version"], str) and found["version"]
    assert len(found["content"]) > 500 and "#" in found["content"]


@pytest.mark.parametrize("path", ["", "/validator", "/rules", "/strategy"])
def test_an_unknown_game_is_not_found(visitor: Visitor, path: str) -> None:
    assert refusal(visitor.ask("GET", f"/api/games/chess{path}")) == (404, "game_not_found")


@pytest.mark.parametrize("game", GAMES)
def test_the_validator_knows_the_legal_moves_of_a_view(
    visitor: Visitor, new_agent: Callable[[], Agent], game: str
) -> None:
    schema = visitor.get(f"/api/games/{game}/validator")
    agents = [new_agent(), new_agent()]
    match = paired(game, agents)
    first, _ = mover_first(match, agents)
    moves = first.state(match.id)["view"]["legalMoves"]
    for move in moves:
        assert accepts(schema, {"type": "move", "moves": move} if game == "backgammon" else {"type": "move", **move})
    assert accepts(schema, {"type": "resign"})


def accepts(schema: Any, value: Any) -> bool:
    return bool(jsonschema.Draft202012Validator(schema).is_valid(value))


WELL_FORMED: dict[str, list[Any]] = {
    "backgammon": [
        {"type": "move", "moves": []},
        {"type": "move", "moves": [{"from": "bar", "to": 1}, {"from": 24, "to": "off"}]},
        {"type": "move", "moves": [{"from": 6, "to": 5}] * 4},
    ],
    "checkers": [
        {"type": "move", "from": 1, "to": 32},
        {"type": "move", "from": 1, "to": 10, "captures": [6]},
        {"type": "move", "from": 1, "to": 10, "path": [1, 10]},
    ],
}
ILL_FORMED: dict[str, list[Any]] = {
    "backgammon": [
        {"type": "move"},
        {"type": "move", "moves": [{"from": 6, "to": 5}] * 5},
        {"type": "move", "moves": [{"from": 0, "to": 5}]},
        {"type": "move", "moves": [{"from": 25, "to": 5}]},
        {"type": "move", "moves": [{"from": "off", "to": 5}]},
        {"type": "move", "moves": [{"from": 6, "to": "bar"}]},
        {"type": "move", "moves": [{"from": 6}]},
        {"type": "move", "moves": [[6, 5]]},
        {"type": "move", "moves": [{"from": 6.5, "to": 5}]},
        {"type": "move", "moves": {"from": 6, "to": 5}},
    ],
    "checkers": [
        {"type": "move", "from": 1},
        {"type": "move", "from": 0, "to": 1},
        {"type": "move", "from": 1, "to": 33},
        {"type": "move", "from": "1", "to": 2},
        {"type": "move", "from": True, "to": 2},
        {"type": "move", "from": 1, "to": 10, "captures": 6},
        {"type": "move", "from": 1, "to": 10, "captures": [40]},
        {"type": "move", "from": 1, "to": 10, "path": [1]},
    ],
}
NONSENSE: list[Any] = [{}, {"type": "pass"}, {"type": None}, {"type": "MOVE"}, {"moves": []}]


@pytest.mark.parametrize("game", GAMES)
def test_the_validator_takes_what_the_server_takes(visitor: Visitor, new_agent: Callable[[], Agent], game: str) -> None:
    """The server says `invalid_input` of exactly what the schema refuses; the rest is a matter of the rules."""
    schema = visitor.get(f"/api/games/{game}/validator")
    for action, is_fine in [(a, True) for a in WELL_FORMED[game]] + [(a, False) for a in ILL_FORMED[game] + NONSENSE]:
        assert accepts(schema, action) is is_fine, action
    agents = [new_agent(), new_agent()]
    match = paired(game, agents)
    first, _ = mover_first(match, agents)
    for number, action in enumerate(WELL_FORMED[game] + ILL_FORMED[game] + NONSENSE):
        if number % 15 == 14:  # before too many are refused
            agents = [new_agent(), new_agent()]
            match = paired(game, agents)
            first, _ = mover_first(match, agents)
        answer = first.try_action(match.id, first.state(match.id)["sequence"], action)
        error = refusal(answer)[1] if answer.status_code != 200 else ""
        assert (error == "invalid_input") is (not accepts(schema, action)), (action, answer.text)


def test_there_are_statistics(visitor: Visitor, new_agent: Callable[[], Agent]) -> None:
    before = visitor.get("/api/stats")
    agent = new_agent()
    agent.queue("checkers", lane="fast")
    after = visitor.get("/api/stats")
    agent.leave("checkers")
    assert after["agents"] == before["agents"] + 1
    assert "checkers" in json.dumps(after)


def test_there_are_news(visitor: Visitor) -> None:
    assert visitor.ask("GET", "/api/news").status_code == 200
    tomorrow = datetime.date.today() + datetime.timedelta(days=1)
    later = visitor.get("/api/news", since=str(tomorrow))
    assert [item for items in later.values() if isinstance(items, list) for item in items] == []
    assert refusal(visitor.ask("GET", "/api/news", since="soon")) == (400, "invalid_input")


def test_the_guide_is_plain_text_with_all_that_an_agent_needs(visitor: Visitor) -> None:
    answer = visitor.ask("GET", "/api/guide")
    assert answer.headers["content-type"].startswith("text/plain")
    for word in ("/api/agents", "/api/matchmaking/queue", "/state", "/action", "/ws/agent", "/ws/game", "sequence"):
        assert word in answer.text, word


def test_there_is_a_document_of_all_addresses(visitor: Visitor) -> None:
    document = visitor.get("/api/docs/json")
    assert document["openapi"].startswith("3.")
    assert "/api/matches/{id}/action" in document["paths"]


@pytest.mark.parametrize("game", GAMES)
def test_there_is_a_leaderboard(visitor: Visitor, game: str) -> None:
    assert visitor.ask("GET", "/api/leaderboard", gameId=game, limit="5").status_code == 200
    assert refusal(visitor.ask("GET", "/api/leaderboard", gameId="chess")) == (404, "game_not_found")
    assert refusal(visitor.ask("GET", "/api/leaderboard", gameId=game, limit="many")) == (400, "invalid_input")


@pytest.mark.parametrize(("method", "path"), [("GET", "/api/nothing"), ("POST", "/api/games"), ("GET", "/api")])
def test_what_is_not_there_is_said_in_the_same_form(visitor: Visitor, method: str, path: str) -> None:
    assert refusal(visitor.ask(method, path))[0] in (404, 405)
