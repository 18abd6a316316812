"""FastAPI's own errors as ours, so that every response has the form `{"error": text, "code": code}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from ludus.core.errors import LudusError
from ludus.games import GAMES
from ludus.server.http.errors import Malformed, MethodNotAllowed, PathNotFound, rest_body, status_of
from ludus.server.http.request import error_headers, json_response
from ludus.service.tables import NotFound

NO_GAME: Final = "game is required"
WRONG_GAME: Final = f"Invalid game. Valid: {', '.join(GAMES)}"
OWN: Final = "ludus"
"""The type of a validation error whose text is used as it is."""


def handle_errors(app: FastAPI) -> None:
    """For requests that no pipeline takes."""
    app.add_exception_handler(HTTPException, _handle)


def _handle(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return render_error(request, of_starlette(error))


def render_error(_: HTTPConnection, error: Exception) -> Response:
    return json_response(rest_body(error), status_of(error), error_headers(error))


def of_starlette(error: HTTPException) -> LudusError:
    match error.status_code:
        case 404:
            return PathNotFound()
        case 405:
            return MethodNotAllowed((error.headers or {}).get("Allow", "").split(", "))
    return Malformed(str(error.detail))


def of_fastapi(error: RequestValidationError) -> LudusError:
    """The first thing that is wrong."""
    first = error.errors()[0]
    if first["loc"][0] == "path":
        return NotFound("there is no such session")
    return Malformed(_problem(first))


def _problem(error: Mapping[str, Any]) -> str:
    """In the documented words where there are some."""
    kind, field = error["type"], [str(step)[:40] for step in error["loc"][1:]]
    if kind == OWN:
        return str(error["msg"])
    if kind == "json_invalid" or not field:
        return "The body must be a JSON object, sent as application/json"
    if field == ["game"]:
        return NO_GAME if kind == "missing" or error["input"] in (None, "") else WRONG_GAME
    return f"{'.'.join(field)}: {error['msg']}"
