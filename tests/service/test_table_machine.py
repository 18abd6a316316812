"""Tables, driven at random with a clock of our own beside a plain model of what should be."""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from ludus.bus.memory import MemoryBus
from ludus.core.errors import GameIsOver, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.service.clock import HouseClock
from ludus.service.decisions import (
    AcceptDraw,
    Command,
    DeclineDraw,
    Leave,
    NoOffer,
    NotYourTurn,
    OfferDraw,
    Play,
    Resign,
    Return,
    Tick,
    TooManyOffers,
)
from ludus.service.table import Limits, Opening, Seat, SeatKind, folded
from ludus.service.tables import StaleVersion, Tables
from ludus.storage import store_for

T = TypeVar("T")
WARN, IDLE, AWAY = 60_000, 90_000, 60_000
SEATS = st.integers(0, 1)


class FakeClock:
    def __init__(self) -> None:
        self.time = 1_700_000_000_000

    def now(self) -> int:
        return self.time


class TableMachine(RuleBasedStateMachine):
    game_name: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.store = store_for("", Path(self.folder.name))
        self.run(self.store.open())
        self.tables = self.new_tables()
        self.table = "00000000-0000-4000-8000-000000000000"  # the dice follow from it
        self.version = 1
        self.names = 0
        self.said: list[tuple[str, Command, int]] = []
        """Named commands that were accepted, with the version they led to."""
        self.turn_since = self.clock.time
        self.is_warned = False
        self.away: list[int | None] = [None, None]
        self.offer: int | None = None
        self.offered = [-1, -1]
        self.moves = 0
        self.over: tuple[int | None, str] | None = None

    def run(self, coroutine: Awaitable[T]) -> T:
        async def whole() -> T:
            return await coroutine

        return self.runner.run(whole())

    def new_tables(self) -> Tables:
        clock = HouseClock(self.clock)
        return Tables(self.store, MemoryBus(), clock, lambda: str(uuid.uuid4()), lambda: b"\7" * 32)

    @initialize()
    def open(self) -> None:
        seats = (Seat("a", "a", "Ann", SeatKind.PERSON), Seat("b", "b", "Ben", SeatKind.PERSON))
        rules = GAMES[self.game_name]
        seed = b"\7" * 32 if rules.chances(rules.variants["standard"]) else None
        limits = Limits(WARN, IDLE, AWAY)
        opening = Opening(self.table, self.game_name, "live", "rooms", seats, limits, False, seed)
        table = self.run(self.tables.open(opening))
        self.record: Game[Any, Any] = table.game.copy()
        self.moves = table.moves

    def do(self, command: Command, **options: Any) -> Any:
        return self.run(self.tables.do(self.table, command, **options))

    def refused(self, kind: type[LudusError], command: Command, **options: Any) -> None:
        try:
            self.do(command, **options)
        except kind:
            return
        raise AssertionError(f"{command} was not refused")

    @property
    def mover(self) -> int | None:
        return None if self.over else self.record.turn.player

    def happened(self) -> None:
        self.version += 1

    def end(self, winner: int | None, reason: str) -> None:
        self.over = (winner, reason)
        self.happened()

    @precondition(lambda self: not self.over)
    @rule(data=st.data(), is_named=st.booleans())
    def a_legal_move(self, data: st.DataObject, is_named: bool) -> None:
        moves = self.record.legal_moves()
        move = moves[data.draw(st.integers(0, len(moves) - 1))]
        mover = self.mover
        assert mover is not None
        self.names += 1
        name = f"{mover}/{self.names}" if is_named else None
        command = Play(int(mover), lambda _: move)
        receipt = self.do(command, expected=self.version, name=name)
        self.happened()
        if name:
            self.said.append((name, command, self.version))
        assert receipt.table.game.move_at(self.record.length) == move
        self.record.play(move)
        self.moves += 1
        while self.record.length < receipt.table.game.length:  # dice and passes: legal, or the record would refuse them
            follows = receipt.table.game.move_at(self.record.length)
            if self.record.turn.player is not None:
                assert self.record.legal_moves() == (self.record.rules.pass_move,)
                self.moves += 1
            self.record.play(follows)
        self.turn_since, self.is_warned = self.clock.time, False
        if self.offer != mover:
            self.offer = None
        if self.record.outcome:
            winner = self.record.outcome.winner
            self.over = (None if winner is None else int(winner), str(self.record.outcome.reason))

    @precondition(lambda self: not self.over)
    @rule()
    def a_move_out_of_turn(self) -> None:
        assert self.mover is not None
        self.refused(NotYourTurn, Play(1 - int(self.mover), lambda _: self.record.legal_moves()[0]))

    @precondition(lambda self: self.over)
    @rule(seat=SEATS)
    def a_move_after_the_end(self, seat: int) -> None:
        for command in (Play(seat, lambda _: None), Resign(seat), OfferDraw(seat), AcceptDraw(seat), DeclineDraw(seat)):
            self.refused(GameIsOver, command)

    @rule(seat=SEATS, behind=st.integers(1, 3))
    def a_late_command(self, seat: int, behind: int) -> None:
        self.refused(StaleVersion, Resign(seat), expected=max(0, self.version - behind))

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def a_repeated_command(self, data: st.DataObject) -> None:
        name, command, version = data.draw(st.sampled_from(self.said))
        receipt = self.do(command, name=name)
        assert receipt.event is None
        assert receipt.version == version

    @precondition(lambda self: not self.over)
    @rule(seat=SEATS, chance=st.integers(0, 5))
    def a_resignation(self, seat: int, chance: int) -> None:
        if chance == 0:  # seldom, or few games get anywhere
            self.do(Resign(seat))
            self.end(1 - seat, "resignation")

    @precondition(lambda self: not self.over)
    @rule(seat=SEATS)
    def an_offer(self, seat: int) -> None:
        if not self.record.rules.has_draws:
            self.refused(LudusError, OfferDraw(seat))
        elif self.offer is not None or self.offered[seat] == self.moves:
            self.refused(TooManyOffers, OfferDraw(seat))
        else:
            self.do(OfferDraw(seat))
            self.offer, self.offered[seat] = seat, self.moves
            self.happened()

    @precondition(lambda self: not self.over)
    @rule(seat=SEATS, says_yes=st.booleans())
    def an_answer(self, seat: int, says_yes: bool) -> None:
        command = AcceptDraw(seat) if says_yes else DeclineDraw(seat)
        if self.offer != 1 - seat:
            self.refused(NoOffer, command)
        elif says_yes:
            self.do(command)
            self.end(None, "agreement")
        else:
            self.do(command)
            self.offer = None
            self.happened()

    @rule(seat=SEATS)
    def leaving(self, seat: int) -> None:
        receipt = self.do(Leave(seat))
        if self.over or self.away[seat] is not None:
            assert receipt.event is None
        else:
            self.away[seat] = self.clock.time
            self.happened()

    @rule(seat=SEATS)
    def coming_back(self, seat: int) -> None:
        receipt = self.do(Return(seat))
        if self.over or self.away[seat] is None:
            assert receipt.event is None
        else:
            self.away[seat] = None
            self.happened()

    @rule(seconds=st.sampled_from([1, 20, 31, 61]))
    def time_passes(self, seconds: int) -> None:
        self.clock.time += seconds * 1000

    @rule()
    def the_sweeper_comes(self) -> None:
        receipt = self.do(Tick())
        due = self.expected_tick()
        assert (receipt.event is not None) == (due is not None)
        if due == "warning":
            self.is_warned = True
            self.happened()
        elif due is not None:
            self.end(*due)

    def expected_tick(self) -> Any:
        """What the clock says now: a warning, or who wins and why."""
        if self.over:
            return None
        now = self.clock.time
        ends = [(self.turn_since + IDLE, 1, 1 - int(self.mover or 0), "afk_timeout")]
        ends += [(gone + AWAY, 0, 1 - seat, "disconnect") for seat, gone in enumerate(self.away) if gone is not None]
        at, _, winner, reason = min(ends, key=lambda end: end[:2])
        if at <= now:
            return winner, reason
        return "warning" if not self.is_warned and self.turn_since + WARN <= now else None

    @rule()
    def the_house_is_closed_and_opened(self) -> None:
        """Nothing is in memory any more: all that is known must come out of the store."""
        self.tables = self.new_tables()

    @invariant()
    def the_table_is_as_the_model_says(self) -> None:
        if not hasattr(self, "record"):
            return
        live = self.run(self.tables.see(self.table))
        table = live.table
        assert table.version == self.version == len(live.events)
        assert [event.version for event in live.events] == list(range(1, self.version + 1))
        assert table.moves == self.moves
        assert table.offer == (None if self.over else self.offer) or self.over
        outcome = table.outcome
        if self.over is None:
            assert outcome is None
            assert table.mover == self.mover
        else:
            assert outcome is not None
            winner = None if self.over[0] is None else Player(self.over[0])
            assert (outcome.winner, outcome.reason) == (winner, self.over[1])

    @invariant()
    def the_log_tells_the_state(self) -> None:
        if not hasattr(self, "record"):
            return
        stored = self.run(self.store.events(self.table))
        live = self.run(self.tables.see(self.table))
        assert list(stored) == live.events
        assert folded(stored) == live.table
        row = self.run(self.store.table(self.table))
        assert row == live.table.row()

    def teardown(self) -> None:
        self.run(self.store.close())
        self.runner.close()
        self.folder.cleanup()


class CheckersMachine(TableMachine):
    game_name = "checkers"


class BackgammonMachine(TableMachine):
    game_name = "backgammon"


for _machine, _examples in ((CheckersMachine, 60), (BackgammonMachine, 30)):
    _machine.TestCase.settings = settings(max_examples=_examples, stateful_step_count=60, deadline=None)

TestCheckersTables = CheckersMachine.TestCase
TestBackgammonTables = BackgammonMachine.TestCase
