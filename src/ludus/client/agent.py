"""What an agent is: a function from what it sees to what it does."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from inspect import isawaitable, iscoroutinefunction
from typing import Any, Final

from ludus.core.errors import BadInput

View = Mapping[str, Any]
"""The `view` of the contract: `board`, `legalMoves`, `yourColor` and so on. After a refusal also `refused`: why."""
Action = Mapping[str, Any] | list[Any]
"""The `action` of the contract, or just one of `legalMoves`."""
Agent = Callable[[View], Action | Awaitable[Action]]

RESIGN: Final = {"type": "resign"}
PASS: Final[dict[str, Any]] = {"type": "move", "moves": []}


def resigned() -> dict[str, Any]:
    """The action that gives a match up."""
    return dict(RESIGN)


async def ask(agent: Agent, view: View) -> dict[str, Any]:
    """The agent's action; where nothing can move it is not asked. It thinks in a thread, unless it is a coroutine."""
    if is_pass(view):
        return dict(PASS)
    chosen = agent(view) if iscoroutinefunction(agent) else await asyncio.to_thread(agent, view)
    return as_action(await chosen if isawaitable(chosen) else chosen)


def is_pass(view: View) -> bool:
    """Whether the only play is none, as happens in backgammon."""
    return "dice" in view and not any(view.get("legalMoves") or ())


def as_action(chosen: Any) -> dict[str, Any]:
    """A move as an action: a list is a play of backgammon, an object without a type a move of checkers."""
    if isinstance(chosen, list | tuple):
        return {"type": "move", "moves": list(chosen)}
    if isinstance(chosen, Mapping):
        return {"type": "move", **chosen}
    raise BadInput(f"an agent returns an action or one of legalMoves, not {str(chosen)[:60]!r}")
