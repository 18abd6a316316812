"""How the page's documents and files are sent: what browsers may do with them, and how long they keep them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.requests import Request
from starlette.responses import Response

from ludus.server.web.assets import Asset

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
    " font-src 'self'; media-src 'self' data: blob:; manifest-src 'self'; frame-src 'self'; form-action 'self';"
    " base-uri 'none'; object-src 'none'"
)
"""No script and no style but our own files."""
CLOSED: Final = "frame-ancestors 'none'"
FOREVER: Final = "public, max-age=31536000, immutable"
LOOK_AGAIN: Final = "no-cache"


def page(request: Request, asset: Asset, status: int = 200, ancestors: str = CLOSED) -> Response:
    """A document; `ancestors` says which pages may show it in a frame."""
    headers = {
        "Content-Security-Policy": f"{POLICY}; {ancestors}",
        "Cache-Control": LOOK_AGAIN,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
    return sent(request, asset, headers, status)


def sent(request: Request, asset: Asset, headers: Mapping[str, str], status: int = 200) -> Response:
    """The content, zipped for whoever can unzip it, or nothing for whoever has it already."""
    own = {**headers, "ETag": asset.etag, "Vary": "Accept-Encoding"}
    if status == 200 and asset.etag in request.headers.get("if-none-match", ""):
        return Response(None, 304, own)
    if asset.zipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.zipped, status, {**own, "Content-Encoding": "gzip"}, asset.kind)
    return Response(asset.content, status, own, asset.kind)
