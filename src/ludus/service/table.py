"""A table: a live game with seats and clocks. An immutable value, folded from its events."""

from __future__ import annotations

import enum
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self

from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Reason
from ludus.games import GAMES
from ludus.service import dice
from ludus.service.player_keys import person_in
from ludus.service.records import Event, PairingKey, TableRow
from ludus.service.time_control import TimeControl


class SeatKind(enum.StrEnum):
    PERSON = "person"
    BOT = "bot"
    AGENT = "agent"


class EventKind(enum.StrEnum):
    OPENED = "opened"
    PLAYED = "played"
    RESIGNED = "resigned"
    DRAW_OFFERED = "draw_offered"
    DRAW_DECLINED = "draw_declined"
    DRAW_AGREED = "draw_agreed"
    RESIGNATION_OFFERED = "resignation_offered"
    RESIGNATION_DECLINED = "resignation_declined"
    RESIGNATION_ACCEPTED = "resignation_accepted"
    LEFT = "left"
    RETURNED = "returned"
    WARNED = "warned"
    TIMED_OUT = "timed_out"
    FORFEITED = "forfeited"
    ABORTED = "aborted"
    REFUSED = "refused"
    TAKEN_BACK = "taken_back"
    REMATCH_ASKED = "rematch_asked"
    REMATCHED = "rematched"


class Seat(NamedTuple):
    key: str
    """Identifies the player across the platform."""
    id: str
    """Identifies the player to the others at the table."""
    name: str
    kind: str
    level: str = ""
    """A bot's level."""
    session: str | None = None
    has_auto_pass: bool = True
    """Whether the server passes for the player where there is no legal play; if not, the player is asked."""

    def to_data(self) -> dict[str, Any]:
        return self._asdict()

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        return cls(**data)


def is_page_game(seats: Iterable[Seat]) -> bool:
    """Whether all people at a table play on our own page."""
    people = [seat for seat in seats if seat.kind == SeatKind.PERSON]
    return bool(people) and all(person_in(seat.key) for seat in people)


ERASED: Final = "deleted"
ERASED_NAMES: Final = {SeatKind.PERSON: "Deleted player", SeatKind.AGENT: "Deleted agent"}


def erased(seat: Seat, number: int, tenant: str | None = None) -> Seat:
    """The seat without the player's data. It keeps the tenant, if one is given, and no player can get its key."""
    key = f"{ERASED}/{number}" if tenant is None else f"{tenant}/{ERASED}/{number}"
    return seat._replace(key=key, id=f"{ERASED}:{number}", name=ERASED_NAMES[SeatKind(seat.kind)])


def is_pseudonym(id: str) -> bool:
    """Whether an id is that of a deleted player, which nobody else can have."""
    return id.startswith(f"{ERASED}:")


def is_erased(seat: Seat) -> bool:
    return seat.kind != SeatKind.BOT and ERASED in seat.key.split("/")[:2]  # others have a mode or an id there


def row_player(seat: Seat) -> dict[str, Any]:
    """A player in the table's row."""
    return {"key": seat.key, "id": seat.id, "name": seat.name, "kind": seat.kind}


class Limits(NamedTuple):
    """In milliseconds; None where there is no limit."""

    warn: int | None
    idle: int | None
    reconnect: int | None
    abandon: int | None = None
    """After this long without a move, the game is cancelled, and nobody loses."""
    first_move: int | None = None
    """In which each player must make their first move, or loses. Not for bots."""

    def under(self, time_control: TimeControl | None) -> Limits:
        """With a time control the players' clocks replace the AFK limit."""
        if time_control is None:
            return self
        reconnect = self.reconnect if time_control.needs_presence else None
        return Limits(None, None, reconnect, self.abandon, self.first_move)


class Series(NamedTuple):
    """The results of games between two players that followed each other as rematches, from the seats of the latest."""

    first: int = 0
    """Games that the player in the first seat won."""
    second: int = 0
    draws: int = 0

    def swapped(self) -> Series:
        """The same results with the seats swapped."""
        return Series(self.second, self.first, self.draws)

    def to_data(self) -> dict[str, Any]:
        return {"wins": [self.first, self.second], "draws": self.draws}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        first, second = data["wins"]
        return cls(first, second, data["draws"])


