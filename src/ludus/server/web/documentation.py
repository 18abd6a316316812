"""The documentation site under /docs, as `make docs` built it, and its short form for language models."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
from functools import cache
from html import escape
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from ludus.server.http.request import prefix_of
from ludus.server.web.assets import KINDS, Asset, asset
from ludus.server.web.pages import REVALIDATE, send

FOLDER: Final = "docs_site"
SHORT: Final = "llms.txt"
INDEX: Final = "index.html"
INLINE: Final = re.compile(rb"<(script|style)>(.*?)</\1>", re.DOTALL)
POLICY: Final = (
    "default-src 'none'; script-src 'self'{script}; style-src 'self'{style}; img-src 'self' data:; font-src 'self';"
    " connect-src 'self'; form-action 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'"
)
"""The theme has a few lines of script and style inside its pages; their hashes are allowed, and nothing else inline."""
MISSING: Final = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title} · Ludus</title></head>
<body><h1>{title}</h1><p>{text}</p>
<p><a href="{prefix}/">Ludus</a> · <a href="{prefix}/api/guide">The arena's guide</a></p></body></html>
"""


def routes(folder: Traversable | None = None) -> list[BaseRoute]:
    site = _listed(folder or files("ludus.web").joinpath(FOLDER))

    loaded: dict[str, asyncio.Task[Asset]] = {}

    async def load(path: str) -> Asset:
        """Read and compressed once, in a thread: the search index takes a while."""
        if path not in loaded or (loaded[path].done() and loaded[path].exception() is not None):
            loaded[path] = asyncio.create_task(asyncio.to_thread(lambda: asset(path, site[path].read_bytes())))
        return await asyncio.shield(loaded[path])

    async def serve(request: Request) -> Response:
        path: str = request.path_params["path"]
        if not site:
            return _missing(
                request, "Not built", "This server was installed without its documentation. Run “make docs”."
            )
        if f"{path}/{INDEX}" in site:  # the pages' links are relative to an address with a slash
            return _with_slash(request)
        name = f"{path}{INDEX}" if path.endswith("/") or not path else path
        if name not in site:
            return _missing(request, "Page not found", f"There is no page {escape(path)} in the documentation.")
        return _send(request, await load(name))

    async def root(request: Request) -> Response:
        return _with_slash(request)

    async def short(request: Request) -> Response:
        headers = {"Cache-Control": REVALIDATE, "Access-Control-Allow-Origin": "*"}
        return send(request, _short(prefix_of(request)), headers)

    return [Route("/docs", root), Route("/docs/{path:path}", serve), Route(f"/{SHORT}", short)]


@cache
def _short(prefix: str) -> Asset:
    content = files("ludus.web").joinpath("pages", SHORT).read_bytes()
    return asset(SHORT, content.replace(b"](/", f"]({prefix}/".encode()))


def _with_slash(request: Request) -> Response:
    """The address is relative, so that a prefix in front of ours stays."""
    return RedirectResponse(f"{request.url.path.rpartition('/')[2]}/", 308)


def _listed(folder: Traversable, prefix: str = "") -> dict[str, Traversable]:
    """The files that can be served, by their path; a request can name no other."""
    found: dict[str, Traversable] = {}
    for each in folder.iterdir() if folder.is_dir() else ():
        if each.is_dir():
            found |= _listed(each, f"{prefix}{each.name}/")
        elif each.name.endswith(tuple(KINDS)):
            found[prefix + each.name] = each
    return found


def _send(request: Request, file: Asset) -> Response:
    return send(request, file, {"Cache-Control": REVALIDATE, "Content-Security-Policy": _policy(file)})


@cache
def _policy(file: Asset) -> str:
    hashes: dict[str, str] = {"script": "", "style": ""}
    for tag, content in INLINE.findall(file.content) if file.kind.startswith("text/html") else ():
        digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
        hashes[tag.decode()] += f" 'sha256-{digest}'"
    return POLICY.format(**hashes)


def _missing(request: Request, title: str, text: str) -> Response:
    headers = {"Cache-Control": "no-store", "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'"}
    return Response(
        MISSING.format(title=title, text=text, prefix=prefix_of(request)), 404, headers, "text/html; charset=utf-8"
    )
