"""What is shown of a table, rendered once for each of its versions and shared by all requests."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Final, Generic, NamedTuple, TypeVar

from ludus.service.table import Seat, Table
from ludus.service.tables import Tables

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MAX_BYTES: Final = 32 * 1024 * 1024
OVERHEAD: Final = 200
"""Bytes that an entry takes besides its content, about."""


class SizedCache(Generic[K, V]):
    """The most recently used values, up to a number of bytes."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, tuple[V, int]] = OrderedDict()
        self.size = 0

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: K) -> V | None:
        found = self._values.get(key)
        if found is None:
            return None
        self._values.move_to_end(key)
        return found[0]

    def put(self, key: K, value: V, size: int) -> None:
        """Also tells of a new size."""
        self.drop(key)
        self._values[key] = value, size + OVERHEAD
        self.size += size + OVERHEAD
        while self.size > self._most:
            self.drop(next(iter(self._values)))

    def drop(self, key: K) -> None:
        _, size = self._values.pop(key, (None, 0))
        self.size -= size


class Document(NamedTuple):
    content: bytes
    etag: str


class TableDocuments(NamedTuple):
    version: int
    seats: tuple[Seat, Seat]
    """They change when a player is deleted, which is no new version."""
    parts: dict[Hashable, Document]


class Documents:
    def __init__(self, tables: Tables, most: int = MAX_BYTES) -> None:
        self._cache: SizedCache[str, TableDocuments] = SizedCache(most)
        tables.on_rewritten.append(self._cache.drop)

    @property
    def size(self) -> int:
        """In bytes."""
        return self._cache.size

    def get(self, table: Table, kind: Hashable, build: Callable[[], str | bytes]) -> Document:
        """The document of this kind; `build` must depend on nothing but the table and the kind."""
        found = self._of(table)
        document = found.parts.get(kind)
        if document is None:
            document = found.parts[kind] = written(build())
            size = sum(len(each.content) + OVERHEAD for each in found.parts.values())
            self._cache.put(table.id, found, size)
        return document

    def find(self, table: Table, kind: Hashable) -> Document | None:
        """The document if it has been written, for those that are built in a thread."""
        return self._of(table).parts.get(kind)

    def _of(self, table: Table) -> TableDocuments:
        found = self._cache.get(table.id)
        if found is None or found.version != table.version or found.seats != table.seats:
            return TableDocuments(table.version, table.seats, {})
        return found


def merged(*objects: bytes) -> bytes:
    """JSON objects as one.

    >>> merged(b'{"a":1}', b"{}", b'{"b":[2]}')
    b'{"a":1,"b":[2]}'
    """
    return b"{%b}" % b",".join(each[1:-1] for each in objects if len(each) > 2)


def written(content: str | bytes) -> Document:
    encoded = content.encode() if isinstance(content, str) else content
    return Document(encoded, f'"{hashlib.blake2b(encoded, digest_size=10).hexdigest()}"')
