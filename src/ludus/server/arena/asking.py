"""A request of an agent, from its count to its answer. Handlers read it with the words of this module."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar

import orjson
from pydantic import BaseModel, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from ludus.server.arena.desk import count_headers, refuse_too_many
from ludus.server.arena.errors import InvalidInput, RateLimited, WrongMethod, answer_to
from ludus.server.arena.pages import reader_of, refusal_page
from ludus.service.agents import player_key
from ludus.service.records import Agent
from ludus.service.tokens import Unauthorized

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

M = TypeVar("M", bound=BaseModel)

NUMBER: Final = re.compile("[0-9]{1,15}")
FRESH: Final = {"Cache-Control": "no-store"}
RETRY_SECONDS: Final = 1
"""After which a server that stops, or a table that is too busy, may be asked again."""


class Ask:
    """What a handler is given: the request, whose it is, and where our links begin."""

    __slots__ = ("_agent", "arena", "request")

    def __init__(self, arena: Arena, request: Request, agent: Agent | None) -> None:
        self.arena = arena
        self.request = request
        self._agent = agent

    @property
    def agent(self) -> Agent:
        assert self._agent is not None, "this address is open to everybody"
        return self._agent

    @property
    def base(self) -> str:
        return self.arena.desk.base(self.request.scope["scheme"], self.request.headers)

    @property
    def address(self) -> str:
        return self.request.client.host if self.request.client else ""

    def path(self, name: str) -> str:
        value: str = self.request.path_params[name]
        return value

    def query(self, name: str) -> str | None:
        return self.request.query_params.get(name)

    def number(self, name: str, least: int, most: int, default: int) -> int:
        """A whole number in the query."""
        text = self.query(name)
        if text is None:
            return default
        if not NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise InvalidInput(f"{name}: must be a whole number from {least} to {most}")
        return int(text)

    def one_of(self, name: str, choices: tuple[str, ...], default: str) -> str:
        value = self.query(name)
        if value is not None and value not in choices:
            raise InvalidInput(f"{name}: must be one of {', '.join(choices)}")
        return default if value is None else value

    def flag(self, name: str) -> bool:
        """False unless the query says so; Python's `True` is true as well."""
        value = self.query(name)
        if value is not None and value.lower() not in ("true", "false"):
            raise InvalidInput(f"{name}: must be true or false")
        return value is not None and value.lower() == "true"

    async def json(self) -> dict[str, Any]:
        """The body, which is an object whatever the request calls it."""
        try:
            body = orjson.loads(await self.request.body())
        except orjson.JSONDecodeError:
            body = None
        if not isinstance(body, dict):
            raise InvalidInput("body: must be a JSON object")
        return body

    async def read(self, model: type[M]) -> M:
        body = await self.json()
        try:
            return model.model_validate(body)
        except ValidationError as error:
            raise InvalidInput(*map(_complaint, error.errors(include_url=False)[:10])) from None


Handle = Callable[[Ask], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


def _complaint(error: Mapping[str, Any]) -> str:
    place = ".".join(str(step)[:40] for step in error["loc"]) or "body"
    return f"{place}: {error['msg']}"


def told(body: object, status: int = 200, headers: Mapping[str, str] = FRESH) -> Response:
    return Response(orjson.dumps(body), status, headers, "application/json")


def endpoint(arena: Arena, handle: Handle, *, is_open: bool) -> Endpoint:
    """Counts a request by its agent or, where there is none, by its address, and answers it in any case."""

    async def answer(request: Request) -> Response:
        desk = arena.desk
        address = f"address/{request.client.host if request.client else ''}"
        agent, verdict = None, None
        try:
            try:
                agent = None if is_open else await arena.authenticate(request.headers)
            finally:  # who fails to say who they are is counted as well
                verdict = desk.count(player_key(agent.id) if agent else address)
                refuse_too_many(verdict)
            response = await handle(Ask(arena, request, agent))
        except Exception as error:
            response = refused(request, error)
        for name, value in count_headers(verdict).items():
            response.headers.setdefault(name, value)
        return response

    return answer


def refused(request: Request, error: Exception) -> Response:
    status, body = answer_to(error)
    headers = {**FRESH, **_headers_of(status, error)}
    if request.url.path == "/claim":
        return refusal_page(status, body, headers, reader_of(request.headers, request.query_params.get("lang")))
    if isinstance(error, RateLimited) and request.url.path.endswith("/state"):
        body["retryAfterMs"] = error.verdict.retry_after * 1000
    return told(body, status, headers)


def _headers_of(status: int, error: Exception) -> dict[str, str]:
    match error:
        case RateLimited():
            return count_headers(error.verdict)
        case WrongMethod():
            return {"Allow": ", ".join(error.allowed)}
        case Unauthorized():
            return {"WWW-Authenticate": "Bearer"}
    return {"Retry-After": str(RETRY_SECONDS)} if status == 503 else {}
