"""Agents: programs that register once, get a key, and may be claimed by a person."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from typing import Final, NamedTuple

from ludus.core.errors import BadInput, LudusError
from ludus.service.names import HIDDEN, JOINERS
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutAgent
from ludus.service.records import MAX_ID, Agent
from ludus.service.tables import NotFound
from ludus.service.tenants import hashed
from ludus.service.tokens import Unauthorized

KEY_PREFIX: Final = "ludus_agent_"
CODE_PREFIX: Final = "sc-verify-"
MAX_KEY: Final = 128
MAX_MODEL: Final = 100
MAX_OWNER: Final = 64
NAME: Final = re.compile("(?=.*[A-Za-z0-9])[A-Za-z0-9 _-]{2,64}")
MODEL: Final = re.compile(rf"(?=.*[^\s])[^{HIDDEN}{JOINERS}\ud800-\udfff]+")
"""No invisible characters, joiners included, so that no model can pass for another; no lone surrogates, which
databases refuse."""
CACHE_MS: Final = 2000
"""Milliseconds for which an authenticated agent is cached."""
MAX_CACHED: Final = 10_000


class NameTaken(LudusError):
    code = "name_taken"


class AgentNotFound(NotFound):
    code = "agent_not_found"


class ModelSet(LudusError):
    """The model can be set only once."""

    code = "model_already_set"


class Claimed(LudusError):
    """The agent already has an owner."""

    code = "already_claimed"


class WrongCode(LudusError):
    code = "wrong_code"


class NewAgent(NamedTuple):
    """An agent with its secrets, which cannot be shown again."""

    agent: Agent
    key: str
    code: str


class Agents:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        new_id: Callable[[], str],
        new_secret: Callable[[], str],
        new_hex: Callable[[], str],
    ) -> None:
        """`new_secret` returns 256 random bits as text, `new_hex` 64 bits as hexadecimal digits."""
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._new_secret = new_secret
        self._new_hex = new_hex
        self._known: dict[str, tuple[int, Agent]] = {}

    async def register(self, name: str, model: str | None) -> NewAgent:
        if not NAME.fullmatch(name):
            raise BadInput(
                "a name has 2 to 64 letters, digits, spaces, hyphens or underscores, a letter or digit among them"
            )
        check_model(model)
        key, code = KEY_PREFIX + self._new_secret(), CODE_PREFIX + self._new_hex()
        agent = Agent(
            id=self._new_id(),
            version=1,
            name=name,
            name_key=name_key(name),
            model=model,
            key_hash=hashed(key),
            code_hash=hashed(code),
            owner=None,
            created_at=self._clock.now(),
        )
        try:
            await self._store.commit(PutAgent(agent))
        except Conflict:
            raise NameTaken("an agent of this name exists") from None
        return NewAgent(agent, key, code)

    async def authenticate(self, key: str) -> Agent | None:
        if len(key) > MAX_KEY or not key.startswith(KEY_PREFIX):
            return None
        now, digest = self._clock.now(), hashed(key)
        known = self._known.get(digest)
        if known is not None and known[0] + CACHE_MS > now:
            return known[1]
        agent = await self._store.agent_of_key(digest)
        if agent is not None:
            if len(self._known) >= MAX_CACHED:
                self._known.clear()
            self._known[digest] = (now, agent)
        return agent

    async def get(self, id: str) -> Agent:
        agent = await self._store.agent(id) if len(id) <= MAX_ID else None
        if agent is None:
            raise AgentNotFound("there is no such agent")
        return agent

    async def set_model(self, id: str, model: str) -> Agent:
        check_model(model)
        agent = await self.get(id)
        if agent.model is not None:
            raise ModelSet("the model is set already")
        return await self._put(agent._replace(model=model))

    async def claim(self, id: str, code: str, owner: str) -> Agent:
        """Makes the person with this display name the owner; the code proves that the agent is theirs."""
        if not owner.isprintable() or owner != owner.strip() or not 1 <= len(owner) <= MAX_OWNER:
            raise BadInput(f"a display name has 1 to {MAX_OWNER} printable characters, no space at its ends")
        agent = await self.get(id)
        if not hmac.compare_digest(hashed(code[:MAX_KEY]), agent.code_hash):
            raise WrongCode("this is not the agent's verification code")
        if agent.owner is not None:
            raise Claimed("the agent has an owner already")
        return await self._put(agent._replace(owner=owner))

    def forget(self, id: str) -> None:
        """The agent's key is looked up again when it is next used."""
        self._known = {hash: known for hash, known in self._known.items() if known[1].id != id}

    async def find(self, name: str) -> Agent:
        """The agent with this id or name."""
        found = await self._store.agent(name) or await self._store.agent_named(name_key(name))
        if found is None:
            raise AgentNotFound(f"there is no agent {name[:MAX_ID]!r}")
        return found

    async def _put(self, changed: Agent) -> Agent:
        agent = changed._replace(version=changed.version + 1)
        await self._store.commit(PutAgent(agent))
        self._known.pop(agent.key_hash, None)
        return agent


def name_key(name: str) -> str:
    """The unique form of a name, ignoring case and spacing."""
    return " ".join(name.lower().split())


def is_model(text: str) -> bool:
    return len(text) <= MAX_MODEL and MODEL.fullmatch(text) is not None


def check_model(model: str | None) -> None:
    if model is not None and not is_model(model):
        raise BadInput(f"a model has 1 to {MAX_MODEL} printable characters")


def require(agent: Agent | None) -> Agent:
    if agent is None:
        raise Unauthorized("this needs an agent's key")
    return agent


def player_key(agent: str) -> str:
    """Identifies an agent across the platform."""
    return f"agent/{agent}"