class Opening(NamedTuple):
    """The parameters of a new table."""

    table: str
    game: str
    mode: str
    channel: str
    """`rooms` or `arena`."""
    seats: tuple[Seat, Seat]
    limits: Limits
    is_rated: bool
    seed: bytes | None
    """The secret seed of the dice; None in games without dice."""
    variant: str = "standard"
    rematch_of: str | None = None
    is_private: bool = False
    """Whether its players met by a room's code; public lists leave such games out, and the page's hide them."""
    time_control: TimeControl | None = None
    """If there is none, only the limits apply."""
    series: Series | None = None
    """How the games before this one ended, if it is a rematch."""
    pairing: PairingKey | None = None
    """Where it belongs in a tournament, if it is a game of one."""

    def to_data(self) -> dict[str, Any]:
        data = self._asdict() | {"seed": self.seed.hex() if self.seed else None}
        data |= {"seats": [seat.to_data() for seat in self.seats], "limits": list(self.limits[:3])}
        data["abandon"] = self.limits.abandon  # on its own, since older versions expect three limits
        del data["time_control"], data["series"], data["pairing"]
        if self.limits.first_move is not None:
            data["first_move"] = self.limits.first_move
        if self.pairing is not None:
            data["pairing"] = list(self.pairing)
        if self.time_control is not None:
            data["time_control"] = self.time_control.to_data()
        if self.series is not None:
            data["series"] = self.series.to_data()
        data["door"] = data.pop("channel")
        return data

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        optional = ("is_private", "time_control", "series", "pairing")  # events of older versions lack them
        fields = {name: data["door" if name == "channel" else name] for name in cls._fields if name not in optional}
        fields["is_private"] = data.get("is_private", False)
        if (time_control := data.get("time_control")) is not None:
            fields["time_control"] = TimeControl.from_data(time_control)
        if (series := data.get("series")) is not None:
            fields["series"] = Series.from_data(series)
        if (pairing := data.get("pairing")) is not None:
            fields["pairing"] = PairingKey(*pairing)
        first, second = (Seat.from_data(seat) for seat in data["seats"])
        warn, idle, reconnect = data["limits"]
        limits = Limits(warn, idle, reconnect, data.get("abandon"), data.get("first_move"))
        seed = bytes.fromhex(data["seed"]) if data["seed"] else None
        return cls(**fields | {"seats": (first, second), "limits": limits, "seed": seed})


class TurnStart(NamedTuple):
    """The players' clocks at the start of a turn, or at the end of the game."""

    version: int
    """The table's `turn_version`, or its last version."""
    remaining: tuple[int, int]
    """Milliseconds left to each seat."""
    length: int
    """Of the record."""
    delay: int = 0
    """Milliseconds before the clock runs."""


class ResignationOffer(NamedTuple):
    seat: int
    """Who would concede the current game."""
    win: int
    """As what: 1 is the plainest of the game's wins."""


class Takeback(NamedTuple):
    version: int
    """Of the event."""
    before: Game[Any, Any]
    """The record with the moves that were taken back."""


