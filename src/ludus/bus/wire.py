"""How notes look on a shared bus: what processes write to its streams, and how strictly they read it.

The fields of a kind never change: what a later version has to say gets a kind of its own, which earlier ones ignore.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple
from zlib import crc32

import orjson

from ludus.service.ports.bus import (
    AdviceFound,
    AdviceWanted,
    DeadlinesMoved,
    ExhibitionsWatched,
    HintFound,
    HintWanted,
    Note,
    OpinionFound,
    OpinionUnwanted,
    OpinionWanted,
    PhraseSaid,
    PlayerErased,
    PlayerSeated,
    PresenceChanged,
    SessionCancelled,
    SocketOpened,
    TableChanged,
    TableRedacted,
)
from ludus.service.records import Event

STREAMS: Final = 4
"""Of notes. All that one process publishes is in the same one, so its order stays."""
MAX_NOTES: Final = 100
"""In one entry of a stream."""
MAX_ID: Final = 1000
"""Characters of a table's, player's, session's or process's id."""
MAX_ENTRY: Final = 256 * 1024
"""Bytes."""
MAX_EVENT: Final = 2048
"""Bytes of an event in a note; larger ones are read from the store."""
MAX_OPINION: Final = 2048
"""Characters of what an engine thinks of a position."""
MAX_LOSS: Final = 1e6
"""Points that a move can give away."""
MAX_NUMBER: Final = 2**53
TRACEPARENT: Final = re.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")
KINDS: Final[Mapping[str, type[Any]]] = {
    "changed": TableChanged,
    "seated": PlayerSeated,
    "cancelled": SessionCancelled,
    "redacted": TableRedacted,
    "erased": PlayerErased,
    "presence": PresenceChanged,
    "socket": SocketOpened,
    "phrase": PhraseSaid,
    "hint_wanted": HintWanted,
    "hint_found": HintFound,
    "advice_wanted": AdviceWanted,
    "advice_found": AdviceFound,
    "opinion_wanted": OpinionWanted,
    "opinion_found": OpinionFound,
    "opinion_unwanted": OpinionUnwanted,
    "watched": ExhibitionsWatched,
}
NAMES: Final = {kind: name for name, kind in KINDS.items()}


class Malformed(ValueError):
    """Not written by a process of this platform."""


class Entry(NamedTuple):
    """Notes that one process has published in one stream, numbered without a gap."""

    publisher: str
    number: int
    at: int
    """When they were published, in milliseconds since 1970 by the publisher's clock."""
    notes: Sequence[Note]


class Beacon(NamedTuple):
    """The numbers of a process's last entries, by stream: those who have seen lower ones have missed something."""

    publisher: str
    numbers: Sequence[int]


def is_local(note: Note) -> bool:
    """Whether the note is only for the process that publishes it."""
    return isinstance(note, DeadlinesMoved)


def stream_of(publisher: str) -> int:
    return crc32(publisher.encode()) % STREAMS


def write_entry(entry: Entry) -> bytes:
    notes = [_written(note) for note in entry.notes]
    return orjson.dumps((entry.publisher, entry.number, entry.at, notes))


def _written(note: Note) -> tuple[Any, ...]:
    if not isinstance(note, TableChanged):
        return NAMES[type(note)], *note
    table, version, trace, event = note
    if event is None:
        return "changed", table, version, trace
    content = orjson.dumps((event.at, event.clock, event.kind, event.seat, event.data, event.command), default=dict)
    return "changed", table, version, trace, orjson.Fragment(content) if len(content) <= MAX_EVENT else None


def read_entry(content: bytes) -> Entry:
    """Without the notes of unknown kinds."""
    match _parsed(content):
        case [str(publisher), int(number), int(at), list(notes)]:
            _require(_is_id(publisher) and _is_number(number) and _is_number(at) and len(notes) <= MAX_NOTES)
            return Entry(publisher, number, at, [note for each in notes if (note := _read_note(each)) is not None])
    raise Malformed


def write_beacon(beacon: Beacon) -> bytes:
    return orjson.dumps((beacon.publisher, beacon.numbers))


