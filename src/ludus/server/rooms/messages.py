"""Message rendering: a table's stored events become the messages that clients get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import orjson

from ludus.core.game import Game
from ludus.core.rules import Outcome
from ludus.engines.review import mark_of
from ludus.server.rooms.changes import Board, board_changes
from ludus.service.game_clock import clock_after, time_control_of
from ludus.service.options import shown_options
from ludus.service.ports.bus import AdviceFound
from ludus.service.records import Event
from ludus.service.sessions import public_players, result_options, room_reason, worth
from ludus.service.table import EventKind, Seat, Table, outcome_in, with_result
from ludus.wire import codec


class Message(NamedTuple):
    event: str
    data: Any
    """A dict, or JSON that is already written."""
    compact: Any = None
    """For clients that asked for less; None where they get the same."""

    def form(self, *, is_compact: bool) -> Any:
        return self.data if self.compact is None or not is_compact else self.compact


class Forms(NamedTuple):
    """The forms of a message that some client needs."""

    whole: bool
    compact: bool


EVERY_FORM: Final = Forms(whole=True, compact=True)


class MessageRenderer:
    """Renders the events of one table, which must come in order; `version` is that of the last one rendered.

    For spectators, `seats` are the public ones instead of the table's own.
    """

    def __init__(self, table: Table, seats: tuple[Seat, Seat] | None = None) -> None:
        self._game = table.opening.game
        self._codec = codec(self._game).rooms
        self._seats = seats or table.seats
        self._room = table.id
        self._at = 0
        """Number of the record's moves rendered so far."""
        self._moves = 0
        """Number of those that are in the history: all but rolls."""
        self._history = b""
        self._lengths = [0]
        """Of the history in bytes, before the first move and after each one."""
        self._boards: list[Board] = []
        """What clients may have seen last: the board after the last move and, if they joined then, after the roll."""
        self._number = 1
        """Of the current game in a match."""
        self._is_warned = False
        self._clock: dict[str, Any] = {}
        """The field of that name in the messages of the event that is being rendered."""
        self._forms = EVERY_FORM
        self.version = 0

    def render(self, event: Event, table: Table, forms: Forms = EVERY_FORM) -> list[Message]:
        """`event` is the next one; `table` may be ahead of it. A form that no client needs may be missing."""
        self._forms = forms
        self._clock = self._clock_after(event, table) if table.is_clocked else {}
        messages = list(self._messages(event, table))
        self.version = event.version
        for part, message in enumerate(messages):
            for data in (message.data, message.compact):
                if data is not None:
                    data.update(roomId=self._room, version=event.version, part=part)
        return messages

    def _messages(self, event: Event, table: Table) -> Iterator[Message]:
        match event.kind:
            case EventKind.OPENED:  # may contain a first roll, and a pass if it can't be played
                for _ in event.data["moves"]:
                    yield self._next_move(event, table)
            case EventKind.PLAYED | EventKind.RESIGNATION_ACCEPTED:
                yield from self._played(event, table)
            case (
                EventKind.RESIGNED
                | EventKind.DRAW_AGREED
                | EventKind.TIMED_OUT
                | EventKind.FORFEITED
                | EventKind.ABORTED
            ):
                yield self._over(outcome_in(event.data), table)
            case EventKind.WARNED:
                self._is_warned = True
                left = round(event.data["left"] / 1000)
                yield Message(f"{self._game}:afk_warning", {"playerId": self._id(event), "secondsRemaining": left})
            case EventKind.LEFT:
                window = table.opening.limits.reconnect
                passed = event.clock - event.data.get("since", event.clock)
                left = round(max(0, window - passed) / 1000) if window is not None else None
                data = {"playerId": self._id(event), "secondsRemaining": left, "socketId": event.data["socket"]}
                yield Message("player:disconnected", data)
            case EventKind.RETURNED:
                yield Message("player:reconnected", {"playerId": self._id(event)})
            case EventKind.DRAW_OFFERED:
                yield Message("game:draw:offered", {"playerId": self._id(event)})
            case EventKind.DRAW_DECLINED:
                yield Message("game:draw:declined", {"playerId": self._id(event)})
            case EventKind.RESIGNATION_OFFERED:
                yield Message("game:resign:offered", {"playerId": self._id(event), "points": event.data["win"]})
            case EventKind.RESIGNATION_DECLINED:
                yield Message("game:resign:declined", {"playerId": self._id(event)})
            case EventKind.TAKEN_BACK:
                yield self._taken_back(event, table)
            case EventKind.REMATCH_ASKED:
                yield Message("game:rematch:offered", {"playerId": self._id(event)})
            case EventKind.REMATCHED:
                yield Message("game:rematch:agreed", {"playerId": self._id(event), "nextRoomId": event.data["table"]})

    def _played(self, event: Event, table: Table) -> Iterator[Message]:
        if self._is_warned:
            self._is_warned = False
            yield Message(f"{self._game}:afk_warning_cleared", {})
        for _ in event.data["moves"]:
            yield self._next_move(event, table)
        game = table.game_at(event.version)
        if game.outcome is not None and self._at == game.length and game.ending is None:
            yield self._over(game.outcome, table)

    def _next_move(self, event: Event, table: Table) -> Message:
        game = table.game_at(event.version)
        before, after = game.position_at(self._at), game.position_at(self._at + 1)
        move = game.move_at(self._at)
        self._at += 1
        if not game.rules.chances(before):
            return self._move_made(event, before, move, after, table)
        self._boards.append(self._board(after))
        turn = self._turn(game)
        dice = {"playerId": turn["currentPlayerId"], "dice": self._boards[-1].get("dice", [])}
        return Message("game:dice", dice | turn | self._clock)

    def _move_made(self, event: Event, before: Any, move: Any, after: Any, table: Table) -> Message:
        game = table.game_at(event.version)
        rules, serialized = game.rules, self._codec.move(before, move)
        maker = rules.maker(before, move)
        assert maker is not None
        player = self._seats[maker].id
        seen = self._boards or [self._board(before)]
        record: dict[str, Any] = {"timestamp": event.at}
        if "dice" in seen[-1]:
            dice = seen[-1]["dice"] if maker == rules.turn(before).player else []
            record |= {"dice": dice, "notation": rules.notation.write_move(before, move)}
        ended = self._codec.ended(before, move, after)
        if ended is not None:
            record["ended"] = ended
        self._number += after.mover is None
        text = orjson.dumps({"move": serialized, "playerId": player} | record)
        self._history = self._history + b"," + text if self._history else text
        self._lengths.append(len(self._history))
        self._moves += 1
        shared = {
            "move": serialized,
            "playerId": player,
            **self._turn(game),
            **self._codec.move_fields(before, move, after),
            **({} if ended is None else {"ended": ended}),
            **self._clock,
        }
        if rules.pass_move is not None:
            shared["passed"] = move == rules.pass_move
        board = self._board(after)
        self._boards = [board]
        whole = compact = None
        if self._forms.whole:
            whole = {**shared, **board, "moveHistory": self.history()}
        if self._forms.compact:
            compact = {**shared, **board_changes(seen, board), "record": record, "moveNumber": self._moves}
        return Message("game:move:made", whole, compact)

    def _taken_back(self, event: Event, table: Table) -> Message:
        """The whole position and history, so that earlier messages aren't needed."""
        game, count = table.game_at(event.version), self._moves
        self._at = event.data["length"]
        rolls = sum(bool(game.rules.chances(game.position_at(number))) for number in range(self._at))
        self._moves = self._at - rolls
        del self._lengths[self._moves + 1 :]
        self._history = self._history[: self._lengths[-1]]
        self._number = max(1, sum(game.position_at(number).mover is None for number in range(self._at + 1)))
        board = self._board(game.position_at(self._at))
        self._boards = [board]
        taken = {"playerId": self._id(event), "movesTakenBack": count - self._moves, **self._clock}
        return Message("game:takeback:made", {**taken, **self._turn(game), **board, "moveHistory": self.history()})

    def _over(self, outcome: Outcome, table: Table) -> Message:
        winner = None if outcome.winner is None else self._seats[outcome.winner].id
        data: dict[str, Any] = {"winner": winner, "reason": room_reason(outcome)}
        data |= worth(self._game, outcome.winner is not None, outcome.points, outcome.stake)
        data |= result_options(table, outcome)
        if (series := table.opening.series) is not None:
            data["series"] = with_result(series, outcome).to_data()
        if table.opening.seed is not None:
            data["dice"] = {"commitment": table.commitment, "seed": table.opening.seed.hex()}
        return Message("game:over", data | self._clock)

    def _clock_after(self, event: Event, table: Table) -> dict[str, Any]:
        """The clock that runs after the event, in all its messages: rolls and forced passes take no time."""
        is_over = table.outcome is not None and event.version >= table.turn_starts[-1].version
        end = event.data.get("length", self._at) + len(
            event.data.get("moves", ())
        )  # after a takeback there is a length
        game = table.game_at(event.version)
        return clock_after(table, event.version, None if is_over else self._decider(game, end))

    @property
    def history_bytes(self) -> bytes:
        """All moves rendered so far, as JSON without brackets."""
        return self._history

    def history(self) -> orjson.Fragment:
        """`moveHistory`."""
        return orjson.Fragment(b"[" + self._history + b"]")

    def state(self, table: Table) -> dict[str, Any]:
        """The whole state after the last rendered event."""
        game = table.game_at(self.version)
        offer = {}
        if table.resignation is not None:
            by = self._seats[table.resignation.seat].id
            offer["resignOffer"] = {"playerId": by, "points": table.resignation.win}
        series = {} if table.opening.series is None else {"series": table.opening.series.to_data()}
        return {
            **series,
            "roomId": self._room,
            "game": self._game,
            **self._board(game.position_at(self._at)),
            **self._turn(game),
            "players": public_players(table, self._seats),
            "diceCommitment": table.commitment,
            **time_control_of(table),
            **shown_options(self._game, table.opening.variant),
            **offer,
            "version": self.version,
        }

    def _board(self, position: Any) -> dict[str, Any]:
        board = self._codec.board(position)
        match = board.get("match")
        return board if match is None else {**board, "match": {**match, "game": self._number}}

    def _turn(self, game: Game[Any, Any]) -> dict[str, Any]:
        """Whose turn it is after the moves rendered so far."""
        mover = self._decider(game, self._at)
        return {
            "currentTurn": mover,
            "currentPlayerId": self._seats[mover].id,
            "currentColor": self._codec.colors[mover],
        }

    def _decider(self, game: Game[Any, Any], number: int) -> int:
        """Who has to move after this many moves or, before a roll, after the roll."""
        position = game.position_at(number)
        player = game.rules.turn(position).player
        mover = position.mover if player is None else player
        return int(mover) if mover is not None else self._decider(game, number + 1)

    def _id(self, event: Event) -> str | None:
        return None if event.seat is None else self._seats[event.seat].id


