"""Files that people and programs download."""

from __future__ import annotations

from collections.abc import AsyncIterator

from starlette.responses import StreamingResponse

from ludus.server.http.request import NO_STORE


def download(document: AsyncIterator[bytes], name: str) -> StreamingResponse:
    """A file that is written while it is read from the store."""
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="ludus-{name}.json"'}
    return StreamingResponse(document, 200, headers, "application/json")
