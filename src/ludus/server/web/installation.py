"""Makes the page an installable app: its manifest, and the service worker that caches the offline page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from importlib.resources import files
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ludus.games import ABOUT
from ludus.server.web import games
from ludus.server.web.assets import Asset, Assets, asset
from ludus.server.web.languages import LANGUAGES
from ludus.server.web.pages import OFFLINE, OFFLINE_MODULE, PACKAGE, REVALIDATE, send, site

MANIFEST: Final = "/manifest.webmanifest"
WORKER: Final = "/service-worker.js"
WORKER_POLICY: Final = "default-src 'none'; connect-src 'self'"
APIS: Final = ("/web/", "/v1/", "/api/", "/socket.io", "/ws/", "/mcp", "/docs/")
"""Paths that the worker leaves alone; the documentation is a site of its own."""
ALWAYS: Final = ("style.css", "theme.js", "icon.svg")
"""What every document links to besides modules."""


def routes(prefix: str, has_worker: bool) -> list[BaseRoute]:
    served = site(prefix).assets
    worker = service_worker(served) if has_worker else no_service_worker(served)
    policy = {"Content-Security-Policy": WORKER_POLICY}
    return [_route(MANIFEST, manifest(served), {}), _route(WORKER, worker, policy)]


def _route(path: str, file: Asset, headers: dict[str, str]) -> Route:
    async def serve(request: Request) -> Response:
        return send(request, file, {"Cache-Control": REVALIDATE, **headers})

    return Route(path, serve)


def manifest(served: Assets) -> Asset:
    def icon(name: str, size: int, purpose: str) -> dict[str, str]:
        address = f"{served.base}/icons/{name}-{size}.png"
        return {"src": address, "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}

    home = f"{served.prefix}/"
    titles = " and ".join(about.title.lower() for about in ABOUT.values())
    play = [{"name": f"Play {about.title.lower()}", "url": f"{home}?game={game}"} for game, about in ABOUT.items()]
    content: dict[str, Any] = {
        "id": home,
        "name": "Ludus",
        "short_name": "Ludus",
        "description": f"Play {titles} with bots, people and AI agents.",
        "lang": "en",
        "start_url": home,
        "scope": home,
        "display": "standalone",
        "background_color": "#f5f2ec",
        "theme_color": "#2c6e4f",
        "categories": ["games"],
        "icons": [icon("icon", 192, "any"), icon("icon", 512, "any"), icon("maskable", 512, "maskable")],
        "shortcuts": [*play, {"name": "Watch live games", "url": f"{home}watch"}],
    }
    return asset("manifest.webmanifest", json.dumps(content, indent=1).encode())


def service_worker(served: Assets) -> Asset:
    """The script changes with the version of the files, so that browsers notice an upgrade."""
    setup = {
        "cache": f"{_caches(served)}{served.version}",
        "others": _caches(served),
        "base": f"{served.base}/",
        "offline": served.prefix + OFFLINE,
        "apis": [served.prefix + path for path in APIS],
        "files": _addresses(served, [*ALWAYS, *served.imported(OFFLINE_MODULE)]),
        "languages": {language: _addresses(served, _texts(served, language)) for language in LANGUAGES},
    }
    return _script("service-worker.js", setup=setup)


def no_service_worker(served: Assets) -> Asset:
    return _script("no-service-worker.js", others=_caches(served))


def _script(name: str, **values: object) -> Asset:
    text = files(PACKAGE).joinpath("pages", name).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"{{{{{key}}}}}", json.dumps(value))
    return asset(name, text.encode())


def _caches(served: Assets) -> str:
    """The prefix of our caches' names: servers under other paths of the host have their own."""
    return f"ludus {served.prefix}/ "


def _texts(served: Assets, language: str) -> list[str]:
    """The texts in a language, and the rules, which can be read without a connection."""
    parts = ("pages", "play")
    modules = [*(f"strings/{language}/{part}.js" for part in parts), f"{games.FOLDER}/{language}.js"]
    rules = [f"{games.FOLDER}/{game}/rules/{language}.js" for game in ABOUT]
    return [name for module in [*modules, *rules] for name in served.imported(module)]


def _addresses(served: Assets, names: Iterable[str]) -> list[str]:
    """Those that there are, each once."""
    return [f"{served.base}/{name}" for name in dict.fromkeys(names) if name in served.files]
