"""Decides commands: each becomes one event, nothing, or an error. Pure; the time is an argument."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from ludus.core.errors import GameIsOver, IllegalMove, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player, Reason, Turn
from ludus.games import GAMES
from ludus.service import dice
from ludus.service.clock import Moment
from ludus.service.commands import (
    Abort,
    AcceptDraw,
    AcceptResignation,
    AskRematch,
    Command,
    DeclineDraw,
    DeclineResignation,
    Leave,
    OfferDraw,
    OfferResignation,
    Payload,
    Play,
    Refuse,
    Resign,
    Return,
    TakeBack,
    Tick,
)
from ludus.service.records import Event
from ludus.service.table import (
    EventKind,
    Opening,
    ResignationOffer,
    SeatKind,
    Series,
    Table,
    is_erased,
    opened,
    with_result,
)
from ludus.wire import codec

ENDINGS: Final = frozenset(
    {
        EventKind.PLAYED,
        EventKind.RESIGNED,
        EventKind.RESIGNATION_ACCEPTED,
        EventKind.DRAW_AGREED,
        EventKind.TIMED_OUT,
        EventKind.FORFEITED,
        EventKind.ABORTED,
    }
)
"""The events that can end a game."""
MAX_TAKEBACKS: Final = 200
"""In one game: each one stays in the game's events."""


class NotYourTurn(LudusError):
    code = "not_your_turn"


class StaleSequence(LudusError):
    """The turn that was answered is over."""

    code = "stale_sequence"

    def __init__(self, current: int) -> None:
        super().__init__(f"the current sequence is {current}")
        self.current = current


class NoOffer(LudusError):
    """There is no offer of a draw or a resignation to answer, or it is the player's own."""

    code = "no_offer"


class TooManyOffers(LudusError):
    """An offer is open, or was made since the last move."""

    code = "too_many_offers"


class NotOver(LudusError):
    """A rematch was requested before the end of the game."""

    code = "not_over"


class OnlyInPractice(LudusError):
    """Takebacks, hints and advice are for unrated games against bots."""

    code = "only_in_practice"


class NothingToTakeBack(LudusError):
    code = "nothing_to_take_back"


class Decision(NamedTuple):
    event: Event
    after: Table

    @property
    def is_end(self) -> bool:
        """Whether the game ended with this event."""
        return self.after.outcome is not None and self.event.kind in ENDINGS


def open_table(opening: Opening, now: Moment) -> Decision:
    """Opens a table and makes the first roll."""
    game = Game(GAMES[opening.game], opening.variant)
    texts = _play_forced(game, opening, rolls=0)
    data = opening.to_data() | {"moves": texts}
    event = Event(opening.table, 1, now.at, now.clock, EventKind.OPENED, None, data)
    return Decision(event, opened(event, game))


def decide(table: Table, command: Command, now: Moment, name: str | None = None) -> Decision | None:
    """The event of a command and the table after it; None where it changes nothing."""
    if not isinstance(command, AskRematch | Leave | Return | Tick):
        refuse_if_over(table)
    change = _DECISIONS[type(command)](table, command, now)
    if change is None:
        return None
    kind, seat, data, game = change
    event = Event(table.id, table.version + 1, now.at, now.clock, kind, seat, data, name)
    return Decision(event, table.followed_by(event, game))


class _Change(NamedTuple):
    kind: EventKind
    seat: int | None
    data: dict[str, Any]
    game: Game[Any, Any] | None = None


def _play(table: Table, command: Play, now: Moment) -> _Change:
    _check_turn(table, command)
    game = table.game.copy()
    position = game.position
    move = resolve(game, command.move)
    game.play(move)
    texts = [game.rules.notation.write_move(position, move)]
    texts += _play_forced(game, table.opening, _rolls(table))
    return _Change(EventKind.PLAYED, command.seat, {"moves": texts}, game)


def _check_turn(table: Table, command: Play | Refuse) -> None:
    _check_sequence(table, command.turn)
    if table.mover != command.seat:
        raise NotYourTurn("it is the other player's turn")


def _check_sequence(table: Table, turn: int | None) -> None:
    if turn is not None and turn != table.turn_version:
        raise StaleSequence(table.turn_version)


def resolve(game: Game[Any, Any], move: str | Payload) -> Any:
    """The move that a player means; `BadMove` if there is none."""
    if isinstance(move, str):
        return game.rules.notation.read_move(game.position, move)
    codecs = codec(game.rules.name)
    if move.codec == "rooms":
        return codecs.rooms.parse_move(game.position, move.value)
    return codecs.arena.resolve(game.position, codecs.arena.parse_action(move.value))