def read_beacon(content: bytes) -> Beacon:
    match _parsed(content):
        case [str(publisher), list(numbers)]:
            _require(_is_id(publisher) and len(numbers) == STREAMS and all(map(_is_number, numbers)))
            return Beacon(publisher, numbers)
    raise Malformed


def _parsed(content: bytes) -> object:
    _require(len(content) <= MAX_ENTRY)
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        raise Malformed from None


def _read_note(data: object) -> Note | None:
    if type(data) is list and 4 <= len(data) <= 5 and data[0] == "changed":
        return _read_change(*data[1:])
    match data:
        case ["seated", str(player), str(table)]:
            _require(_is_id(player) and _is_id(table))
            return PlayerSeated(player, table)
        case ["cancelled" | "redacted" | "erased" | "opinion_unwanted" as kind, str(id)]:
            _require(_is_id(id))
            note: Note = KINDS[kind](id)
            return note
        case ["presence", str(table), int(seat), str(socket), bool(is_here)]:
            _require(_is_id(table) and _is_number(seat) and len(socket) <= MAX_ID)
            return PresenceChanged(table, seat, socket, is_here)
        case ["socket", str(place), int(at), str(socket)]:
            _require(_is_id(place) and _is_number(at) and _is_id(socket))
            return SocketOpened(place, at, socket)
        case ["phrase", str(table), int(seat), str(phrase)]:
            _require(_is_id(table) and _is_number(seat) and _is_id(phrase))
            return PhraseSaid(table, seat, phrase)
        case ["hint_wanted" | "hint_found" as kind, str(table), int(seat), int(version), str(text)]:
            _require(_is_id(table) and _is_number(seat) and _is_number(version) and len(text) <= MAX_ID)
            found: Note = KINDS[kind](table, seat, version, text)
            return found
        case ["advice_wanted", str(table), int(seat), int(version), str(owner), str(move)]:
            _require(_is_id(table) and _is_number(seat) and _is_number(version))
            _require(len(owner) <= MAX_ID and _is_id(move))
            return AdviceWanted(table, seat, version, owner, move)
        case ["advice_found", str(table), int(seat), int(version), str(move), str(best), float(loss)]:
            _require(_is_id(table) and _is_number(seat) and _is_number(version))
            _require(_is_id(move) and len(best) <= MAX_ID and 0 <= loss <= MAX_LOSS)
            return AdviceFound(table, seat, version, move, best, loss)
        case ["opinion_wanted", str(id), str(game), str(position), str(owner)]:
            _require(_is_id(id) and _is_id(game) and _is_id(position) and len(owner) <= MAX_ID)
            return OpinionWanted(id, game, position, owner)
        case ["opinion_found", str(id), str(content)]:
            _require(_is_id(id) and len(content) <= MAX_OPINION)
            return OpinionFound(id, content)
        case ["watched"]:
            return ExhibitionsWatched()
        case [str(kind), *_] if kind not in KINDS:
            return None
    raise Malformed


def _read_change(table: Any, version: Any, trace: Any, event: Any = None) -> TableChanged:
    """Nearly every note is one of these, and to match patterns takes three times as long."""
    _require(type(table) is str and _is_id(table) and _is_number(version))
    _require(trace == "" or (type(trace) is str and TRACEPARENT.fullmatch(trace) is not None))
    return TableChanged(table, version, trace, None if event is None else _read_event(table, version, event))


def _read_event(table: str, version: int, data: Any) -> Event:
    _require(type(data) is list and len(data) == 6)
    at, clock, kind, seat, content, command = data
    _require(_is_number(at) and _is_number(clock) and type(kind) is str and (seat is None or _is_number(seat)))
    _require(type(content) is dict and (command is None or type(command) is str))
    return Event(table, version, at, clock, kind, seat, content, command)


def _is_id(text: str) -> bool:
    return 0 < len(text) <= MAX_ID


def _is_number(number: object) -> bool:
    return type(number) is int and 0 <= number <= MAX_NUMBER


def _require(condition: bool) -> None:
    if not condition:
        raise Malformed
