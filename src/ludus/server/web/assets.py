"""The page's static files: read and compressed once, under an address that changes with their content."""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from typing import Final, NamedTuple

KINDS: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""Media types by suffix; files of other kinds are not served."""
COMPRESSED: Final = (".png", ".woff2")
IMPORT: Final = re.compile(rb"""^(?:import|export)\b[^"';]*?["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)
"""A static import; dynamic ones, `import()`, are not meant."""
PRELOAD: Final = re.compile(rb"\{\{preload ([^}]+)\}\}")
"""In a document: a module to preload with everything it imports."""


class Asset(NamedTuple):
    content: bytes
    gzipped: bytes | None
    """None where it would not be shorter."""
    kind: str
    etag: str


class Assets(NamedTuple):
    version: str
    """A hash of all files."""
    files: Mapping[str, Asset]
    prefix: str = ""
    """The path that the server is mounted under."""

    @property
    def base(self) -> str:
        """The prefix of the files' addresses."""
        return f"{self.prefix}/static/{self.version}"

    def module(self, name: str) -> Asset:
        """A module that only passes on the one of this name, under its current address."""
        return asset("module.js", f'export * from "{self.base}/{name}";\n'.encode())

    def page(self, template: bytes) -> Asset:
        """A document with addresses filled in, and with links that preload all modules it will import."""
        base = self.base.encode()
        named: list[str] = []

        def links(match: re.Match[bytes]) -> bytes:
            fresh = [name for name in self.imported(match[1].decode()) if name not in named]
            named.extend(fresh)
            return b"\n".join(b'<link rel="modulepreload" href="%b/%b">' % (base, name.encode()) for name in fresh)

        return asset(
            "page.html",
            PRELOAD.sub(links, template).replace(b"{{static}}", base).replace(b"{{prefix}}", self.prefix.encode()),
        )

    def imported(self, entry: str) -> list[str]:
        """The module and everything it imports, directly or not, in the order of discovery."""
        known = [entry]
        for name in known:
            content = self.files[name].content if name in self.files else b""
            for target in IMPORT.findall(content):
                path = posixpath.normpath(posixpath.join(posixpath.dirname(name), target.decode()))
                if path not in known:
                    known.append(path)
        return known


def assets(contents: Mapping[str, bytes], prefix: str = "") -> Assets:
    ordered = dict(sorted(contents.items()))
    version = _digest(b"".join(name.encode() + b"\0" + content for name, content in ordered.items()))[:12]
    return Assets(version, {name: asset(name, content) for name, content in ordered.items()}, prefix)


def read(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """The files of a folder that can be served, by their path within it."""
    for each in folder.iterdir():
        if each.is_dir():
            yield from read(each, f"{prefix}{each.name}/")
        elif _suffix(each.name) in KINDS:
            yield f"{prefix}{each.name}", each.read_bytes()


def asset(name: str, content: bytes) -> Asset:
    suffix = _suffix(name)
    gzipped = None if suffix in COMPRESSED else gzip.compress(content, 9, mtime=0)
    shorter = gzipped if gzipped is not None and len(gzipped) < len(content) else None
    return Asset(content, shorter, KINDS[suffix], f'"{_digest(content)[:20]}"')


def _suffix(name: str) -> str:
    return posixpath.splitext(name)[1]


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
