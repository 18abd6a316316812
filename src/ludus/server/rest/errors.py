"""Every refusal has the same form: `{"error": text, "code": code}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from ludus.core.errors import LudusError
from ludus.games import GAMES
from ludus.server.http.errors import Problem, public, status_of
from ludus.server.rest.desk import count_headers

log = structlog.get_logger("ludus.http")

NO_GAME: Final = "game is required"
WRONG_GAME: Final = f"Invalid game. Valid: {', '.join(GAMES)}"
OWN: Final = "ludus"
"""The kind of a complaint that is told as it is."""
HTTP: Final = {
    404: Problem("not_found", "There is nothing at this address"),
    405: Problem("method_not_allowed", "This method is not possible here"),
}


def handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(LudusError, _refused)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _unknown)
    app.add_exception_handler(Exception, _refused)


def _answer(request: Request, status: int, problem: Problem, headers: Mapping[str, str] | None = None) -> Response:
    own = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
    body = {"error": problem.message, "code": problem.code}
    return JSONResponse(body, status, {**(headers or {}), **own, **count_headers(request)})


def _refused(request: Request, error: Exception) -> Response:
    status = status_of(error)
    if status == 500 and isinstance(error, LudusError):  # others go on to whoever called the application
        log.error("a request failed", exc_info=error, method=request.method, path=request.url.path)
    return _answer(request, status, public(error))


def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    if first["loc"][0] == "path":
        return _answer(request, 404, Problem("not_found", "there is no such session"))
    return _answer(request, 400, Problem("malformed", _complaint(first)))


def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    problem = HTTP.get(error.status_code, Problem("malformed", str(error.detail)))
    return _answer(request, error.status_code, problem, error.headers)


def _complaint(error: Mapping[str, Any]) -> str:
    """What is wrong with a field, in the documented words where there are some."""
    kind, place = error["type"], [str(step)[:40] for step in error["loc"][1:]]
    if kind == OWN:
        return str(error["msg"])
    if kind == "json_invalid" or not place:
        return "The body must be a JSON object, sent as application/json"
    if place == ["game"]:
        return NO_GAME if kind == "missing" or error["input"] in (None, "") else WRONG_GAME
    return f"{'.'.join(place)}: {error['msg']}"
