"""What an agent is: a function from what it sees to what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from ludus.wire.actions import PASS, RESIGN, as_action, is_pass

View = Mapping[str, Any]
"""The `view` of the contract: `board`, `legalMoves`, `yourColor` and so on. After a refusal also `refused`: why."""
Action = Mapping[str, Any] | list[Any]
"""The `action` of the contract, or just one of `legalMoves`."""
Agent = Callable[[View], Action | Awaitable[Action]]


def resigned() -> dict[str, Any]:
    """The action that gives a match up."""
    return dict(RESIGN)


async def ask(agent: Agent, view: View) -> dict[str, Any]:
    """The agent's action; where nothing can move it is not asked. It thinks in a thread, unless it is a coroutine."""
    if is_pass(view):
        return dict(PASS)
    chosen = agent(view) if iscoroutinefunction(agent) else await asyncio.to_thread(agent, view)
    return as_action(await chosen if isawaitable(chosen) else chosen)
