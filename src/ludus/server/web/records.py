"""Games as the page shows them: the list of live ones, and single ones move by move."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Final

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.games import ABOUT, GAMES
from ludus.server.http.request import JSON, REVALIDATE, Pipeline, Request, document_response
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.web.cards import CARDS, Cards, drawn, written_names
from ludus.server.web.viewers import Viewers
from ludus.service.activity import activity
from ludus.service.clock import iso
from ludus.service.documents import merged, written
from ludus.service.exhibitions import EXHIBITION, FIRST, is_exhibition, is_public
from ludus.service.game_clock import time_control_of
from ludus.service.matches import MatchNotFound
from ludus.service.options import shown_options
from ludus.service.platform import Platform
from ludus.service.ports.store import Unreadable
from ludus.service.privacy import is_hidden, may_see
from ludus.service.public import PlayerMove, page_player, player_moves, reason_of, record_file
from ludus.service.records import MAX_ID, TableRow
from ludus.service.sessions import result_options
from ludus.service.table import SeatKind, Table
from ludus.service.tables import LoadedTable, NotFound
from ludus.wire import codec, record_format

Json = dict[str, Any]
Count = Callable[[str], int]
"""The number of a table's spectators."""

MOST_LISTED: Final = 48
MOST_SEARCHED: Final = 1000
"""Tables to search for public ones: most of them may be games with bots."""
COUNT_SECONDS: Final = 3.0
"""How long numbers are shown; counting reads many rows."""
SVG_SIZE: Final = 640
PICTURE: Final = {**REVALIDATE, "Content-Security-Policy": "default-src 'none'"}


