"""The page's documents, static files and embeddable parts, and the headers they are sent with."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final, NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from ludus.core.card import HEIGHT, WIDTH
from ludus.games import ABOUT, GAMES
from ludus.server.web import games
from ludus.server.web.assets import Asset, Assets, asset, assets, read
from ludus.service.origins import ANY
from ludus.service.ports.store import Store

PACKAGE: Final = "ludus.web"
TEMPLATE: Final = "document.html"
BODY: Final = "body.html"
"""Of documents that scripts fill."""
BODY_MARK: Final = "{{body}}"
GAMES_MARK: Final = "{{games}}"
FRAME: Final = "frame.html"
ELEMENT: Final = "embed/ludus-game.js"
TITLE_MARK: Final = "{{page title}}"
DESCRIPTION_MARK: Final = "{{page description}}"
PREVIEW_MARK: Final = "{{preview}}"
MARKS: Final = re.compile("|".join(map(re.escape, (TITLE_MARK, DESCRIPTION_MARK, PREVIEW_MARK, BODY_MARK))).encode())
OFFLINE: Final = "/offline"
"""The path of the document that the service worker shows without a connection."""
OFFLINE_MODULE: Final = "offline/page.js"
GAME: Final = "/games/{id}"
MATCH: Final = "/matches/{id}"
WATCH: Final = "/watch/{id}"
AGENT: Final = "/agents/{id}"
ANALYSIS: Final = "/analysis"
TOURNAMENT: Final = "/tournaments/{id}"
PUZZLES: Final = "/puzzles/{game}"
PUZZLE: Final = "/puzzles/{game}/{id}"
WRITTEN: Final = (GAME, MATCH, WATCH, AGENT, ANALYSIS, TOURNAMENT, PUZZLE)
"""The paths of pages that the server writes for each request: their titles, the previews of links, and content for
readers without scripts."""
PLAY: Final = "/play/{id}"
INVITATION: Final = "/invite/{id}"
MAX_ID: Final = 64
SCHEMES: Final = ("http://", "https://")
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
    " font-src 'self'; media-src 'self' data: blob:; manifest-src 'self'; worker-src 'self'; frame-src 'self';"
    " form-action 'self'; base-uri 'none'; object-src 'none'"
)
"""No script and no style but the page's own files."""
CLOSED: Final = "frame-ancestors 'none'"
FOREVER: Final = "public, max-age=31536000, immutable"
REVALIDATE: Final = "no-cache"

Serve = Callable[[Request], Awaitable[Response]]
Exists = Callable[[Request], Awaitable[bool]]
"""Whether what the address names exists for the sender."""


NOTHING_CHECKED: Final[Mapping[str, Exists]] = MappingProxyType({})


class Document(NamedTuple):
    module: str
    style: str
    title: str
    """For crawlers and link previews; the module sets the page's own."""
    description: str
    soon: tuple[str, ...] = ()
    """Modules that it does not import but will need in a moment."""

    def render(self, template: str) -> str:
        """Addresses are left to fill in."""
        preloaded = "\n".join(f"{{{{preload {name}}}}}" for name in (self.module, *self.soon))
        text = template.replace("{{modules}}", preloaded).replace("{{module}}", self.module)
        parts = {"title": escape(self.title), "description": escape(self.description), "style": self.style}
        for name, value in parts.items():
            text = text.replace(f"{{{{{name}}}}}", value)
        return text


class Site(NamedTuple):
    """Everything that browsers load, ready to be sent."""

    assets: Assets
    pages: Mapping[str, Asset]
    """Documents by the path of their route."""
    frame: Asset
    missing: Asset
    shells: Mapping[str, bytes]
    """Documents that the server writes, by the path of their route, with marks where title and content go."""
    body: str
    """Of documents that scripts fill."""

    def written(self, path: str, title: str, description: str, body: str | None = None, picture: str = "") -> Asset:
        """The document of this path with a title of its own, and content for readers without scripts.

        `picture` is the whole address of what previews of a link show. Without a body, it says that scripts are needed.
        """
        parts = {
            TITLE_MARK: escape(title),
            DESCRIPTION_MARK: escape(description),
            PREVIEW_MARK: preview(picture),
            BODY_MARK: self.body if body is None else body,
        }
        found = MARKS.sub(lambda mark: parts[mark[0].decode()].encode(), self.shells[path])
        return asset("page.html", found)


@cache
def site(prefix: str = "") -> Site:
    """Reads the files of the package and of third-party games; `prefix` is the path the server is mounted under."""
    root = files(PACKAGE)
    contents = dict(read(root.joinpath("static")))
    for game, folder in games.third_party_files():
        contents |= read(folder, f"{games.FOLDER}/{game}/")
    served = assets(contents | games.modules(contents, map(games.facts, GAMES)), prefix)
    template = root.joinpath("pages", TEMPLATE).read_text(encoding="utf-8")
    body = root.joinpath("pages", BODY).read_text(encoding="utf-8").replace(GAMES_MARK, _game_links())
    frame = root.joinpath("pages", FRAME).read_bytes()

    def page(document: Document) -> Asset:
        whole = template.replace(BODY_MARK, body).replace(PREVIEW_MARK, "")
        return served.page(document.render(whole).encode())

    def shell(path: str) -> bytes:
        document = listed[path]._replace(title=TITLE_MARK, description=DESCRIPTION_MARK)
        return served.page(document.render(template).encode()).content

    listed, missing = documents(games.boards(contents))
    pages = {path: page(each) for path, each in listed.items()}
    shells = {path: shell(path) for path in WRITTEN}
    return Site(served, pages, served.page(frame), page(missing), shells, body.replace("{{prefix}}", prefix))