class Table(NamedTuple):
    opening: Opening
    game: Game[Any, Any]
    version: int
    opened_at: int
    turn_since: int
    """Uptime."""
    players: tuple[Mapping[str, Any], ...]
    """The seats as stored in the table's row."""
    turn_version: int = 1
    """The version at which this turn began."""
    moves: int = 0
    """Made by the players; rolls do not count, passes do."""
    is_warned: bool = False
    away: tuple[int | None, int | None] = (None, None)
    """When each seat's player left, in uptime."""
    offer: int | None = None
    """The seat that offers a draw."""
    offered_at: tuple[int, int] = (-1, -1)
    """The number of moves at each seat's last offer."""
    resignation: ResignationOffer | None = None
    conceded: tuple[int, int] = (0, 0)
    """The most that each seat has offered to concede since the last move."""
    refusals: tuple[int, int] = (0, 0)
    """The number of rejected actions of each seat."""
    wants_rematch: tuple[bool, bool] = (False, False)
    rematch: str | None = None
    ended_at: int | None = None
    takebacks: tuple[Takeback, ...] = ()
    commands: Mapping[str, int] | None = None
    """The version that each named command led to, for idempotency."""
    turn_starts: tuple[TurnStart, ...] = ()
    """Of all turns so far, the current one last; empty without a clock."""

    @property
    def id(self) -> str:
        return self.opening.table

    @property
    def seats(self) -> tuple[Seat, Seat]:
        return self.opening.seats

    @property
    def outcome(self) -> Outcome | None:
        return self.game.outcome

    @property
    def mover(self) -> int | None:
        """The seat to move."""
        return self.game.turn.player

    @property
    def commitment(self) -> str | None:
        """The commitment to the dice, published before the first roll."""
        return dice.commitment(self.opening.seed, self.id) if self.opening.seed else None

    def seat_of(self, key: str) -> int | None:
        first, second = self.opening.seats
        return 0 if first.key == key else 1 if second.key == key else None

    @property
    def is_clocked(self) -> bool:
        """Whether the players have clocks."""
        return bool(self.turn_starts)

    def remaining(self, clock: int) -> tuple[int, int]:
        """Milliseconds left to each seat at a moment in uptime, if the players have clocks."""
        left, mover, time_control = self.turn_starts[-1].remaining, self.mover, self.opening.time_control
        if mover is None or time_control is None:
            return left
        return _with(left, mover, time_control.left(left[mover], clock - self.turn_since, self.turn_starts[-1].delay))

    def turn_start_at(self, version: int) -> TurnStart:
        """The start of the turn that this version belongs to, if the players have clocks."""
        found = bisect_right(self.turn_starts, version, key=attrgetter("version"))
        return self.turn_starts[found - 1]

    def remaining_at(self, version: int) -> tuple[int, int]:
        """Milliseconds left to each seat at the start of the turn that this version belongs to."""
        return self.turn_start_at(version).remaining

    def delay_left(self, clock: int) -> int:
        """Milliseconds before the mover's time runs at all."""
        return max(0, self.turn_starts[-1].delay - max(0, clock - self.turn_since)) if self.turn_starts else 0

    def flag_due(self) -> int | None:
        """When the mover's clock runs out."""
        mover = self.mover
        if mover is None or not self.turn_starts:
            return None
        start = self.turn_starts[-1]
        return self.turn_since + start.delay + start.remaining[mover]

    def is_practice(self, seat: int) -> bool:
        """Whether the seat's player may take moves back and ask for hints: a person, unrated, against a bot."""
        kinds = self.opening.seats[seat].kind, self.opening.seats[1 - seat].kind
        is_free = not self.opening.is_rated and self.opening.pairing is None
        return is_free and kinds == (SeatKind.PERSON, SeatKind.BOT)

    def game_at(self, version: int) -> Game[Any, Any]:
        """A record that has the moves of every event up to this version, also those that were taken back later."""
        return next((each.before for each in self.takebacks if each.version > version), self.game)

    def series(self) -> Series | None:
        """The results so far, with this game's if it is over; None for the first game, which is no series yet."""
        before = self.opening.series
        return before if before is None or self.outcome is None else with_result(before, self.outcome)

    def idle_due(self) -> int | None:
        """When the mover loses on time."""
        limit, first = self._turn_due(), self.first_move_due()
        return limit if first is None or (limit is not None and limit <= first) else first

    def first_move_due(self) -> int | None:
        """When the mover loses for not having made a first move."""
        mover, limit = self.mover, self.opening.limits.first_move
        if limit is None or mover is None or self.has_both_begun or self.opening.seats[mover].kind == SeatKind.BOT:
            return None
        return self.turn_since + limit

    @property
    def has_both_begun(self) -> bool:
        """Whether both players have moved."""
        return self.moves > 1

    def _turn_due(self) -> int | None:
        if self.turn_starts:
            return self.flag_due()
        mover, opening = self.mover, self.opening
        idle = opening.limits.idle
        if mover is None or idle is None or opening.seats[mover].kind == SeatKind.BOT:
            return None
        return self.turn_since + idle

    def warn_due(self) -> int | None:
        if self.is_warned or self.opening.limits.warn is None or self.idle_due() is None:
            return None
        return self.turn_since + self.opening.limits.warn

    def away_due(self, seat: int) -> int | None:
        """When the seat loses for being away."""
        since, window = self.away[seat], self.opening.limits.reconnect
        return None if since is None or window is None or self.outcome else since + window

    def abandon_due(self) -> int | None:
        """When the game is cancelled since nobody has moved."""
        abandon = self.opening.limits.abandon
        return None if abandon is None else self.turn_since + abandon

    def due(self) -> int | None:
        """The table's next deadline."""
        if self.outcome:
            return None
        turn, abandon = self.warn_due() or self.idle_due(), self.abandon_due()
        if abandon is None and self.away == (None, None):
            return turn
        times = (turn, abandon, self.away_due(0), self.away_due(1))
        return min([time for time in times if time is not None], default=None)

    def row(self) -> TableRow:
        opening, outcome = self.opening, self.outcome
        return TableRow(  # positional, since keywords cost more than the row
            opening.table,
            self.version,
            opening.game,
            opening.mode,
            opening.channel,
            "over" if outcome else "live",
            self.due(),
            self.players,
            self.moves,
            self.opened_at,
            self.ended_at,
            outcome and _result(outcome),
            opening.is_private,
        )

    def followed_by(self, event: Event, game: Game[Any, Any] | None = None) -> Table:
        """The table after an event; `game` is the record after it, if the caller already has it."""
        changes = _changes(self, event, game)
        changes["version"] = event.version
        if event.command is not None:
            changes["commands"] = {**(self.commands or {}), event.command: event.version}
        values = list(self)
        for name, value in changes.items():  # `_replace` takes twice as long
            values[_PLACES[name]] = value
        return Table._make(values)