class GameRecords:
    def __init__(self, platform: Platform, spectators: Count, viewers: Viewers) -> None:
        self._platform = platform
        self._viewers = viewers
        self.documents = platform.documents
        self._lists = SharedBuilds()
        self._counts = SharedBuilds(seconds=COUNT_SECONDS)
        self._spectators = spectators
        self._cards = Cards()

    async def live(self, request: Request) -> Response:
        """The newest public games; a person's games with bots and in private rooms are not listed."""
        await self._platform.exhibitions.note_viewer()
        game = request.one_of("game", tuple(GAMES), "") or None
        return document_response(request, await self._lists.get(game, partial(self._live, game)), JSON)

    async def exhibitions(self, request: Request) -> Response:
        """The games that bots play for spectators, in the form of the list of live ones."""
        await self._platform.exhibitions.note_viewer()
        return document_response(request, await self._lists.get(EXHIBITION, self._exhibitions), JSON)

    async def _exhibitions(self) -> bytes:
        return await self._listed(await self._platform.store.live_tables_of(FIRST))

    async def _live(self, game: str | None) -> bytes:
        rows = await self._platform.store.live_tables(game, MOST_SEARCHED)
        return await self._listed([row for row in rows if is_public(row)][:MOST_LISTED])

    async def _listed(self, rows: Sequence[TableRow]) -> bytes:
        listed = [await self._summary(row) for row in rows]
        return orjson.dumps({"tables": [each for each in listed if each]})

    async def presence(self, request: Request) -> Response:
        """How many play, wait and can be watched, for the start page."""
        await self._platform.exhibitions.note_viewer()
        return document_response(request, await self._counts.get("presence", self._presence), JSON)

    async def _presence(self) -> bytes:
        found = await activity(self._platform)
        waiting, live = ({game: each[place] for game, each in found.games.items()} for place in (0, 1))
        return orjson.dumps({"playing": found.playing, "waiting": waiting, "live": live})

    async def record(self, request: Request) -> Response:
        """A game from move `after` on, for anyone who knows its id and may see it."""
        loaded = await self.load(request)
        after = request.number("after", 0, 1_000_000, 0)
        return document_response(request, written(await self._record(loaded, after)), JSON)

    async def file(self, request: Request) -> Response:
        table = (await self.load(request)).table
        game = table.opening.game
        name = f'attachment; filename="ludus-{table.id[-8:]}.{record_format(game)}"'
        file = self.documents.get(table, "file", lambda: record_file(table))
        return document_response(request, file, ABOUT[game].media_type, {**REVALIDATE, "Content-Disposition": name})

    async def picture(self, request: Request) -> Response:
        """The board after this many moves of the players."""
        loaded = await self.load(request)
        plies = self._plies(loaded)
        number = request.number("move", 0, len(plies), len(plies))
        is_flipped = request.query("flip") == "true"
        game = loaded.table.game

        def draw() -> str:
            at = plies[number - 1] + 1 if number else (plies[0] if plies else game.length)
            board = game.rules.board(game.position_at(at), loaded.table.outcome if number == len(plies) else None)
            return board.svg(SVG_SIZE, flipped=is_flipped)

        picture = self.documents.get(loaded.table, ("picture", number, is_flipped), draw)
        return document_response(request, picture, "image/svg+xml", PICTURE)

    async def card(self, request: Request) -> Response:
        """The board with both names and the result, as a picture to share: PNG or SVG."""
        loaded = await self.load(request)
        table, plies, is_png = loaded.table, self._plies(loaded), request.param("kind") == "png"
        if request.param("kind") not in CARDS:
            raise NotFound("there is no such picture")
        number = request.number("move", 0, len(plies), len(plies))
        is_flipped = request.query("flip") == "true"

        def draw() -> bytes:
            at = plies[number - 1] + 1 if number else (plies[0] if plies else table.game.length)
            outcome = table.outcome if number == len(plies) else None
            board = table.game.rules.board(table.game.position_at(at), outcome)
            names = written_names([page_player(table, seat)["name"] for seat in (0, 1)], is_png=is_png)
            lines = [*names, _status(table, names), "Ludus"]
            return drawn(board.picture(flipped=is_flipped), lines, is_png=is_png)

        key = "card", number, is_flipped, is_png
        if (found := self.documents.find(table, key)) is None:
            content = await self._cards.draw(draw)
            found = self.documents.get(table, key, lambda: content)
        return document_response(request, found, CARDS[request.param("kind")], PICTURE)

    def _plies(self, loaded: LoadedTable) -> list[int]:
        """Of the players' moves."""

        def list_plies() -> bytes:
            return orjson.dumps([made.ply for made in player_moves(loaded.table, loaded.events)])

        plies: list[int] = orjson.loads(self.documents.get(loaded.table, "plies", list_plies).content)
        return plies

    async def load(self, request: Request) -> LoadedTable:
        """The game that a request names; one that the sender may not see is not found, like one that does not exist."""
        loaded, id = None, request.param("id")
        with suppress(NotFound):
            loaded = await self._platform.tables.current(id) if len(id) <= MAX_ID else None
        is_seen = loaded is not None and (
            not is_hidden(loaded.table) or may_see(loaded.table, *await self._viewers.keys(request, loaded.table))
        )
        if loaded is None or not is_seen:
            raise MatchNotFound("there is no such game")
        return loaded

    async def _summary(self, row: TableRow) -> Json | None:
        try:
            table = (await self._platform.tables.load(row.id)).table
        except (NotFound, Unreadable):  # the others are shown
            return None
        if table.outcome:
            return None
        return {
            **head(table),
            "moveCount": table.moves,
            "spectators": self._spectators(table.id),
            "turn": None if table.mover is None else int(table.mover),
            "board": codec(table.opening.game).rooms.packed_board(table.game.position),
            "last": _last(table),
        }

    async def _record(self, loaded: LoadedTable, after: int) -> bytes:
        """All but ratings and spectators is written once for each version, with a line for each move."""
        table = loaded.table
        whole = self.documents.get(table, "record", lambda: _whole(loaded))
        start, *moves = whole.content.split(b"\n")
        rest = {
            "ratings": [await self._rating(table, seat) for seat in (0, 1)],
            "spectators": self._spectators(table.id),
        }
        return merged(start, b'{"moves":[%b]}' % b",".join(moves[after:]), orjson.dumps(rest))

    async def _rating(self, table: Table, seat: int) -> Json | None:
        found = await self._platform.store.rating_change(table.id, table.seats[seat].key) if table.outcome else None
        return found and {"before": found.before, "after": found.after}


def routes(pipeline: Pipeline, records: GameRecords) -> list[BaseRoute]:
    handlers = {
        "/web/live": records.live,
        "/web/exhibitions": records.exhibitions,
        "/web/presence": records.presence,
        "/web/tables/{id}": records.record,
        "/web/tables/{id}/file": records.file,
        "/web/tables/{id}/board.svg": records.picture,
        "/web/tables/{id}/card.{kind}": records.card,
    }
    return [pipeline.route(path, handler) for path, handler in handlers.items()]