def preview(picture: str) -> str:
    """The tags by which sites and chats show a link with a picture; none without one."""
    if not picture:
        return ""
    tags = [f'<meta property="og:image" content="{escape(picture)}">']
    tags += [
        f'<meta property="og:image:{name}" content="{size}">' for name, size in (("width", WIDTH), ("height", HEIGHT))
    ]
    return "\n".join([*tags, '<meta name="twitter:card" content="summary_large_image">', ""])


def _game_links() -> str:
    """The pages that can be read without scripts."""
    return ", ".join(
        f'<a href="{{{{prefix}}}}/games/{game}" lang="en">{escape(about.title)}</a>' for game, about in ABOUT.items()
    )


def documents(boards: tuple[str, ...]) -> tuple[dict[str, Document], Document]:
    """The documents by their paths, and the one for any other path."""
    names = " and ".join(about.title.lower() for about in ABOUT.values())
    either = " or ".join(about.title.lower() for about in ABOUT.values())
    every = f"Play, watch and replay {names} with bots, people and AI agents."
    play = Document("play/page.js", "play/play.css", f"Ludus: play {names}", every, soon=("play/game.js", *boards))
    puzzle = Document(
        "puzzles/page.js",
        "puzzles/puzzles.css",
        "Puzzle · Ludus",
        f"A position of {either}: find the one best move.",
        soon=boards,
    )
    listed = {
        "/": play,
        PLAY: play._replace(title="Game · Ludus", description="A game in progress."),
        INVITATION: play._replace(title="Invitation · Ludus", description=f"You're invited to a game of {either}."),
        "/watch": Document("watch/list.js", "watch/watch.css", "Watch · Ludus", f"Live games of {names}.", soon=boards),
        WATCH: Document(
            "watch/page.js", "replay/replay.css", "Live game · Ludus", "A live game, move by move.", soon=boards
        ),
        "/games": Document(
            "catalog/list.js",
            "catalog/catalog.css",
            "Games · Ludus",
            f"The rules, figures and leaderboards of {names}.",
            soon=boards,
        ),
        GAME: Document(
            "catalog/page.js",
            "catalog/catalog.css",
            "Game · Ludus",
            "Rules, figures, leaderboard and latest matches of a game.",
            soon=boards,
        ),
        "/tournaments": Document(
            "tournaments/list.js",
            "tournaments/tournaments.css",
            "Tournaments · Ludus",
            f"Tournaments of {names} for people, AI agents and bots: join one or create your own.",
        ),
        TOURNAMENT: Document(
            "tournaments/page.js",
            "tournaments/tournaments.css",
            "Tournament · Ludus",
            "A tournament's players, pairings and standings.",
        ),
        "/learn/{id}": Document(
            "learn/page.js",
            "learn/learn.css",
            "Lesson · Ludus",
            f"Learn {either} in ten small steps on the board.",
            soon=boards,
        ),
        "/puzzles": Document(
            "puzzles/list.js",
            "puzzles/puzzles.css",
            "Puzzles · Ludus",
            f"Puzzles of {names}: a new one every day, and as many more as you like.",
            soon=boards,
        ),
        PUZZLES: puzzle,
        PUZZLE: puzzle,
        AGENT: Document(
            "agent/page.js", "catalog/catalog.css", "Player · Ludus", "A player's ratings, badges and matches."
        ),
        MATCH: Document(
            "replay/page.js",
            "replay/replay.css",
            "Finished game · Ludus",
            "A finished game, step by step, with engine analysis.",
            soon=boards,
        ),
        ANALYSIS: Document(
            "analysis/page.js",
            "replay/replay.css",
            "Analysis board · Ludus",
            f"Set up any position of {either}, paste a game, move freely and see what a strong engine thinks.",
            soon=boards,
        ),
        "/me": Document(
            "me/page.js",
            "me/me.css",
            "You · Ludus",
            "Your name, preferences, devices and passkeys, without an account.",
        ),
        "/people/{id}": Document(
            "people/page.js", "people/people.css", "Player · Ludus", "A player's ratings, results and games."
        ),
        "/friends/{id}": Document(
            "people/link.js", "people/people.css", "Friend link · Ludus", "Become friends and challenge each other."
        ),
        "/me/games": Document("people/history.js", "people/people.css", "My games · Ludus", "Your finished games."),
        "/me/friends": Document(
            "people/friends.js", "people/people.css", "Friends · Ludus", "Your friends, and who of them is online."
        ),
        "/dashboard": Document(
            "dashboard/page.js",
            "dashboard/dashboard.css",
            "Dashboard · Ludus",
            "A tenant's sessions, live rooms, webhooks, keys and usage.",
        ),
        "/embed": Document(
            "embed/page.js", "embed/embed.css", "Embed · Ludus", f"Put {names} on your own site with two lines of HTML."
        ),
        OFFLINE: Document(OFFLINE_MODULE, "style.css", "Offline · Ludus", "What you can do without a connection."),
    }
    return listed, Document("missing.js", "style.css", "Page not found · Ludus", every)


