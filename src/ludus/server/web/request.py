"""Requests of the page: counted by address, with errors in the form REST gives them."""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import Response

from ludus.server.http.errors import rest_body, status_of
from ludus.server.http.request import NO_STORE, error_headers, json_response


def render_error(_: HTTPConnection, error: Exception) -> Response:
    return json_response(rest_body(error), status_of(error), {**NO_STORE, **error_headers(error)})
