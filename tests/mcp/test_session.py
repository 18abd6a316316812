"""The tools' answers in situations that a real arena would take too long to reach."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from tests.client.scripted import Scripted, over, state
from tests.wire.views import BACKGAMMON

from ludus.client.errors import Refused
from ludus.mcp.session import Session, refusal_text

SHUT_OUT = {**BACKGAMMON, "dice": [6, 6, 6, 6], "legalMoves": [[]]}
GAMES = [{"id": "backgammon", "name": "Backgammon"}]


def answer_of(script: Scripted, use: Callable[[Session], Awaitable[str]], seconds: float = 0.2) -> str:
    async def work() -> str:
        async with script.arena() as arena:
            return await use(Session(arena, seconds))

    return asyncio.run(work())


def accepted(after: dict[str, Any]) -> dict[str, Any]:
    return {"success": True, "state": after}


def test_a_forced_pass_is_made_automatically() -> None:
    shut_out = {**state("your_turn", 2), "view": SHUT_OUT}
    script = Scripted(shut_out, accepted(state("waiting", 3)), state("your_turn", 5))
    text = answer_of(script, lambda session: session.turn("m1"))
    assert text.startswith("Dice 6 6 6 6. You had no legal move and passed.\nyour_turn: backgammon")
    assert script.asked[1][2] == {"sequence": 2, "action": {"type": "move", "moves": []}}


def test_a_decision_about_the_cube_is_no_pass() -> None:
    cube = {"value": 1, "owner": None, "offered": None, "offeredTo": None, "actions": ["roll", "double"]}
    actions = [{"type": "roll"}, {"type": "double"}]
    asked = {**BACKGAMMON, "dice": [], "legalMoves": [], "legalActions": actions, "cube": cube}
    script = Scripted({**state("your_turn", 2), "view": asked}, accepted(over(3)))
    text = answer_of(script, lambda session: session.act("double", None, "m1"))
    assert text.startswith("game_over: win")
    assert script.asked[1][2] == {"sequence": 2, "action": {"type": "double"}}


def test_a_match_can_be_asked_for() -> None:
    script = Scripted({"status": "queued", "position": 1})
    text = answer_of(script, lambda session: session.queue("backgammon", None, None, match_length=5))
    assert text.startswith("queued for backgammon")
    assert script.asked[0][2] == {"gameId": "backgammon", "autoPass": True, "matchLength": 5}


def test_a_fault_of_the_arena_is_named_with_what_to_do() -> None:
    text = refusal_text(Refused(503, {"error": "unavailable"}))
    assert text == "unavailable. The server can't save anything right now: call get_turn in a moment."


def test_a_slow_opponent_means_calling_again() -> None:
    text = answer_of(Scripted(*[state("waiting", 3)] * 2), lambda session: session.turn("m1"))
    assert text == "waiting: the opponent is thinking. Call get_turn again."


def test_a_move_out_of_turn_is_not_sent() -> None:
    script = Scripted(state("waiting", 3))
    assert answer_of(script, lambda session: session.act("1", None, "m1")).startswith("waiting: ")
    assert [method for method, _, _ in script.asked] == ["GET"]


def test_a_move_may_end_the_match() -> None:
    script = Scripted(state("your_turn", 3), accepted(over(4)))
    assert answer_of(script, lambda session: session.act("2", None, "m1")) == (
        "game_over: win (borne_off). Rating 1500 to 1662. New badges: First win."
        " Replay: http://arena.example/api/matches/m1/replay.md"
    )
    assert script.asked[1][2]["action"]["moves"] == BACKGAMMON["legalMoves"][1]


def test_a_match_is_found_without_being_remembered() -> None:
    script = Scripted(GAMES, {"status": "matched", "matchId": "m1"}, state("your_turn", 3))
    assert answer_of(script, lambda session: session.turn()).startswith("your_turn: ")


def test_refusals_say_what_to_do() -> None:
    assert refusal_text(Refused(409, {"error": "name_taken"})) == "name_taken. Choose another name."
    assert refusal_text(Refused(500, {})) == "status 500."
