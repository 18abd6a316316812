"""HTTP to one arena: JSON in, JSON out, retried wherever that is safe."""

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
"""Statuses that mean nothing was done; try again later."""
UNAVAILABLE: Final = "unavailable"
"""The code of a 503 after which the request may have been carried out: the arena's store failed."""
NEVER_SENT: Final = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
LONGEST_WAIT: Final = 120.0
"""Seconds; an arena that asks for a longer wait is reported instead."""


class RetryPolicy(NamedTuple):
    """How often to try, and how many seconds to pause in between: doubled each time, from `first` to `longest`."""

    tries: int = 10
    first: float = 0.25
    longest: float = 8.0
    unavailable_tries: int = 100
    """Tries while the arena's store fails: the clocks are stopped, so it is worth waiting some minutes."""

    def pause(self, failures: int, rng: Random) -> float:
        """A random pause of half to full length, so that clients that failed together do not return together."""
        return min(self.longest, self.first * 2.0 ** (failures - 1)) * rng.uniform(0.5, 1.0)


class HttpClient:
    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        retry: RetryPolicy = RetryPolicy(),  # noqa: B008  # immutable
        transport: httpx2.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        rng: Random | None = None,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise BadInput(f"{url!r} is not the address of an arena, such as http://127.0.0.1:8000")
        self.url = url.rstrip("/")
        self.key = key
        self._retry = retry
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
        return _json(await self._request("GET", path, query=query, hold=hold))

    async def get_text(self, path: str, query: Mapping[str, Any] | None = None) -> str:
        return (await self._request("GET", path, query=query)).text

    async def send(self, method: str, path: str, body: Any = None, *, is_repeatable: bool, **query: Any) -> Any:
        """A request that is not repeatable is retried only if the arena certainly has not seen it."""
        return _json(await self._request(method, path, body, query, is_repeatable=is_repeatable))

    async def pause(self, failures: int, path: str) -> None:
        """Waits before the next try, or gives up."""
        if failures >= self._retry.tries:
            raise Unreachable(f"{self.url}{path} does not answer")
        await self._sleep(self._retry.pause(failures, self._rng))

    async def _request(
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
                response = await self._try(method, path, body, query, hold)
            except httpx2.TransportError as error:
                failures += 1
                if failures >= self._retry.tries or not (is_repeatable or isinstance(error, NEVER_SENT)):
                    raise Unreachable(f"{self.url} does not answer: {error or type(error).__name__}") from error
                await self._sleep(self._retry.pause(failures, self._rng))
                continue
            if response.is_success:
                return response
            failures += 1
            is_unavailable = _fields(response).get("error") == UNAVAILABLE
            tries = self._retry.unavailable_tries if is_unavailable else self._retry.tries
            may_be_done = is_unavailable and not is_repeatable
            if response.status_code not in BUSY or failures >= tries or may_be_done:
                raise Refused(response.status_code, _fields(response))
            await self._wait(response, failures)

    async def _try(
        self, method: str, path: str, body: Any, query: Mapping[str, Any] | None, hold: float
    ) -> httpx2.Response:
        timeout = httpx2.Timeout(20.0, read=20.0 + hold)
        params = {name: value for name, value in (query or {}).items() if value is not None}
        return await self._http.request(method, path, json=body, params=params, headers=self.headers, timeout=timeout)

    async def _wait(self, response: httpx2.Response, failures: int) -> None:
        """Waits as long as the arena asks for, if it does; otherwise pauses grow while the arena is in trouble."""
        seconds = _retry_after(response)
        if seconds is not None and seconds > LONGEST_WAIT:
            raise Refused(response.status_code, _fields(response))
        pause = self._retry.pause(failures, self._rng)
        if seconds is not None:
            asked = seconds + self._rng.uniform(0.0, 0.1)
            pause = max(asked, pause) if response.status_code == 503 else asked
        await self._sleep(pause)


def _retry_after(response: httpx2.Response) -> float | None:
    """Seconds, from `retryAfterMs` in the body or else the `retry-after` header."""
    fields = _fields(response)
    try:
        if "retryAfterMs" in fields:
            return float(fields["retryAfterMs"]) / 1000
        return float(response.headers["retry-after"])
    except (KeyError, ValueError, TypeError):
        return None


def _fields(response: httpx2.Response) -> Mapping[str, Any]:
    try:
        body = response.json()
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, Mapping) else {}


def _json(response: httpx2.Response) -> Any:
    try:
        return json.loads(response.content) if response.content else None
    except (ValueError, RecursionError):
        raise Unexpected(f"{response.request.url} answered with something that is not JSON") from None
