"""Whose call it is: the one agent of this process, or one of many that bring their keys."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from mcp.server.mcpserver.exceptions import ToolError

from ludus.client.arena import Arena
from ludus.client.errors import Refused
from ludus.client.keys import Keyring
from ludus.client.run import join
from ludus.core.errors import LudusError
from ludus.mcp.desk import Desk, refusal_text

MOST_AGENTS: Final = 10_000
"""Whose matches are remembered; for others the arena is asked."""


class Identity(NamedTuple):
    """The agent that a process plays as, from its first call on."""

    name: str
    model: str | None = None


class Seats:
    """With a keyring there is one agent, whose key is kept there; without, every call has to bring a key.

    Where an identity is given that agent is the only one, whatever a caller brings.
    """

    def __init__(self, url: str, keys: Keyring | None, identity: Identity | None, seconds: float) -> None:
        self._url = url
        self._keys = keys
        self._identity = identity
        self._seconds = seconds
        self._key: str | None = None
        self._matches: OrderedDict[str, str | None] = OrderedDict()

    @property
    def is_alone(self) -> bool:
        """Whether one agent plays here, and no call need say which."""
        return self._keys is not None

    @asynccontextmanager
    async def arena(self, key: str | None = None) -> AsyncIterator[Arena]:
        """An open line; what goes wrong is told to the model."""
        try:
            async with Arena(self._url, key) as arena:
                yield arena
        except Refused as refusal:
            raise ToolError(refusal_text(refusal)) from refusal
        except LudusError as error:
            raise ToolError(str(error)) from error

    @asynccontextmanager
    async def desk(self, headers: Mapping[str, str] | None, key: str | None) -> AsyncIterator[Desk]:
        key = await self._own_key() if self._keys else key or _bearer(headers)
        if key is None:
            raise ToolError(
                "not registered: call register_agent first" + ("" if self._keys else ", then pass agentKey")
            )
        async with self.arena(key) as arena:
            desk = Desk(arena, self._seconds)
            desk.match = self._matches.get(key)
            try:
                yield desk
            finally:
                self._remember(key, desk.match)

    async def register(self, name: str, model: str | None) -> str:
        if self._identity and name != self._identity.name:
            raise ToolError(f"this server plays as {self._identity.name}: call queue_match")
        async with self.arena() as arena:
            if self._keys:
                made = await join(arena, name, model, self._keys)
                self._key = arena.line.key
                news = "registered" if made else "already registered"
                hint = ""
            else:
                made = await arena.register(name, model)
                news, hint = "registered", f"\nagentKey: {made.key}\nPass it with every call; it is shown only now."
        claim = f" Your operator may claim you at {made.claim_url} with {made.verification_code}." if made else ""
        return f"{news} as {name}.{hint}{claim}"

    async def _own_key(self) -> str | None:
        if self._key is None and self._keys and self._identity:
            await self.register(*self._identity)
        return self._key

    def _remember(self, key: str, match: str | None) -> None:
        self._matches[key] = match
        self._matches.move_to_end(key)
        while len(self._matches) > MOST_AGENTS:
            self._matches.popitem(last=False)


def _bearer(headers: Mapping[str, str] | None) -> str | None:
    scheme, _, key = (headers or {}).get("authorization", "").partition(" ")
    return key.strip() or None if scheme.lower() == "bearer" else None
