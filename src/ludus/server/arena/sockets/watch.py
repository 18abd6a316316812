"""`/ws/watch/ID`: sends anyone the state of a match, then every move, then the result."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from ludus.server.arena.states import view
from ludus.server.websocket.connection import Connection, frame, refuse_messages
from ludus.service.clock import iso
from ludus.service.decisions import ENDINGS
from ludus.service.game_clock import clock_now, time_control_of
from ludus.service.matches import MatchSeat
from ludus.service.public import player, public_id, reason_of, results
from ludus.service.records import Event
from ludus.service.sessions import result_options
from ludus.service.table import EventKind, Table, folded
from ludus.service.tables import LoadedTable
from ludus.wire import codec

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena


class Seen(NamedTuple):
    version: int
    base: str
    """The start of the watcher's links."""


class Watchers:
    def __init__(self, arena: Arena) -> None:
        self._arena = arena
        self._seen: dict[str, dict[Connection, Seen]] = {}
        """What each connection was shown, by match."""

    def has(self, match: str) -> bool:
        return match in self._seen

    def count(self, match: str) -> int:
        return len(self._seen.get(match, ()))

    async def serve(self, connection: Connection, match: str, base: str) -> None:
        live = await self._arena.platform.tables.load(match)
        table = live.table
        connections = self._seen.setdefault(match, {})
        connections[connection] = Seen(table.version, base)
        try:
            connection.send(frame("state", self._state(table)))
            if table.outcome:
                connection.send(frame("game_over", self._result(table, base)))
                connection.close(reason="game over")
            await connection.run(refuse_messages(connection))
        finally:
            del connections[connection]
            if not connections and self._seen.get(match) is connections:
                del self._seen[match]

    def show(self, live: LoadedTable) -> None:
        """What each watcher has not seen yet, written once for all who came to the same address."""
        written: dict[Seen, list[str]] = {}
        table = live.table
        connections = self._seen.get(table.id, {})
        for connection, (seen, base) in list(connections.items()):
            connections[connection] = Seen(table.version, base)
            for event in live.events[seen : table.version]:
                news = Seen(event.version, base)
                if news not in written:
                    written[news] = list(self._frames(live, event, base))
                for text in written[news]:
                    connection.send(text)
            if table.outcome:
                connection.close(reason="game over")

    def _frames(self, live: LoadedTable, event: Event, base: str) -> Iterator[str]:
        is_latest = event.version == live.table.version
        table = live.table if is_latest else folded(live.events[: event.version])
        if event.kind in (EventKind.PLAYED, EventKind.RESIGNATION_ACCEPTED):
            state = self._state(table)
            for move in moves(table, len(event.data["moves"])):
                yield frame("move", state, at=iso(event.at), move=move)
        if table.outcome and event.kind in ENDINGS:
            yield frame("game_over", self._result(table, base))

    def _state(self, table: Table) -> dict[str, Any]:
        """How a match stands; nothing that only one of the players may know, since there is no such thing."""
        state = {
            "matchId": table.id,
            "gameId": table.opening.game,
            "status": "game_over" if table.outcome else "active",
            "sequence": MatchSeat(table, 0).sequence,
            "players": [player(table, seat) for seat in (0, 1)],
            "view": view(table, None),
        }
        ends = self._arena.turn_ends_at(table)
        clock = clock_now(table, self._arena.platform.clock.moment().clock)
        return state | time_control_of(table) | clock | ({"turnEndsAt": ends} if ends else {})

    def _result(self, table: Table, base: str) -> dict[str, Any]:
        outcome = table.outcome
        assert outcome is not None
        record = f"{base}/api/matches/{table.id}"
        return self._state(table) | {
            "results": results(table),
            **reason_of(outcome.reason),
            "points": 0 if outcome.winner is None else outcome.points,
            **result_options(table, outcome),
            "replayUrl": record,
            "replayMarkdownUrl": f"{record}/replay.md",
        }


def moves(table: Table, last: int) -> Iterator[dict[str, Any]]:
    """The players' moves, passes included, among the last moves of the record."""
    game = table.game
    for number in range(game.length - last, game.length):
        position, move = game.position_at(number), game.move_at(number)
        maker = game.rules.maker(position, move)
        if maker is not None:
            yield {
                "player": public_id(table, maker),
                "notation": game.rules.notation.write_move(position, move),
                **codec(table.opening.game).arena.move(position, move),
            }