def _whole(loaded: LoadedTable) -> bytes:
    """The first line is about the game, each other one is a move."""
    table = loaded.table
    game, moves = table.game, list(player_moves(table, loaded.events))
    first = moves[0].ply if moves else game.length
    rooms = codec(table.opening.game).rooms
    record: Json = {
        **head(table),
        "variant": table.opening.variant,
        "rated": table.opening.is_rated,
        "finishedAt": None if table.ended_at is None else iso(table.ended_at),
        "start": rooms.packed_board(game.position_at(first)),
        "now": rooms.packed_board(game.position),
        "turn": None if table.mover is None else int(table.mover),
        "count": len(moves),
        "result": _result(table),
        "format": record_format(table.opening.game),
        "position": game.rules.notation.write_position(game.position),
        "rematch": table.rematch,
    }
    if table.is_clocked and table.outcome:
        record["clock"] = table.turn_starts[-1].remaining
    if table.commitment:
        seed = table.opening.seed.hex() if table.opening.seed and table.outcome else None
        record["dice"] = {"commitment": table.commitment, "seed": seed}
    return b"\n".join(map(orjson.dumps, [record, *(move_entry(table, made) for made in moves)]))


def head(table: Table) -> Json:
    """What live and finished games have in common."""
    colors = codec(table.opening.game).rooms.colors
    return {
        "id": table.id,
        "game": table.opening.game,
        "door": table.opening.channel,
        "isExhibition": is_exhibition(table),
        "isMatch": any(seat.kind == SeatKind.AGENT for seat in table.seats),
        "status": "over" if table.outcome else "live",
        **time_control_of(table),
        **shown_options(table.opening.game, table.opening.variant),
        "startedAt": iso(table.opened_at),
        "players": [page_player(table, seat) | {"color": color} for seat, color in enumerate(colors)],
    }


def move_entry(table: Table, made: PlayerMove) -> Json:
    game, rooms = table.game, codec(table.opening.game).rooms
    before, move = game.position_at(made.ply), game.move_at(made.ply)
    entry: Json = {
        "seat": made.seat,
        "notation": game.rules.notation.write_move(before, move),
        "move": rooms.move(before, move),
        "board": rooms.packed_board(game.position_at(made.ply + 1)),
        "at": iso(made.at),
    }
    if (dice := rooms.board(before).get("dice")) and made.seat == game.rules.turn(before).player:
        entry["dice"] = dice
    if (ended := rooms.ended(before, move, game.position_at(made.ply + 1))) is not None:
        entry["ended"] = ended
    if table.is_clocked:
        entry |= {"spentMs": made.spent, "clock": table.remaining_at(made.version)}
    return entry


def _last(table: Table) -> Json | None:
    """The last move that a player made."""
    game = table.game
    for number in range(game.length - 1, -1, -1):
        before = game.position_at(number)
        if not game.rules.chances(before):
            return codec(table.opening.game).rooms.move(before, game.move_at(number))
    return None


def status_of(table: Table) -> str:
    """How a game stands or ended, in a sentence."""
    return _status(table, [page_player(table, seat)["name"] for seat in (0, 1)])


def _status(table: Table, names: Sequence[str]) -> str:
    if table.outcome is None:
        return f"A live game, {table.moves} moves so far."
    winner = None if table.outcome.winner is None else int(table.outcome.winner)
    return result_text(names, winner, table.outcome.reason)


def result_text(names: Sequence[str], winner: int | None, reason: str) -> str:
    """In a sentence.

    >>> result_text(("Ann", "Ben"), 1, "no_moves"), result_text(("Ann", "Ben"), None, "agreement")
    ('Ben won (no moves).', 'Draw (agreement).')
    """
    if reason == "cancelled":
        return "Cancelled."
    said = str(reason_of(reason)["reason"]).replace("_", " ")
    return f"Draw ({said})." if winner is None else f"{names[winner]} won ({said})."


def _result(table: Table) -> Json | None:
    outcome = table.outcome
    if outcome is None:
        return None
    winner = None if outcome.winner is None else int(outcome.winner)
    kind = "" if winner is None else ABOUT[table.opening.game].win(outcome.win)
    ending = reason_of(outcome.reason)
    reason = ending["detail"] or ending["reason"]
    points = 0 if winner is None else outcome.points
    return {"winner": winner, "reason": reason, "points": points, "kind": kind} | result_options(table, outcome)