def _result(outcome: Outcome) -> dict[str, Any]:
    result = {"winner": outcome.winner, "reason": outcome.reason, "points": outcome.points}
    return result if outcome.stake == 1 else {**result, "stake": outcome.stake}


_PLACES: Final = {name: place for place, name in enumerate(Table._fields)}


def opened(event: Event, game: Game[Any, Any] | None = None) -> Table:
    """A table from its first event."""
    opening = Opening.from_data(event.data)
    if game is None:
        game = replayed(Game(GAMES[opening.game], opening.variant), event.data["moves"])
    players = tuple(map(row_player, opening.seats))
    moves = passes(game, len(event.data["moves"]))
    table = Table(opening, game, event.version, event.at, event.clock, players, moves=moves)
    if opening.time_control is None or not opening.time_control.is_clocked:
        return table
    initial, delay = opening.time_control.initial, opening.time_control.delay
    return table._replace(turn_starts=(TurnStart(table.turn_version, (initial, initial), game.length, delay),))


def folded(events: Iterable[Event]) -> Table:
    """A table from all its events."""
    first, *rest = events
    table = opened(first)
    for event in rest:
        table = table.followed_by(event)
    return table


def with_result(series: Series, outcome: Outcome) -> Series:
    """A game that was cancelled does not count."""
    if outcome.reason == Reason.CANCELLED:
        return series
    if outcome.winner is None:
        return series._replace(draws=series.draws + 1)
    return series._replace(**({"first": series.first + 1} if outcome.winner == 0 else {"second": series.second + 1}))


def standing_moves(events: Iterable[Event]) -> list[tuple[str, Event]]:
    """The moves of a record in notation, each with the event that made it; without those that were taken back."""
    found: list[tuple[str, Event]] = []
    for event in events:
        if event.kind == EventKind.TAKEN_BACK:
            del found[event.data["length"] :]
        found += [(text, event) for text in event.data.get("moves", ())]
    return found


def replayed(game: Game[Any, Any], texts: Iterable[str]) -> Game[Any, Any]:
    for text in texts:
        game.play(text)
    return game


def passes(game: Game[Any, Any], last: int) -> int:
    """How many of the last moves were passes."""
    passing = game.rules.pass_move
    return 0 if passing is None else sum(move == passing for move in game.recent(last))


Changes = dict[str, Any]
"""New values of a table's fields."""


def _changes(table: Table, event: Event, game: Game[Any, Any] | None) -> Changes:
    seat: Any = event.seat
    match event.kind:
        case EventKind.PLAYED:
            return _played(table, event, game)
        case EventKind.RESIGNED | EventKind.DRAW_AGREED | EventKind.TIMED_OUT | EventKind.FORFEITED | EventKind.ABORTED:
            return _ended(table, event)
        case EventKind.DRAW_OFFERED:
            return {"offer": seat, "offered_at": _with(table.offered_at, seat, table.moves)}
        case EventKind.DRAW_DECLINED:
            return {"offer": None}
        case EventKind.RESIGNATION_OFFERED:
            offer = ResignationOffer(seat, event.data["win"])
            return {"resignation": offer, "conceded": _with(table.conceded, seat, offer.win)}
        case EventKind.RESIGNATION_DECLINED:
            return {"resignation": None}
        case EventKind.RESIGNATION_ACCEPTED:
            return _resignation_accepted(table, event, game)
        case EventKind.LEFT:
            return {"away": _with(table.away, seat, event.data.get("since", event.clock))}
        case EventKind.RETURNED:
            return {"away": _with(table.away, seat, None)}
        case EventKind.WARNED:
            return {"is_warned": True}
        case EventKind.REFUSED:
            return {"refusals": _with(table.refusals, seat, table.refusals[seat] + 1)}
        case EventKind.TAKEN_BACK:
            return _taken_back(table, event)
        case EventKind.REMATCH_ASKED:
            return {"wants_rematch": _with(table.wants_rematch, seat, True)}
        case EventKind.REMATCHED:
            return {"wants_rematch": (True, True), "rematch": event.data["table"]}
    raise ValueError(f"unknown kind of event: {event.kind!r}")


