"""What an agent is: a function from a view of the match to an action."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable, iscoroutinefunction
from typing import Any

from ludus.wire.actions import PASS, RESIGN, as_action, is_pass

View = Mapping[str, Any]
"""The `view` of the contract: `board`, `legalMoves`, `yourColor` and so on; `refused` says why an action was refused.
With a time control, `clock` has `yourMs` and `opponentMs`; with a doubling cube, `legalActions` has all actions."""
Action = Mapping[str, Any] | list[Any]
"""The `action` of the contract, or just one of `legalMoves` or `legalActions`."""
Agent = Callable[[View], Action | Awaitable[Action]]


def resigned() -> dict[str, Any]:
    """The action that resigns a match."""
    return dict(RESIGN)


async def ask(agent: Agent, view: View) -> dict[str, Any]:
    """The agent's action, or a pass if there is no legal move. A plain function runs in a thread of its own."""
    if is_pass(view):
        return dict(PASS)
    chosen = agent(view) if iscoroutinefunction(agent) else await asyncio.to_thread(agent, view)
    return as_action(await chosen if isawaitable(chosen) else chosen)
