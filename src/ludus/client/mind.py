"""An agent in one match: it is asked once for each turn, however often the turn is told."""

from __future__ import annotations

from typing import Any, Final

from ludus.client.agent import Agent, View, ask
from ludus.client.errors import Refused

TRIES: Final = 3
"""How often an agent is asked about one turn if its actions are refused."""
AGENTS_FAULT: Final = frozenset({"invalid_action", "invalid_input"})
MOVED_ON: Final = frozenset({"stale_sequence", "not_your_turn", "game_already_over"})
"""The match is elsewhere than the client thought; looking again helps."""


class Mind:
    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._sequence = -1
        self._view: View = {}
        self._action: dict[str, Any] | None = None
        self._refusals: list[dict[str, Any]] = []

    async def answer(self, sequence: int, view: View) -> dict[str, Any]:
        """The action for a turn; told again, the same turn gets the same action, which may be sent twice."""
        if sequence != self._sequence:
            self._sequence, self._view, self._action, self._refusals = sequence, view, None, []
        if self._action is None:
            self._action = await ask(self._agent, {**view, **self._reproach()})
        return self._action

    async def think_again(self, refusal: Refused) -> dict[str, Any]:
        """Another action for the same turn; the agent finds in `refused` what was wrong with the last."""
        self._refusals.append({"action": self._action, "error": refusal.error, "details": refusal.details})
        if len(self._refusals) >= TRIES:
            raise refusal
        self._action = None
        return await self.answer(self._sequence, self._view)

    @property
    def sequence(self) -> int:
        return self._sequence

    @property
    def action(self) -> dict[str, Any] | None:
        """What it wants to do in the last turn told."""
        return self._action

    def _reproach(self) -> dict[str, Any]:
        return {"refused": self._refusals[-1]} if self._refusals else {}
