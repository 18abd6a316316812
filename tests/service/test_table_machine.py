"""Tables, driven at random with a clock of our own beside a plain model of what should be."""

from __future__ import annotations

import asyncio
import tempfile
import uuid
from collections.abc import Awaitable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.service.parts import ALWAYS, FakeClock

from ludus.bus.memory import MemoryBus
from ludus.core.errors import BadMove, GameIsOver, IllegalMove, LudusError
from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.service.clock import UptimeClock
from ludus.service.commands import (
    AcceptDraw,
    AskRematch,
    Command,
    DeclineDraw,
    Leave,
    OfferDraw,
    Play,
    Resign,
    Return,
    Tick,
)
from ludus.service.decisions import NoOffer, NotOver, NotYourTurn, TooManyOffers
from ludus.service.table import Limits, Opening, Seat, SeatKind, folded
from ludus.service.tables import CommandResult, StaleVersion, Tables
from ludus.storage import store_for

pytestmark = pytest.mark.slow

T = TypeVar("T")
WARN, IDLE, AWAY = 60_000, 90_000, 60_000
SEATS = st.integers(0, 1)


FIRST = "00000000-0000-4000-8000-000000000000"
"""The table's id: the dice follow from it."""


class TableMachine(RuleBasedStateMachine):
    game_name: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        self.clock = FakeClock()
        self.store = store_for("", Path(self.folder.name))
        self.run(self.store.open())
        self.closed = 0
        self.open_platform_again()
        self.version = 1
        self.names = 0
        self.said: list[tuple[str, Command, int]] = []
        """Named commands that were accepted, with the version they led to."""
        self.turn_since = self.now
        self.is_warned = False
        self.away: list[int | None] = [None, None]
        self.offer: int | None = None
        self.offered = [-1, -1]
        self.moves = 0
        self.over: tuple[int | None, str] | None = None
        self.wants_rematch = [False, False]
        self.rematch: str | None = None

    @property
    def now(self) -> int:
        """Platform time."""
        return self.clock.time - self.closed

    def run(self, coroutine: Awaitable[T]) -> T:
        async def whole() -> T:
            return await coroutine

        return self.runner.run(whole())

    def open_platform_again(self) -> None:
        """Nothing is in memory any more: all that is known must come out of the store."""
        clock = UptimeClock(self.clock, grace=ALWAYS, settle=0)
        clock.resume(self.clock.time, self.run(self.store.heartbeat(self.clock.time)).clock)
        self.tables = Tables(self.store, MemoryBus(), clock, lambda: str(uuid.uuid4()), lambda: b"\7" * 32)

    @initialize()
    def open(self) -> None:
        seats = (Seat("a", "a", "Ann", SeatKind.PERSON), Seat("b", "b", "Ben", SeatKind.PERSON))
        rules = GAMES[self.game_name]
        seed = b"\7" * 32 if rules.chances(rules.variants["standard"]) else None
        limits = Limits(WARN, IDLE, AWAY)
        opening = Opening(FIRST, self.game_name, "live", "rooms", seats, limits, False, seed)
        table = self.run(self.tables.open(opening))
        self.record: Game[Any, Any] = table.game.copy()
        self.moves = table.moves

    def do(self, command: Command, **options: Any) -> CommandResult:
        return self.run(self.tables.execute(FIRST, command, **options))

    def carry_out(self, command: Command, seat: int, is_named: bool) -> CommandResult:
        """A command that has to be accepted; one with a name may be repeated later."""
        name = self.next_name(seat) if is_named else None
        result = self.do(command, expected=self.version, name=name)
        self.version += 1
        assert result.event is not None
        assert (result.event.seat, result.event.command, result.version) == (seat, name, self.version)
        if name:
            self.names += 1
            self.said.append((name, command, self.version))
        return result

    def text(self, move: Any) -> str:
        return self.record.rules.notation.write_move(self.record.position, move)

    def is_legal(self, text: str) -> bool:
        try:
            return self.record.rules.notation.read_move(self.record.position, text) in self.record.legal_moves()
        except BadMove:
            return False

    def next_name(self, seat: int) -> str:
        return f"{seat}/{self.names}"

    def refused(self, kind: type[LudusError], command: Command, **options: Any) -> None:
        try:
            self.do(command, **options)
        except kind:
            return
        raise AssertionError(f"{command} was not refused")

    @property
    def mover(self) -> int | None:
        return None if self.over else self.record.turn.player

    @precondition(lambda self: not self.over)
    @rule(data=st.data(), is_named=st.booleans())
    def a_legal_move(self, data: st.DataObject, is_named: bool) -> None:
        moves = self.record.legal_moves()
        move = moves[data.draw(st.integers(0, len(moves) - 1))]
        mover = self.mover
        assert mover is not None
        result = self.carry_out(Play(int(mover), self.text(move)), int(mover), is_named)
        assert result.table.game.move_at(self.record.length) == move
        self.record.play(move)
        self.moves += 1
        while self.record.length < result.table.game.length:  # dice and passes: legal, or the record would refuse them
            follows = result.table.game.move_at(self.record.length)
            if self.record.turn.player is not None:
                assert self.record.legal_moves() == (self.record.rules.pass_move,)
                self.moves += 1
            self.record.play(follows)
        self.turn_since, self.is_warned = self.now, False
        if self.offer != mover:
            self.offer = None
        if self.record.outcome:
            winner = self.record.outcome.winner
            self.over = (None if winner is None else int(winner), str(self.record.outcome.reason))

    @precondition(lambda self: not self.over)
    @rule(data=st.data())
    def an_illegal_move(self, data: st.DataObject) -> None:
        """One that was legal before, or will be for the other player; its name stays free for a better one."""
        assert self.mover is not None
        legal, after = self.record.legal_moves(), self.record.copy()
        after.play(legal[0])
        write = self.record.rules.notation.write_move
        before = [
            write(position, move) for position, move in zip(self.record.positions, self.record.moves, strict=False)
        ]
        known = [*before, *(write(after.position, move) for move in after.legal_moves())]
        illegal = [text for text in known if not self.is_legal(text)]  # a legal move can be written in two ways
        if illegal:
            text = data.draw(st.sampled_from(illegal))
            command = Play(int(self.mover), text)
            self.refused(BadMove, command, expected=self.version, name=self.next_name(int(self.mover)))

    @precondition(lambda self: not self.over)
    @rule()
    def a_move_out_of_turn(self) -> None:
        assert self.mover is not None
        self.refused(NotYourTurn, Play(1 - int(self.mover), self.text(self.record.legal_moves()[0])))

    @precondition(lambda self: self.over)
    @rule(seat=SEATS)
    def a_move_after_the_end(self, seat: int) -> None:
        for command in (Play(seat, ""), Resign(seat), OfferDraw(seat), AcceptDraw(seat), DeclineDraw(seat)):
            self.refused(GameIsOver, command)

    @rule(seat=SEATS, behind=st.integers(1, 3))
    def a_late_command(self, seat: int, behind: int) -> None:
        self.refused(StaleVersion, Resign(seat), expected=max(0, self.version - behind))

    @precondition(lambda self: self.said)
    @rule(data=st.data())
    def a_repeated_command(self, data: st.DataObject) -> None:
        name, command, version = data.draw(st.sampled_from(self.said))
        result = self.do(command, expected=version - 1, name=name)
        assert result.event is None
        assert result.version == version

    @precondition(lambda self: not self.over)
    @rule(seat=SEATS, chance=st.integers(0, 5), is_named=st.booleans())
    def a_resignation(self, seat: int, chance: int, is_named: bool) -> None:
        if chance == 0:  # seldom, or few games get anywhere
            self.carry_out(Resign(seat), seat, is_named)
            self.over = (1 - seat, "resignation")

    @precondition(lambda self: not self.over)
    @rule(seat=SEATS, is_named=st.booleans())
    def an_offer(self, seat: int, is_named: bool) -> None:
        if not self.record.rules.has_draws:
            self.refused(IllegalMove, OfferDraw(seat))
        elif self.offer is not None or self.offered[seat] == self.moves:
            self.refused(TooManyOffers, OfferDraw(seat))
        else:
            self.carry_out(OfferDraw(seat), seat, is_named)
            self.offer, self.offered[seat] = seat, self.moves

    @precondition(lambda self: not self.over)
    @rule(seat=SEATS, says_yes=st.booleans(), is_named=st.booleans())
    def an_answer(self, seat: int, says_yes: bool, is_named: bool) -> None:
        command = AcceptDraw(seat) if says_yes else DeclineDraw(seat)
        if self.offer != 1 - seat:
            self.refused(NoOffer, command)
            return
        self.carry_out(command, seat, is_named)
        if says_yes:
            self.over = (None, "agreement")
        else:
            self.offer = None

    @rule(seat=SEATS, is_named=st.booleans())
    def a_wish_for_a_rematch(self, seat: int, is_named: bool) -> None:
        command = AskRematch(seat, str(uuid.UUID(int=self.version)))
        if not self.over:
            self.refused(NotOver, command)
        elif self.wants_rematch[seat]:
            assert self.do(command).event is None
        else:
            self.carry_out(command, seat, is_named)
            self.wants_rematch[seat] = True
            if all(self.wants_rematch):
                self.rematch = command.table

    @rule(seat=SEATS)
    def leaving(self, seat: int) -> None:
        result = self.do(Leave(seat))
        if self.over or self.away[seat] is not None:
            assert result.event is None
        else:
            self.away[seat] = self.now
            self.version += 1

    @rule(seat=SEATS)
    def coming_back(self, seat: int) -> None:
        result = self.do(Return(seat))
        if self.over or self.away[seat] is None:
            assert result.event is None
        else:
            self.away[seat] = None
            self.version += 1

    @rule(seconds=st.sampled_from([1, 20, 31, 61]))
    def time_passes(self, seconds: int) -> None:
        self.clock.wait(seconds)

    @rule()
    def the_sweeper_comes(self) -> None:
        due_at = self.due()
        assert (FIRST in self.run(self.store.tables_due(self.now, 2))) == (due_at is not None and due_at <= self.now)
        result = self.do(Tick())
        due = self.expected_tick()
        assert (result.event is not None) == (due is not None)
        if due == "warning":
            self.is_warned = True
        elif due is not None:
            self.over = due
        self.version += due is not None

    def due(self) -> int | None:
        """When the sweeper has to come next."""
        if self.over:
            return None
        gone = [since + AWAY for since in self.away if since is not None]
        return min([self.turn_since + (IDLE if self.is_warned else WARN), *gone])

    def expected_tick(self) -> Any:
        """What the clock says now: a warning, or who wins and why."""
        if self.over:
            return None
        now = self.now
        ends = [(self.turn_since + IDLE, 1, 1 - int(self.mover or 0), "afk_timeout")]
        ends += [(gone + AWAY, 0, 1 - seat, "disconnect") for seat, gone in enumerate(self.away) if gone is not None]
        at, _, winner, reason = min(ends, key=lambda end: end[:2])
        if at <= now:
            return winner, reason
        return "warning" if not self.is_warned and self.turn_since + WARN <= now else None

    @rule(seconds=st.sampled_from([0, 1, 45, 3600]))
    def the_platform_restarts(self, seconds: int) -> None:
        """The time between does not count."""
        self.run(self.store.heartbeat(self.clock.time, self.now))  # it has been open all the while
        self.clock.wait(seconds)
        self.open_platform_again()
        self.closed += seconds * 1000

    @invariant()
    def the_table_is_as_the_model_says(self) -> None:
        if not hasattr(self, "record"):
            return
        live = self.run(self.tables.load(FIRST))
        table = live.table
        assert table.version == self.version == len(live.events)
        assert [event.version for event in live.events] == list(range(1, self.version + 1))
        assert table.moves == self.moves
        assert table.offer == (None if self.over else self.offer) or self.over
        assert table.due() == self.due()
        assert (table.wants_rematch, table.rematch) == (tuple(self.wants_rematch), self.rematch)
        outcome = table.outcome
        if self.over is None:
            assert outcome is None
            assert table.mover == self.mover
        else:
            assert outcome is not None
            winner = None if self.over[0] is None else Player(self.over[0])
            assert (outcome.winner, outcome.reason) == (winner, self.over[1])

    @invariant()
    def one_table_is_live_until_the_end_and_another_when_both_want_a_rematch(self) -> None:
        if not hasattr(self, "record"):
            return
        expected = self.rematch if self.over else FIRST
        assert [row.id for row in self.run(self.store.live_tables())] == [expected] * (expected is not None)
        if self.rematch:
            again = self.run(self.tables.load(self.rematch)).table
            assert (again.version, [seat.id for seat in again.seats]) == (1, ["b", "a"])

    @invariant()
    def the_log_tells_the_state(self) -> None:
        if not hasattr(self, "record"):
            return
        stored = self.run(self.store.events(FIRST))
        live = self.run(self.tables.load(FIRST))
        assert list(stored) == live.events
        assert folded(stored) == live.table
        row = self.run(self.store.table(FIRST))
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
