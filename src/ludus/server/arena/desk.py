"""The front desk: who is asking, how often, and under which address we were found."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from ludus.server.arena.errors import RateLimited
from ludus.server.http.rate_limit import HOUR, RequestLimit, Verdict
from ludus.server.settings import Settings
from ludus.service.agents import Agents, require
from ludus.service.records import Agent

HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
SCHEMES: Final = {"http": "http", "https": "https", "ws": "http", "wss": "https"}


class Desk:
    def __init__(self, agents: Agents, settings: Settings, clock: Callable[[], float]) -> None:
        """`clock` tells the seconds since 1970."""
        self._agents = agents
        self._public_url = settings.public_url
        self._requests = RequestLimit(settings.agent_rate_limit, clock)
        self._registrations = RequestLimit(settings.registrations, clock, HOUR)

    async def agent_of(self, headers: Mapping[str, str]) -> Agent:
        scheme, _, key = headers.get("authorization", "").partition(" ")
        found = await self._agents.authenticate(key.strip()) if scheme.lower() == "bearer" else None
        return require(found)

    def count(self, who: str) -> Verdict:
        """Counts a request of an agent (`agent/ID`) or of an address (`address/HOST`)."""
        return self._requests.hit(who)

    def count_registration(self, address: str) -> None:
        """Refuses one too many in an hour."""
        refuse_too_many(self._registrations.hit(address))

    def take_back_registration(self, address: str) -> None:
        """Nobody was registered after all."""
        self._registrations.take_back(address)

    def base(self, scheme: str, headers: Mapping[str, str]) -> str:
        """What our links begin with; empty where a request came to no proper host."""
        host = headers.get("host", "")
        known = SCHEMES.get(scheme)
        return self._public_url or (f"{known}://{host}" if known and HOST.fullmatch(host) else "")


def refuse_too_many(verdict: Verdict) -> None:
    if not verdict.allowed:
        raise RateLimited(verdict)


def count_headers(verdict: Verdict | None) -> dict[str, str]:
    """How far the sender has come; nothing for a request that was not counted."""
    if verdict is None:
        return {}
    headers = {
        "X-RateLimit-Limit": str(verdict.limit),
        "X-RateLimit-Remaining": str(verdict.remaining),
        "X-RateLimit-Reset": str(verdict.reset),
    }
    return headers if verdict.allowed else headers | {"Retry-After": str(verdict.retry_after)}
