"""What an agent may return, and when it is asked."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from tests.wire.views import BACKGAMMON

from ludus.client import Agent, View, resigned
from ludus.client.agent import ask
from ludus.core.errors import BadInput
from ludus.wire.actions import as_action

STEPS = [{"from": 8, "to": 5}, {"from": 6, "to": 5}]


@pytest.mark.parametrize(("chosen", "action"), [
    (STEPS, {"type": "move", "moves": STEPS}),
    ([], {"type": "move", "moves": []}),
    ({"from": 11, "to": 15}, {"type": "move", "from": 11, "to": 15}),
    ({"type": "move", "moves": STEPS}, {"type": "move", "moves": STEPS}),
    (resigned(), {"type": "resign"}),
])  # fmt: skip
def test_a_legal_move_can_be_returned_as_an_action(chosen: Any, action: dict[str, Any]) -> None:
    assert as_action(chosen) == action


@pytest.mark.parametrize("chosen", ["8/5 6/5", None, 3])
def test_anything_else_is_an_error(chosen: Any) -> None:
    with pytest.raises(BadInput, match="an agent returns an action or one of legalMoves"):
        as_action(chosen)


@pytest.mark.parametrize("moves", [[], [[]]])
def test_an_agent_without_a_legal_move_is_not_asked(moves: list[Any]) -> None:
    def agent(view: View) -> Any:
        raise AssertionError("asked")

    assert asyncio.run(ask(agent, {**BACKGAMMON, "legalMoves": moves})) == {"type": "move", "moves": []}


def test_a_function_runs_in_a_thread_and_a_coroutine_does_not() -> None:
    places: list[bool] = []

    def think(view: View) -> Any:
        places.append(threading.current_thread() is threading.main_thread())
        return view["legalMoves"][0]

    async def think_along(view: View) -> Any:
        return think(view)

    agents: list[Agent] = [think, think_along]
    for agent in agents:
        assert asyncio.run(ask(agent, BACKGAMMON)) == {"type": "move", "moves": STEPS}
    assert places == [False, True]