def _play_forced(game: Game[Any, Any], opening: Opening, rolls: int) -> list[str]:
    """Plays rolls, and passes for players who want that, and returns them in notation."""
    texts: list[str] = []
    rules = game.rules
    while True:
        if game.turn is Turn.DICE:
            assert opening.seed is not None
            move = dice.roll(rules, game.position, opening.seed, opening.table, rolls)
            rolls += 1
        elif _must_pass(game) and opening.seats[game.turn.value].has_auto_pass:
            move = rules.pass_move
        else:
            return texts
        texts.append(rules.notation.write_move(game.position, move))
        game.play(move)


def _must_pass(game: Game[Any, Any]) -> bool:
    passing = game.rules.pass_move
    return passing is not None and game.legal_moves() == (passing,)


def _rolls(table: Table) -> int:
    """The number of rolls so far: all moves that no player has made."""
    return table.game.length - table.moves


def _resign(table: Table, command: Resign, now: Moment) -> _Change:
    _check_sequence(table, command.turn)
    return _end(table, EventKind.RESIGNED, command.seat, 1 - command.seat, Reason.RESIGNATION)


def _refuse(table: Table, command: Refuse, now: Moment) -> _Change:
    if command.turn is not None:
        _check_turn(table, command)
    if table.refusals[command.seat] + 1 < command.most:
        return _Change(EventKind.REFUSED, command.seat, {})
    return _end(table, EventKind.FORFEITED, command.seat, 1 - command.seat, "invalid_actions")


def _abort(table: Table, command: Abort, now: Moment) -> _Change:
    return _end(table, EventKind.ABORTED, command.seat, None, command.reason)


def _offer_draw(table: Table, command: OfferDraw, now: Moment) -> _Change:
    if not table.game.rules.has_draws:
        raise IllegalMove(f"{table.game.rules.name} has no draws")
    if table.offer is not None or table.offered_at[command.seat] == table.moves:
        raise TooManyOffers("a draw was offered already; wait for the answer and a move")
    return _Change(EventKind.DRAW_OFFERED, command.seat, {})


def _accept_draw(table: Table, command: AcceptDraw, now: Moment) -> _Change:
    _check_offer(table, command.seat)
    return _end(table, EventKind.DRAW_AGREED, command.seat, None, Reason.AGREEMENT)


def _decline_draw(table: Table, command: DeclineDraw, now: Moment) -> _Change:
    _check_offer(table, command.seat)
    return _Change(EventKind.DRAW_DECLINED, command.seat, {})


def _check_offer(table: Table, seat: int) -> None:
    if table.offer != 1 - seat:
        raise NoOffer("the other player offers no draw")


def _offer_resignation(table: Table, command: OfferResignation, now: Moment) -> _Change:
    _check_sequence(table, command.turn)
    _resigned(table, command.seat, command.win)
    if table.resignation is not None and table.resignation.seat != command.seat:
        raise TooManyOffers("the other player has offered to resign; accept or decline that first")
    if command.win <= table.conceded[command.seat]:
        raise TooManyOffers("this was offered already; offer more, or wait for a move")
    return _Change(EventKind.RESIGNATION_OFFERED, command.seat, {"win": command.win})


def _accept_resignation(table: Table, command: AcceptResignation, now: Moment) -> _Change:
    _check_sequence(table, command.turn)
    offer = _check_resignation(table, command.seat)
    game = _resigned(table, offer.seat, offer.win)
    texts = [game.rules.notation.write_move(table.game.position, game.recent(1)[0])]
    texts += _play_forced(game, table.opening, _rolls(table))
    return _Change(EventKind.RESIGNATION_ACCEPTED, command.seat, {"moves": texts}, game)


def _decline_resignation(table: Table, command: DeclineResignation, now: Moment) -> _Change:
    _check_sequence(table, command.turn)
    _check_resignation(table, command.seat)
    return _Change(EventKind.RESIGNATION_DECLINED, command.seat, {})


def _check_resignation(table: Table, seat: int) -> ResignationOffer:
    offer = table.resignation
    if offer is None or offer.seat != 1 - seat:
        raise NoOffer("the other player does not offer to resign")
    return offer


def _resigned(table: Table, seat: int, win: int) -> Game[Any, Any]:
    """The record if the player concedes this much; an `IllegalMove` if that is not possible here."""
    game = table.game.copy()
    move = game.rules.resignation(Player(seat), win)
    if move is None:
        raise IllegalMove(f"in {game.rules.name} there is only one way to resign")
    game.play(move)
    return game


def _take_back(table: Table, command: TakeBack, now: Moment) -> _Change:
    """The dice of a game follow from its seed and their number, so the next roll is the one that was taken back."""
    refuse_unless_practice(table, command.seat)
    length = _last_choice(table.game, command.seat)
    if length is None:
        raise NothingToTakeBack("you have not made a move yet")
    if len(table.takebacks) >= MAX_TAKEBACKS:
        raise NothingToTakeBack(f"no more than {MAX_TAKEBACKS} moves can be taken back in a game")
    return _Change(EventKind.TAKEN_BACK, command.seat, {"length": length})