def routes(store: Store, prefix: str = "", exist: Mapping[str, Exists] = NOTHING_CHECKED) -> list[BaseRoute]:
    """`exist` has a check for paths whose ids may be unknown: where it fails, the document has the status 404."""
    served = site(prefix)
    pages: list[BaseRoute] = [
        Route(path, _document(page, exist.get(path))) for path, page in served.pages.items() if path not in WRITTEN
    ]
    slashed = [Route(f"{path}/", _without_slash(path)) for path in served.pages if path != "/"]
    static = Route("/static/{version}/{path:path}", _static(served.assets))
    return [*_embed(served, store), *pages, *slashed, static, Missing(served.missing)]


def document(request: Request, page: Asset, status: int = 200, ancestors: str = CLOSED) -> Response:
    """`ancestors` says which pages may frame it."""
    headers = {
        "Content-Security-Policy": f"{POLICY}; {ancestors}",
        "Cache-Control": REVALIDATE,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    }
    return send(request, page, headers, status)


def missing(request: Request, prefix: str = "") -> Response:
    """The page for people who follow a wrong address."""
    return document(request, site(prefix).missing, 404)


def send(request: Request, file: Asset, headers: Mapping[str, str], status: int = 200) -> Response:
    """The content, compressed if the client accepts that; nothing if it has it already."""
    own = {**headers, "ETag": file.etag, "Vary": "Accept-Encoding"}
    if status == 200 and file.etag in request.headers.get("if-none-match", ""):
        return Response(None, 304, own)
    if file.gzipped is not None and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(file.gzipped, status, {**own, "Content-Encoding": "gzip"}, file.kind)
    return Response(file.content, status, own, file.kind)


def _without_slash(path: str) -> Serve:
    """The address is relative, so that a prefix in front of ours stays."""
    up = "../" * (path.count("/"))

    async def redirect(request: Request) -> Response:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(up + request.url.path.strip("/") + query, 308)

    return redirect


def _document(page: Asset, exists: Exists | None = None) -> Serve:
    async def serve(request: Request) -> Response:
        return document(request, page, 200 if exists is None or await exists(request) else 404)

    return serve


def _static(served: Assets) -> Serve:
    """Cached forever, since changed content has a new address; any page may load the files."""

    async def serve(request: Request) -> Response:
        file = served.files.get(request.path_params["path"])
        if file is None or request.path_params["version"] != served.version:
            return Response("There is no such file.\n", 404, {"Cache-Control": "no-store"}, "text/plain")
        return send(request, file, {"Cache-Control": FOREVER, "Access-Control-Allow-Origin": "*"})

    return serve


class Missing(Route):
    """The page for people at unknown addresses; other clients get an error from the app."""

    def __init__(self, page: Asset) -> None:
        async def serve(request: Request) -> Response:
            return document(request, page, 404)

        super().__init__("/{path:path}", serve)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        accept = next((value for name, value in scope.get("headers", ()) if name == b"accept"), b"")
        match, own = super().matches(scope) if b"text/html" in accept else (Match.NONE, {})
        return (match, own) if match is Match.FULL else (Match.NONE, {})


def _embed(served: Site, store: Store) -> list[BaseRoute]:
    """For other people's pages: modules that any page may load, and a frame for those that the tenant allows."""
    boards = {f"/embed/ludus-{PurePosixPath(file).parent.name}.js": file for file in games.boards(served.assets.files)}
    modules = [_module(path, served.assets.module(file)) for path, file in {f"/{ELEMENT}": ELEMENT, **boards}.items()]

    async def frame(request: Request) -> Response:
        tenant = request.query_params.get("tenant", "")
        origins = await _origins(store, tenant) if 0 < len(tenant) <= MAX_ID else ()
        return document(request, served.frame, ancestors=ancestors(origins))

    return [*modules, Route("/frame", frame)]


def _module(path: str, module: Asset) -> Route:
    """A stable address for a file whose own address changes with its content."""

    async def serve(request: Request) -> Response:
        return send(request, module, {"Cache-Control": REVALIDATE, "Access-Control-Allow-Origin": "*"})

    return Route(path, serve)


def ancestors(origins: Iterable[str]) -> str:
    """Which pages may frame a tenant's games; our own always may.

    >>> ancestors(["https://app.example", "null"])
    "frame-ancestors 'self' https://app.example"
    """
    allowed = [origin for origin in origins if origin == ANY or origin.startswith(SCHEMES)]
    return " ".join(["frame-ancestors", "'self'", *dict.fromkeys(allowed)])


async def _origins(store: Store, tenant: str) -> list[str]:
    return [origin for key in await store.keys(tenant) if key.revoked_at is None for origin in key.origins]
