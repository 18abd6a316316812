"""The page's files as the server keeps them: read once, zipped once, named by what is in them."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

from ludus.server.web.documents import MISSING, PAGES, TEMPLATE, Document

PACKAGE: Final = "ludus.web"
KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".woff2": "font/woff2",
}
"""By the end of the name; files of other kinds are for people who read the source."""
PACKED: Final = (".png", ".woff2")
IMPORT: Final = re.compile(rb"""^(?:import|export)\b[^"';]*?["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)
"""A module that another one names; what is imported later, by `import()`, is not meant."""
PRELOAD: Final = re.compile(rb"\{\{preload ([^}]+)\}\}")
"""In a document: a module that it will need, with all that this one imports."""


class Asset(NamedTuple):
    content: bytes
    zipped: bytes | None
    """Where that is shorter."""
    kind: str
    etag: str


class Assets(NamedTuple):
    version: str
    """Another one for every other content of the files."""
    files: Mapping[str, Asset]
    pages: Mapping[str, Asset]
    """Whole documents of the package, by their name."""
    documents: Mapping[Document, Asset]

    @property
    def base(self) -> str:
        """What the addresses of the files begin with."""
        return f"/static/{self.version}"

    def module(self, name: str) -> Asset:
        """A module that is nothing but the one of this name, under its address of today."""
        return _asset("module.js", f'import "{self.base}/{name}";\n'.encode())


@cache
def own() -> Assets:
    """Those of the package."""
    return load(files(PACKAGE), (*PAGES.values(), MISSING))


def load(root: Traversable, documents: Iterable[Document] = ()) -> Assets:
    found = dict(sorted(_walk(root.joinpath("static"))))
    version = _digest(b"".join(name.encode() + b"\0" + content for name, content in found.items()))[:12]
    sources = dict(sorted(_walk(root.joinpath("pages"))))
    template = sources.pop(TEMPLATE, b"").decode()
    return Assets(
        version,
        {name: _asset(name, content) for name, content in found.items()},
        {name: _page(content, version, found) for name, content in sources.items()},
        {document: _page(document.written(template).encode(), version, found) for document in documents},
    )


def _walk(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    for each in folder.iterdir():
        if each.is_dir():
            yield from _walk(each, f"{prefix}{each.name}/")
        elif _ending(each.name) in KINDS:
            yield f"{prefix}{each.name}", each.read_bytes()


def _asset(name: str, content: bytes) -> Asset:
    ending = _ending(name)
    zipped = None if ending in PACKED else gzip.compress(content, 9, mtime=0)
    shorter = zipped if zipped is not None and len(zipped) < len(content) else None
    return Asset(content, shorter, KINDS[ending], f'"{_digest(content)[:20]}"')


def _page(content: bytes, version: str, found: Mapping[str, bytes]) -> Asset:
    """A document with the addresses filled in, and with all modules named that it will ask for one by one."""
    base = f"/static/{version}".encode()
    named: list[str] = []

    def links(match: re.Match[bytes]) -> bytes:
        fresh = [name for name in imported(match[1].decode(), found) if name not in named]
        named.extend(fresh)
        return b"\n".join(b'<link rel="modulepreload" href="%b/%b">' % (base, name.encode()) for name in fresh)

    return _asset("page.html", PRELOAD.sub(links, content).replace(b"{{static}}", base))


def imported(entry: str, found: Mapping[str, bytes]) -> list[str]:
    """The module and those that it imports, and those that they import, in the order in which they are met."""
    known = [entry]
    for name in known:
        for target in IMPORT.findall(found.get(name, b"")):
            path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target.decode()))
            if path not in known:
                known.append(path)
    return known


def _ending(name: str) -> str:
    return posixpath.splitext(name)[1]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
