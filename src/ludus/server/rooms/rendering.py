"""A table's messages for one audience, rendered once however many clients join, return and watch."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import orjson

from ludus.server.rooms.messages import Forms, Message, MessageRenderer
from ludus.service.documents import SizedCache
from ludus.service.public import public_seats
from ludus.service.records import Event
from ludus.service.table import EventKind, Table
from ludus.service.tables import LoadedTable, Tables

MAX_BYTES: Final = 32 * 1024 * 1024
HISTORY: Final = "moveHistory"
OF_MOVES: Final = frozenset({"game:move:made", "game:dice", "game:takeback:made"})
"""Messages that aren't needed after a takeback, which shows the whole state."""
NOBODY: Final = Forms(whole=False, compact=False)


class Cursor(NamedTuple):
    """The last message a client received."""

    version: int
    part: int


class Rendered(NamedTuple):
    """A message without its history of moves, which is the beginning of the table's."""

    event: str
    at: Cursor
    start: bytes
    """The JSON object without its last brace."""
    history: int | None
    """The length of its history in bytes; None where it has none."""
    compact: bytes | None
    """The form for clients that asked for less; None where they get the same."""


class Rendering:
    """`render` follows a live table; what came before is rendered again, once, when it is requested."""

    def __init__(self, table: Table, *, is_public: bool) -> None:
        self.key = table.id, is_public
        self.is_public = is_public
        self._seats = table.seats
        seats = public_seats(table) if is_public else None
        self._live = MessageRenderer(table, seats)
        self._past = MessageRenderer(table, seats)
        self._rendered: list[Rendered] = []
        """By the renderer of the past."""
        self._state: tuple[int, bytes] = (0, b"")
        """A version and the state at it."""
        self.size = 0
        """In bytes, about."""

    @property
    def version(self) -> int:
        """Of the last event that was rendered."""
        return self._live.version

    def is_of(self, table: Table) -> bool:
        """Whether the players still have the names and ids that were rendered."""
        return self._seats == table.seats

    def render(self, event: Event, table: Table, forms: Forms) -> list[Message]:
        """The next event; `table` may be ahead of it."""
        self._keep_state(0, b"")  # it won't be requested again
        return self._live.render(event, table, forms)

    def catch_up(self, live: LoadedTable, version: int) -> None:
        """Follows the table to this version; the messages aren't needed."""
        for event in live.events[self.version : version]:
            self._live.render(event, live.table, NOBODY)

    def after(self, cursor: Cursor, live: LoadedTable, *, is_compact: bool = False) -> list[Message]:
        """The messages after this one, of those up to our version."""
        self._render_past(live)
        history = self._past.history_bytes
        return [self._message(each, history, is_compact=is_compact) for each in self._rendered if each.at > cursor]

    def of_kinds(self, events: tuple[str, ...], live: LoadedTable) -> list[Message]:
        """The messages with these names, of those up to our version."""
        self._render_past(live)
        history = self._past.history_bytes
        return [self._message(each, history) for each in self._rendered if each.event in events]

    def state(self, table: Table, own: dict[str, Any]) -> orjson.Fragment:
        """The whole state, with a client's own fields."""
        if self._state[0] != self.version:
            state = self._live.state(table) | {HISTORY: self._live.history()}
            self._keep_state(self.version, orjson.dumps(state))
        content = self._state[1]
        return orjson.Fragment(content[:-1] + b"," + orjson.dumps(own)[1:] if own else content)

    def _keep_state(self, version: int, content: bytes) -> None:
        self.size += len(content) - len(self._state[1])
        self._state = version, content

    def _render_past(self, live: LoadedTable) -> None:
        for event in live.events[self._past.version : self.version]:
            if event.kind == EventKind.TAKEN_BACK:
                self._forget_moves()
            for message in self._past.render(event, live.table):
                data = dict(message.data)
                history = data.pop(HISTORY, None)
                rendered = Rendered(
                    message.event,
                    Cursor(data["version"], data["part"]),
                    orjson.dumps(data)[:-1],
                    None if history is None else len(orjson.dumps(history)) - len("[]"),
                    None if message.compact is None else orjson.dumps(message.compact),
                )
                self._rendered.append(rendered)
                self.size += len(rendered.start) + len(rendered.compact or b"")

    def _forget_moves(self) -> None:
        kept = [each for each in self._rendered if each.event not in OF_MOVES]
        gone = [each for each in self._rendered if each.event in OF_MOVES]
        self.size -= sum(len(each.start) + len(each.compact or b"") for each in gone)
        self._rendered = kept

    def _message(self, message: Rendered, history: bytes, *, is_compact: bool = False) -> Message:
        if is_compact and message.compact is not None:
            return Message(message.event, orjson.Fragment(message.compact))
        if message.history is None:
            return Message(message.event, orjson.Fragment(message.start + b"}"))
        moves = b',"%b":[%b]}' % (HISTORY.encode(), history[: message.history])
        return Message(message.event, orjson.Fragment(message.start + moves))


class Renderings:
    """Those of the tables that were joined most recently, also after everyone has left."""

    def __init__(self, tables: Tables, most: int = MAX_BYTES) -> None:
        self._cache: SizedCache[tuple[str, bool], Rendering] = SizedCache(most)
        tables.on_rewritten.append(self._forget)

    def get(self, table: Table, *, is_public: bool) -> Rendering:
        """For one room at a time: it follows that room."""
        found = self._cache.get((table.id, is_public))
        return found if found is not None and found.is_of(table) else Rendering(table, is_public=is_public)

    def keep(self, rendering: Rendering) -> None:
        self._cache.put(rendering.key, rendering, rendering.size)

    def _forget(self, table: str) -> None:
        for is_public in (False, True):
            self._cache.drop((table, is_public))
