"""The lessons' API, and that every step can be solved and has its texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.server.rest.rest_app import RestApp

from ludus.games import GAMES
from ludus.lessons import lesson
from ludus.server.web.languages import LANGUAGES

pytestmark = pytest.mark.anyio
STATIC = Path(__file__).parents[3] / "src/ludus/web/static/games"


@pytest.mark.parametrize("game", GAMES)
def test_every_step_can_be_solved_and_says_what_to_do_in_every_language(game: str) -> None:
    steps, rules = lesson(game), GAMES[game]
    assert len({step.name for step in steps}) == len(steps) == 10
    for step in steps:
        moves = [rules.notation.write_move(step.position, move) for move in rules.moves(step.position)]
        assert any(map(step.is_right, moves)), step.name
    for language in LANGUAGES:
        written = (STATIC / game / "lesson" / f"{language}.js").read_text()
        for step in steps:
            assert f'"{step.name}.task": "' in written and f'"{step.name}.done": "' in written


@pytest.mark.parametrize("game", GAMES)
async def test_solutions_are_right(app: RestApp, game: str) -> None:
    steps = (await app.client.get(f"/web/lessons/{game}")).json()["steps"]
    for number, step in enumerate(steps):
        body = {"step": number, "move": step["solution"]}
        tried = (await app.client.post(f"/web/lessons/{game}/try", json=body)).json()
        assert tried["isRight"] and tried["board"] != step["board"]


async def test_another_legal_move_is_not_right(app: RestApp) -> None:
    step = (await app.client.get("/web/lessons/checkers")).json()["steps"][4]
    shorter = next(move for move in step["moves"] if len(move["captures"]) == 1)
    tried = (await app.client.post("/web/lessons/checkers/try", json={"step": 4, "move": shorter})).json()
    assert (tried["isRight"], tried["notation"]) == (False, "11x18")


async def test_steps_of_a_play_are_listed_one_by_one(app: RestApp) -> None:
    body = {"step": 3, "soFar": [{"from": "bar", "to": 23}]}
    moves = (await app.client.post("/web/lessons/backgammon/moves", json=body)).json()["moves"]
    assert sorted(move["from"] for move in moves) == [8, 13, 24]


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        ("checkers/try", {"step": 10, "move": {}}, 404, "not_found"),
        ("checkers/try", {"step": -1, "move": {}}, 400, "invalid_input"),
        ("checkers/try", {"step": 0, "move": {"from": 0, "to": 1}}, 400, "illegal_move"),
        ("nothing/try", {"step": 0, "move": {}}, 404, "not_found"),
        ("backgammon/moves", {"step": 0, "soFar": "no"}, 400, "malformed"),
    ],
)
async def test_what_makes_no_sense_is_refused(app: RestApp, path: str, body: Any, status: int, code: str) -> None:
    answer = await app.client.post(f"/web/lessons/{path}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
