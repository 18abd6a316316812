"""HTTP to one arena: JSON in, JSON out, tried again wherever that is safe."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from random import Random
from types import TracebackType
from typing import Any, Final, NamedTuple, Self

import httpx2

from ludus.client.errors import Refused, Unexpected, Unreachable
from ludus.core.errors import BadInput

BUSY: Final = frozenset({429, 502, 503, 504})
"""Come again later: nothing was done."""
NEVER_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
LONGEST_WAIT: Final = 120.0
"""Seconds; whoever is told to wait longer is better off knowing."""


class Patience(NamedTuple):
    """How often something is tried, and how long the pauses between are: doubled each time, from `first` to `most`."""

    tries: int = 10
    first: float = 0.25
    most: float = 8.0

    def pause(self, failures: int, rng: Random) -> float:
        """Seconds, anything from half to the whole, so that clients that fell together do not come back together."""
        return min(self.most, self.first * 2.0 ** (failures - 1)) * rng.uniform(0.5, 1.0)


class Line:
    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        patience: Patience = Patience(),  # noqa: B008  # a value, which never changes
        transport: httpx2.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: Random | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise BadInput(f"{url!r} is not the address of an arena, such as http://127.0.0.1:8000")
        self.url = url.rstrip("/")
        self.key = key
        self._patience = patience
        self._sleep = sleep
        self._rng = rng or Random()
        self._http = httpx2.AsyncClient(base_url=self.url, transport=transport, timeout=httpx2.Timeout(20.0))

    async def __aenter__(self) -> Self:
        await self._http.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._http.__aexit__(kind, error, trace)

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    async def get(self, path: str, query: Mapping[str, Any] | None = None, *, hold: float = 0.0) -> Any:
        """`hold` is how many seconds the arena may take on purpose."""
        return _json(await self._ask("GET", path, query=query, hold=hold))

    async def text(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        return (await self._ask("GET", path, query=query)).text

    async def send(self, method: str, path: str, body: Any = None, *, is_repeatable: bool, **query: Any) -> Any:
        """What is not repeatable is tried again only if the arena certainly has not seen it."""
        return _json(await self._ask(method, path, body, query, is_repeatable=is_repeatable))

    async def pause(self, failures: int, what: str) -> None:
        """Waits before the next try, if there is to be one."""
        if failures >= self._patience.tries:
            raise Unreachable(f"{self.url}{what} does not answer")
        await self._sleep(self._patience.pause(failures, self._rng))

    async def _ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        query: Mapping[str, Any] | None = None,
        *,
        is_repeatable: bool = True,
        hold: float = 0.0,
    ) -> httpx2.Response:
        failures = 0
        while True:
            try:
                answer = await self._ask_once(method, path, body, query, hold)
            except httpx2.TransportError as error:
                failures += 1
                if failures >= self._patience.tries or not (is_repeatable or isinstance(error, NEVER_SENT)):
                    raise Unreachable(f"{self.url} does not answer: {error or type(error).__name__}") from error
                await self._sleep(self._patience.pause(failures, self._rng))
                continue
            if answer.is_success:
                return answer
            failures += 1
            if answer.status_code not in BUSY or failures >= self._patience.tries:
                raise _refusal(answer)
            await self._wait_as_told(answer, failures)

    async def _ask_once(
        self, method: str, path: str, body: Any, query: Mapping[str, Any] | None, hold: float
    ) -> httpx2.Response:
        timeout = httpx2.Timeout(20.0, read=20.0 + hold)
        params = {name: value for name, value in (query or {}).items() if value is not None}
        return await self._http.request(method, path, json=body, params=params, headers=self.headers, timeout=timeout)

    async def _wait_as_told(self, answer: httpx2.Response, failures: int) -> None:
        told = _told(answer)
        if told is not None and told > LONGEST_WAIT:
            raise _refusal(answer)
        pause = self._patience.pause(failures, self._rng)
        await self._sleep(pause if told is None else told + self._rng.uniform(0.0, 0.1))


def _told(answer: httpx2.Response) -> float | None:
    """For how many seconds the arena wants to be left alone: `retryAfterMs` in the body, else `retry-after`."""
    fields = _fields(answer)
    try:
        if "retryAfterMs" in fields:
            return float(fields["retryAfterMs"]) / 1000
        return float(answer.headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None


def _refusal(answer: httpx2.Response) -> Refused:
    return Refused(answer.status_code, _fields(answer))


def _fields(answer: httpx2.Response) -> Mapping[str, Any]:
    try:
        body = answer.json()
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, Mapping) else {}


def _json(answer: httpx2.Response) -> Any:
    try:
        return json.loads(answer.content) if answer.content else None
    except (ValueError, RecursionError):
        raise Unexpected(f"{answer.request.url} answered with something that is not JSON") from None