def refuse_if_over(table: Table) -> None:
    if table.outcome:
        raise GameIsOver(f"the game is over: {table.outcome.reason}")


def refuse_unless_practice(table: Table, seat: int) -> None:
    if not table.is_practice(seat):
        raise OnlyInPractice("this is possible only in unrated games against bots")


def _last_choice(game: Game[Any, Any], seat: int) -> int | None:
    """How many moves the record had before the player's last one; passes aren't chosen, so they don't count."""
    passing = game.rules.pass_move
    for number in range(game.length - 1, -1, -1):
        move = game.move_at(number)
        if game.rules.maker(game.position_at(number), move) == seat and (passing is None or move != passing):
            return number
    return None


def _leave(table: Table, command: Leave, now: Moment) -> _Change | None:
    if table.outcome or table.away[command.seat] is not None:
        return None
    since = {} if command.since is None else {"since": command.since}
    return _Change(EventKind.LEFT, command.seat, {"socket": command.socket} | since)


def _return(table: Table, command: Return, now: Moment) -> _Change | None:
    return None if table.outcome or table.away[command.seat] is None else _Change(EventKind.RETURNED, command.seat, {})


def _ask_rematch(table: Table, command: AskRematch, now: Moment) -> _Change | None:
    if not table.outcome:
        raise NotOver("a rematch can be asked for when the game is over")
    if table.rematch or table.wants_rematch[command.seat]:
        return None
    other = 1 - command.seat
    if is_erased(table.seats[other]):
        raise GameIsOver("the other player has been deleted")
    if agrees_on_rematch(table, command.seat):
        return _Change(EventKind.REMATCHED, command.seat, {"table": command.table})
    return _Change(EventKind.REMATCH_ASKED, command.seat, {})


def agrees_on_rematch(table: Table, seat: int) -> bool:
    """Whether a rematch begins if this seat's player asks for one."""
    other = 1 - seat
    is_open = table.outcome is not None and table.rematch is None and not is_erased(table.seats[other])
    return is_open and (table.wants_rematch[other] or table.seats[other].kind == SeatKind.BOT)


def _tick(table: Table, command: Tick, now: Moment) -> _Change | None:
    if table.outcome:
        return None
    clock = now.clock if command.until is None else min(now.clock, command.until)
    gone = [due for seat in (0, 1) if (due := table.away_due(seat)) is not None]
    idle, warn = table.idle_due(), table.warn_due()
    if gone and min(gone) <= clock and (idle is None or min(gone) <= idle):
        seat = 0 if table.away_due(0) == min(gone) else 1
        return _end(table, EventKind.TIMED_OUT, seat, 1 - seat, "disconnect")
    mover = table.mover
    if idle is not None and idle <= clock and mover is not None:
        has_flagged = table.is_clocked and idle == table.flag_due()
        return _end(table, EventKind.TIMED_OUT, mover, 1 - mover, "timeout" if has_flagged else "afk_timeout")
    if warn is not None and idle is not None and warn <= clock:
        return _Change(EventKind.WARNED, mover, {"left": idle - clock})
    abandon = table.abandon_due()
    if abandon is not None and abandon <= clock:
        return _end(table, EventKind.ABORTED, None, None, Reason.CANCELLED)
    return None


def _end(table: Table, kind: EventKind, seat: int | None, winner: int | None, reason: str) -> _Change:
    stake = 1 if winner is None else table.game.rules.stake(table.game.position)
    data = {"winner": winner, "reason": str(reason), "points": stake}
    return _Change(kind, seat, data if stake == 1 else {**data, "stake": stake})


def rematch_opening(table: Table, name: str, seed: bytes | None) -> Opening:
    """The same players with seats swapped; each session is followed by a new one. It belongs to no tournament."""
    assert table.outcome is not None
    series = with_result(table.opening.series or Series(), table.outcome).swapped()
    first, second = (seat._replace(session=rematch_session(name, seat.session)) for seat in table.seats)
    return table.opening._replace(
        table=name,
        seats=(second, first),
        limits=table.opening.limits._replace(first_move=None),
        seed=seed,
        rematch_of=table.id,
        series=series,
        pairing=None,
    )


def rematch_session(table: str, session: str | None) -> str | None:
    """The id of the session that follows `session` at the new table."""
    return session and str(uuid.uuid5(uuid.UUID(table), session))


_DECISIONS: dict[type, Callable[[Table, Any, Moment], _Change | None]] = {
    Play: _play,
    Resign: _resign,
    Refuse: _refuse,
    Abort: _abort,
    OfferDraw: _offer_draw,
    AcceptDraw: _accept_draw,
    DeclineDraw: _decline_draw,
    OfferResignation: _offer_resignation,
    AcceptResignation: _accept_resignation,
    DeclineResignation: _decline_resignation,
    TakeBack: _take_back,
    Leave: _leave,
    Return: _return,
    AskRematch: _ask_rematch,
    Tick: _tick,
}