def _played(table: Table, event: Event, game: Game[Any, Any] | None) -> Changes:
    texts = event.data["moves"]
    game = game or replayed(table.game.copy(), texts)
    offer = table.offer if table.offer == event.seat else None
    resignation = table.resignation
    if resignation is not None and (resignation.seat != event.seat or _ends_a_game(table, game)):
        resignation = None  # a move refuses the other player's offer
    clocks = {"turn_starts": _clocks_after_move(table, event, game)} if table.turn_starts else {}
    return clocks | _moved(table, event, game) | {"offer": offer, "resignation": resignation}


def _ends_a_game(before: Table, game: Game[Any, Any]) -> bool:
    """Whether the new moves ended the game, or one of a match; the next one starts with nobody on turn."""
    new = range(before.game.length + 1, game.length + 1)
    return game.outcome is not None or any(game.position_at(number).mover is None for number in new)


def _moved(table: Table, event: Event, game: Game[Any, Any]) -> Changes:
    # The event's first move is a player's; the rest are rolls and forced passes.
    return {
        "game": game,
        "moves": table.moves + 1 + passes(game, len(event.data["moves"]) - 1),
        "turn_since": event.clock,
        "turn_version": event.version,
        "is_warned": False,
        "conceded": (0, 0),
        "ended_at": event.at if game.outcome else None,
    }


def _clocks_after_move(table: Table, event: Event, game: Game[Any, Any]) -> tuple[TurnStart, ...]:
    """Rolls and forced passes are part of the move's event, and take no time.

    A player who stays on turn, such as one who rolls instead of doubling, goes on thinking: there is no increment, and
    what is left of a delay stays as it is.
    """
    time_control, seat, start = table.opening.time_control, event.seat, table.turn_starts[-1]
    assert time_control is not None and seat is not None
    used = event.clock - table.turn_since
    is_same_turn = game.turn.player == seat == game.position_at(table.game.length + 1).mover
    if is_same_turn and not passes(game, len(event.data["moves"]) - 1):
        now, delay = time_control.left(start.remaining[seat], used, start.delay), max(0, start.delay - used)
    else:
        now, delay = time_control.after_move(start.remaining[seat], used, start.delay), time_control.delay
    return (*table.turn_starts, TurnStart(event.version, _with(start.remaining, seat, now), game.length, delay))


def _resignation_accepted(table: Table, event: Event, game: Game[Any, Any] | None) -> Changes:
    """The player to move may change, so all clocks continue from where they are."""
    game = game or replayed(table.game.copy(), event.data["moves"])
    clocks: Changes = {}
    if table.turn_starts:
        time_control = table.opening.time_control
        assert time_control is not None
        last = TurnStart(event.version, table.remaining(event.clock), game.length, time_control.delay)
        clocks["turn_starts"] = (*table.turn_starts, last)
    return clocks | _moved(table, event, game) | {"offer": None, "resignation": None}


def _taken_back(table: Table, event: Event) -> Changes:
    length = event.data["length"]
    game = table.game.copy()
    moves = table.moves
    while game.length > length:
        game.undo()
        moves -= not game.rules.chances(game.position)
    clocks: Changes = {}
    if table.turn_starts:  # what came later stays, for those who are shown how it was
        then = next(start for start in reversed(table.turn_starts) if start.length <= length)
        clocks["turn_starts"] = (*table.turn_starts, then._replace(version=event.version))
    return clocks | {
        "game": game,
        "moves": moves,
        "turn_since": event.clock,
        "turn_version": event.version,
        "is_warned": False,
        "offer": None,
        "resignation": None,
        "conceded": (0, 0),
        "offered_at": tuple(min(each, moves) for each in table.offered_at),
        "takebacks": (*table.takebacks, Takeback(event.version, table.game)),
    }


def _ended(table: Table, event: Event) -> Changes:
    game = table.game.copy()
    game.end(outcome_in(event.data))
    changes: Changes = {"game": game, "offer": None, "resignation": None, "ended_at": event.at}
    if table.turn_starts:  # the clocks stop where they are
        last = TurnStart(event.version, table.remaining(event.clock), table.game.length)
        changes["turn_starts"] = (*table.turn_starts, last)
    return changes


def outcome_in(data: Mapping[str, Any]) -> Outcome:
    """How the players or a clock ended a game, from the data of the event or from the table's row."""
    winner = None if data["winner"] is None else Player(data["winner"])
    return Outcome(winner, data["reason"], data["points"], data.get("stake", 1))


def _with(pair: tuple[Any, Any], seat: int, value: Any) -> tuple[Any, Any]:
    return (value, pair[1]) if seat == 0 else (pair[0], value)
