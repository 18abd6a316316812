"""Maps records to rows, a column for each field in the same order, and generates their SQL.

Parameters are written `?1`, `?2`, …, numbered by the record's fields.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Generic, NamedTuple, TypeVar

import orjson

from ludus.service.ports.store import Unreadable
from ludus.storage.errors import BadRecord

R = TypeVar("R", bound=tuple[Any, ...])


class Codec(NamedTuple):
    """How a field other than text or a number is stored."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


def to_json(value: Any) -> str:
    try:
        return orjson.dumps(value, default=dict).decode()
    except TypeError as error:
        raise BadRecord(f"this cannot be stored as JSON: {error}") from error


FLAG = Codec(int, bool)
LIST = Codec(to_json, lambda text: tuple(orjson.loads(text)))
OBJECT = Codec(to_json, orjson.loads)
OPTIONAL_OBJECT = Codec(
    lambda value: None if value is None else to_json(value),
    lambda text: None if text is None else orjson.loads(text),
)


def is_storable(values: Iterable[Any]) -> bool:
    """False for text with a NUL, which PostgreSQL refuses, or a lone surrogate, which is not UTF-8."""
    text = "".join([value for value in values if type(value) is str])
    if text.isascii():
        return "\0" not in text
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


class Relation(Generic[R]):
    """A database table and its record.

    `counter` is the field that each change increments; `fixed` fields never change, so updates leave them out.
    """

    def __init__(
        self,
        name: str,
        record: Callable[..., R],
        columns: Sequence[str],
        key: Sequence[str],
        counter: str = "",
        codecs: Mapping[str, Codec] | None = None,
        fixed: Sequence[str] = (),
    ) -> None:
        self._record = record
        self._codecs = _by_place(columns, codecs or {})
        mutable = [column for column in columns if column not in fixed]
        self._mutable = itemgetter(*map(columns.index, mutable))
        self._mutable_codecs = _by_place(mutable, codecs or {})
        place = _parameters(columns)
        rest = [column for column in columns if column not in key and column not in fixed]
        self.width = len(columns)
        self.columns = ", ".join(f'"{column}"' for column in columns)
        self.select = f"SELECT {self.columns} FROM {name}"
        self.insert = f"INSERT INTO {name} ({self.columns}) VALUES ({', '.join(place.values())})"
        changes = ", ".join(f'"{column}" = {place[column]}' for column in rest)
        keys = ", ".join(f'"{column}"' for column in key)
        self.upsert = f"{self.insert} ON CONFLICT ({keys}) DO {f'UPDATE SET {changes}' if changes else 'NOTHING'}"
        place = _parameters(mutable)
        changes = ", ".join(f'"{column}" = {place[column]}' for column in mutable if column not in key)
        found = [f'"{column}" = {place[column]}' for column in key]
        found += [f'"{counter}" = {place[counter]} - 1'] if counter else []
        self.update = f"UPDATE {name} SET {changes} WHERE {' AND '.join(found)}"

    def values(self, record: R) -> list[Any]:
        """For `insert` and `upsert`."""
        return _encoded(list(record), self._codecs)

    def changes(self, record: R) -> list[Any]:
        """For `update`."""
        return _encoded(list(self._mutable(record)), self._mutable_codecs)

    def record(self, row: Iterable[Any]) -> R:
        values = list(row)
        try:
            for place, codec in self._codecs:
                values[place] = codec.decode(values[place])
        except (ValueError, TypeError) as error:
            raise Unreadable(f"a stored record cannot be read: {error}") from error
        return self._record(*values)


Places = Sequence[tuple[int, Codec]]


def _by_place(columns: Sequence[str], codecs: Mapping[str, Codec]) -> Places:
    return [(columns.index(column), codec) for column, codec in codecs.items() if column in columns]


def _parameters(columns: Sequence[str]) -> dict[str, str]:
    return {column: f"?{number}" for number, column in enumerate(columns, 1)}


def _encoded(values: list[Any], codecs: Places) -> list[Any]:
    for place, codec in codecs:
        values[place] = codec.encode(values[place])
    if not is_storable(values):
        raise BadRecord("text with a NUL or a lone surrogate cannot be stored")
    return values