def render_departure(table: Table, seat: int, socket: str) -> Message:
    """A player left after the end. This costs nothing and is not stored, so the message has no version."""
    data = {"playerId": table.seats[seat].id, "secondsRemaining": 0, "socketId": socket, "roomId": table.id}
    return Message("player:disconnected", data)


def render_return(table: Table, seat: int) -> Message:
    """A player came back after the end."""
    return Message("player:reconnected", {"playerId": table.seats[seat].id, "roomId": table.id})


def render_advice(table: Table, found: AdviceFound) -> Message:
    """What a move would give away, or nothing if no engine has answered; not stored."""
    game, position = table.game, table.game.position

    def write(text: str) -> dict[str, Any]:
        move = game.rules.notation.read_move(position, text)
        return {"move": codec(table.opening.game).rooms.move(position, move), "notation": text}

    data: dict[str, Any] = {"roomId": table.id, "version": table.version, **write(found.move)}
    if found.best:
        mark = mark_of(table.opening.game, found.loss)
        data |= {"best": write(found.best), "loss": round(found.loss, 4), "mark": mark}
    else:
        data |= {"best": None, "loss": None, "mark": None}
    return Message("game:tutor:found", data)


def render_hint(table: Table, text: str) -> Message:
    """A move in notation, or nothing if no engine has answered; not stored."""
    position = table.game.position
    move = table.game.rules.notation.read_move(position, text) if text else None
    serialized = None if move is None else codec(table.opening.game).rooms.move(position, move)
    data = {"roomId": table.id, "version": table.version, "move": serialized, "notation": text}
    return Message("game:hint:found", data)
