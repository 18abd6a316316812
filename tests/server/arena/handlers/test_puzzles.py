"""Puzzles for agents."""

from __future__ import annotations

from typing import Any

import pytest
from tests.server.arena.arena_app import Agent, ArenaApp, with_app

from ludus.games import GAMES
from ludus.puzzles import Puzzle, puzzles
from ludus.puzzles.puzzle import replay
from ludus.service.puzzles import DAY
from ludus.wire import codec

LONG = next(each for each in puzzles("checkers") if len(each.moves) > 1)
SHORT = next(each for each in puzzles("backgammon") if "/" in each.moves[0])
CUBE = next(each for each in puzzles("backgammon") if each.moves == ("take",))


def action(puzzle: Puzzle, number: int) -> dict[str, Any]:
    position = replay(puzzle, 2 * number)
    move = GAMES[puzzle.game].notation.read_move(position, puzzle.moves[2 * number])
    return codec(puzzle.game).arena.action(position, move)


async def attempt(agent: Agent, puzzle: Puzzle, number: int, given: Any) -> Any:
    return await agent.must("POST", f"/api/puzzles/{puzzle.id}/attempt", {"number": number, "action": given})


@pytest.mark.parametrize("puzzle", [LONG, SHORT, CUBE], ids=["line", "play", "cube"])
@with_app
async def test_an_agent_solves_a_puzzle_move_by_move(app: ArenaApp, puzzle: Puzzle) -> None:
    agent = await app.agent()
    shown = await agent.must("GET", f"/api/puzzles/{puzzle.id}")
    assert (shown["gameId"], shown["position"], shown["number"]) == (puzzle.game, puzzle.position, 0)
    assert shown["view"]["isYourTurn"] and shown["view"]["you"] == agent.id
    assert (shown["attempt"], shown["solution"], shown["standing"]["rating"]) == (None, None, 1500)
    last = (len(puzzle.moves) - 1) // 2
    for number in range(last + 1):
        judged = await attempt(agent, puzzle, number, action(puzzle, number))
        assert (judged["isRight"], judged["isSolved"]) == (True, number == last)
        assert judged["reply"] == (None if number == last else puzzle.moves[2 * number + 1])
        assert judged["puzzle"]["number"] == (0 if number == last else number + 1)
        assert (judged["puzzle"]["solution"] is None) == (number < last)
    found = judged["puzzle"]
    assert found["attempt"]["state"] == "solved" and found["solution"]["moves"] == list(puzzle.moves)
    assert found["attempt"]["rating"]["after"] == found["standing"]["rating"] > 1500
    assert (found["standing"]["streak"], found["standing"]["solved"]) == (1, 1)
    assert await attempt(agent, puzzle, last, action(puzzle, last)) == judged


@with_app
async def test_a_wrong_move_fails_and_a_resignation_shows_the_solution(app: ArenaApp) -> None:
    agent = await app.agent()
    view = (await agent.must("GET", f"/api/puzzles/{LONG.id}"))["view"]
    right = action(LONG, 0)
    wrong = next(move for move in view["legalMoves"] if {"type": "move", **move} != right)
    judged = await attempt(agent, LONG, 0, {"type": "move", **wrong})
    assert (judged["isRight"], judged["reply"], judged["puzzle"]["solution"]) == (False, None, None)
    assert judged["puzzle"]["attempt"]["state"] == "failed" and judged["puzzle"]["standing"]["rating"] < 1500
    shown = await attempt(agent, LONG, 0, {"type": "resign"})
    assert (shown["notation"], shown["puzzle"]["attempt"]["state"]) == (None, "shown")
    assert shown["puzzle"]["solution"]["moves"] == list(LONG.moves)
    exported = await agent.must("GET", "/api/agents/me/export")
    assert [each["puzzle"] for each in exported["puzzleAttempts"]] == [LONG.id]


@with_app
async def test_the_next_puzzle_is_new_and_the_daily_one_is_everybodys(app: ArenaApp) -> None:
    one, two = await app.agent(), await app.agent()
    first = await one.must("GET", "/api/puzzles/next?gameId=checkers&theme=shot")
    await attempt(one, next(each for each in puzzles("checkers") if each.id == first["id"]), 0, {"type": "resign"})
    for _ in range(5):
        assert (await one.must("GET", "/api/puzzles/next?gameId=checkers&theme=shot"))["id"] != first["id"]
    daily = await one.must("GET", "/api/puzzles/daily?gameId=backgammon")
    assert daily["isDaily"] and daily["id"] == (await two.must("GET", "/api/puzzles/daily?gameId=backgammon"))["id"]
    app.clock.wait(DAY / 1000)
    assert (await two.must("GET", "/api/puzzles/daily?gameId=backgammon"))["id"] != daily["id"]


@with_app
async def test_what_makes_no_sense_is_refused(app: ArenaApp) -> None:
    agent, path = await app.agent(), f"/api/puzzles/{LONG.id}/attempt"
    for body, error in (
        ({"number": 1, "action": action(LONG, 1)}, "invalid_input"),
        ({"number": "x", "action": action(LONG, 0)}, "invalid_input"),
        ({"number": 0, "action": {"type": "move", "from": 1, "to": 32}}, "invalid_action"),
        ({"number": 0, "action": {"type": "dance"}}, "invalid_input"),
        ({"number": 0, "action": {"type": "accept_resignation"}}, "invalid_input"),
    ):
        answer = await agent.ask("POST", path, body)
        assert (answer.status_code, answer.json()["error"]) == (400, error), body
    assert (await agent.must("GET", f"/api/puzzles/{LONG.id}"))["attempt"] is None
    assert (await agent.ask("GET", "/api/puzzles/unknown")).status_code == 404
    assert (await agent.ask("GET", "/api/puzzles/next?gameId=checkers&theme=none")).status_code == 404
    assert (await app.ask("GET", "/api/puzzles/next?gameId=checkers")).status_code == 401
