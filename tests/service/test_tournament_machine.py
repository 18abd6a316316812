"""Tournaments against what is stored: joins, withdrawals, results, no-shows and kills at any moment, in any order.

A kill is a store that dies at some commit, before or after it is done. A new platform then opens on the same
files. Whatever happens, each entrant has one game at a time, no game is opened or counted twice, and the tournament
comes to its end.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter, defaultdict
from collections.abc import Awaitable, Sequence
from contextlib import ExitStack, suppress
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, TypeVar, cast

import networkx
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.service.mortal_store import Killed, MortalStore
from tests.service.parts import FakeClock, first_play
from tests.service.platforms import SECRET, TIMEOUTS, FirstMove, settle

from ludus.bus.memory import MemoryBus
from ludus.core.errors import LudusError
from ludus.service.commands import Abort, AcceptDraw, Command, OfferDraw, Resign
from ludus.service.platform import Platform
from ludus.service.ports.store import Store
from ludus.service.records import PairingRow
from ludus.service.table import Table
from ludus.service.time_control import TimeControl
from ludus.service.tournaments import progress
from ludus.service.tournaments.progress import LIVE, OVER, RUNNING
from ludus.service.tournaments.terms import ARENA, KNOCKOUT, ROUND_ROBIN, SWISS, SYSTEMS, Terms
from ludus.service.tournaments.tournaments import Applicant, View
from ludus.storage import store_for
from ludus.tournaments.records import cards

pytestmark = pytest.mark.slow

T = TypeVar("T")
OWNER = "person/owner"
PLAYERS = st.integers(0, 8)


class TournamentMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.stack = ExitStack()
        self.runner = self.stack.enter_context(asyncio.Runner())
        self.folder = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        self.clock = FakeClock()
        self.id = ""
        self.open_platform()

    def run(self, coroutine: Awaitable[T]) -> T:
        async def whole() -> T:
            return await coroutine

        return self.runner.run(whole())

    def open_platform(self) -> None:
        self.store = MortalStore(store_for("", self.folder))
        self.platform = Platform(
            cast("Store", self.store), MemoryBus(), FirstMove(), SECRET, TIMEOUTS, clock=self.clock, rng=Random(1)
        )
        self.run(self.platform.open())
        self.run(settle(self.platform))

    @initialize(system=st.sampled_from(SYSTEMS), players=st.integers(0, 7), rounds=st.integers(0, 3))
    def make(self, system: str, players: int, rounds: int) -> None:
        rounds = {SWISS: rounds, ROUND_ROBIN: max(1, rounds - 1)}.get(system, 0)
        minutes = 10 if system == ARENA else 0
        control = TimeControl.read_text("5+3")
        terms = Terms("Friday", "checkers", system, control, rounds=rounds, minutes=minutes, most_entrants=8)
        self.id = self.run(self.platform.tournaments.create(OWNER, terms)).id
        for number in range(players):
            self.join(number)

    @rule(number=PLAYERS)
    def join(self, number: int) -> None:
        kind = "agent" if number % 3 == 1 else "person"
        applicant = Applicant(f"{kind}/{number}", str(number), f"Player {number}", kind)
        with suppress(LudusError):
            self.run(self.platform.tournaments.join(self.id, applicant))

    @rule(number=PLAYERS)
    def withdraw(self, number: int) -> None:
        kind = "agent" if number % 3 == 1 else "person"
        with suppress(LudusError):
            self.run(self.platform.tournaments.withdraw(self.id, f"{kind}/{number}"))

    @precondition(lambda self: self.view().tournament.state == "created")
    @rule()
    def start(self) -> None:
        with suppress(LudusError):
            self.run(self.platform.tournaments.start(self.id, OWNER))

    @rule(seconds=st.sampled_from([1, 5, 30]))
    def wait(self, seconds: int) -> None:
        self.clock.wait(seconds)
        self.run(self.sweep())

    @precondition(lambda self: self.live())
    @rule()
    def let_nobody_come(self) -> None:
        """Until the first moves are overdue."""
        self.clock.wait(121)
        self.run(self.sweep())

    @precondition(lambda self: self.live())
    @rule(which=st.integers(0, 99), seat=st.integers(0, 1), moves=st.integers(0, 3))
    def win(self, which: int, seat: int, moves: int) -> None:
        table = self.chosen(which)
        self.run(self.play(table, moves))
        self.run(self.execute(table, Resign(1 - seat)))

    @precondition(lambda self: self.live())
    @rule(which=st.integers(0, 99))
    def draw(self, which: int) -> None:
        table = self.chosen(which)
        self.run(self.execute(table, OfferDraw(0)))
        self.run(self.execute(table, AcceptDraw(1)))

    @precondition(lambda self: self.live())
    @rule(which=st.integers(0, 99))
    def break_off(self, which: int) -> None:
        self.run(self.execute(self.chosen(which), Abort(None, "cancelled")))

    @rule(commits=st.integers(0, 8), does_last=st.booleans(), is_result=st.booleans(), seconds=st.integers(1, 10))
    def be_killed(self, commits: int, does_last: bool, is_result: bool, seconds: int) -> None:
        """While a result comes in, or the director is at work."""
        live = self.live()
        self.clock.wait(seconds)
        self.store.commits_left, self.store.does_last = commits, does_last
        with suppress(Killed):
            if is_result and live:
                self.run(self.execute(live[0].tables[-1], Resign(0)))
            self.run(self.sweep())
        self.store.commits_left = None
        self.run(self.platform.store.close())
        self.open_platform()

    async def sweep(self) -> None:
        await self.platform._heartbeat()
        await self.platform.sweep()
        await self.platform.director.sweep()
        await self.platform.bus.drain()

    async def execute(self, table: str, command: Command) -> None:
        with suppress(LudusError):  # it has just ended
            await self.platform.tables.execute(table, command)

    async def play(self, table: str, moves: int) -> None:
        for _ in range(moves):
            now = (await self.platform.tables.load(table)).table
            if now.outcome is None:
                await self.platform.tables.execute(table, first_play(now))

    def view(self) -> View:
        async def read() -> View:
            tournaments = self.platform.tournaments
            return await tournaments.view(await tournaments.get(self.id))

        return self.run(read())

    def live(self) -> list[PairingRow]:
        return [row for row in self.view().pairings if row.state == LIVE]

    def chosen(self, which: int) -> str:
        live = self.live()
        return live[which % len(live)].tables[-1]

    async def table(self, id: str) -> Table:
        return (await self.platform.tables.load(id)).table

    @invariant()
    def has_one_game_at_a_time(self) -> None:
        if self.id:
            busy = [seed for row in self.view().pairings if row.state != OVER for seed in (row.first, row.second)]
            assert max(Counter(busy).values(), default=0) <= 1

    @invariant()
    def has_opened_each_game_once(self) -> None:
        if not self.id:
            return
        view = self.view()
        known = [table for row in view.pairings for table in row.tables]
        assert len(known) == len(set(known))
        live = {row.tables[-1] for row in view.pairings if row.state == LIVE}
        assert {row.id for row in self.run(self.platform.store.live_tables())} == live
        players = {entrant.player for entrant in view.entrants}
        played = {row.id for player in players for row in self.run(self.platform.store.tables_of(player, 1000))}
        assert played == set(known)

    @invariant()
    def has_counted_each_game_once(self) -> None:
        """The scores are those of the games, counted by somebody who does not know how."""
        if not self.id:
            return
        view, scores = self.view(), defaultdict[int, float](float)
        for row in (each for each in view.pairings if each.state == OVER):
            if row.outcome == "played":
                winner = self.run(self.table(row.tables[-1])).outcome
                assert winner is not None
                assert row.score == {None: 0.5, 0: 1.0, 1: 0.0}[winner.winner]
            if row.outcome in ("played", "forfeit", "halved", "bye"):
                assert row.score is not None
                scores[row.first] += row.score
                if row.second is not None:
                    scores[row.second] += 1 - row.score
        for place in view.standings:
            if view.tournament.system != ARENA and place.entrant.seed >= 0:
                assert place.score == scores[place.entrant.seed]

    @invariant()
    def pairs_fairly(self) -> None:
        if not self.id or (view := self.view()).tournament.system != SWISS:
            return
        rounds = progress.results(view.pairings)
        size = len(progress.by_seed(view.entrants))
        for number in range(1, view.tournament.round + 1):
            rows = [row for row in view.pairings if row.round == number]
            before = cards(size, rounds[: number - 1])
            there = [seed for row in rows for seed in (row.first, row.second) if seed is not None]
            if can_avoid_repeats(there, before):
                for row in rows:
                    assert row.second not in before[row.first].opponents

    def teardown(self) -> None:
        """Every tournament ends."""
        if self.id:
            self.start()
            for _ in range(200):
                if (view := self.view()).tournament.state != RUNNING:
                    break
                for row in [each for each in view.pairings if each.state == LIVE]:
                    self.run(self.execute(row.tables[-1], Resign(row.board % 2)))
                self.wait(30)
            self.check_end()
        self.run(self.platform.close())
        self.stack.close()

    def check_end(self) -> None:
        view = self.view()
        assert view.tournament.state in ("finished", "cancelled", "created")
        if view.tournament.state != "finished":
            return
        assert not self.live()
        self.has_counted_each_game_once()
        self.pairs_fairly()
        seeds, system = progress.by_seed(view.entrants), view.tournament.system
        met = Counter(frozenset((row.first, row.second)) for row in view.pairings if row.second is not None)
        if system == ROUND_ROBIN:
            cycles = view.tournament.rounds
            assert met == Counter({frozenset(pair): cycles for pair in combinations(seeds, 2)})
        if system == KNOCKOUT:
            assert len(met) == len(seeds) - 1


def can_avoid_repeats(there: Sequence[int], before: Sequence[Any]) -> bool:
    graph = networkx.Graph()
    graph.add_edges_from((a, b) for a, b in combinations(there, 2) if b not in before[a].opponents)
    if len(there) % 2:
        graph.add_edges_from((seed, "bye") for seed in there if not before[seed].byes)
    return 2 * len(networkx.max_weight_matching(graph, maxcardinality=True)) == len(there) + len(there) % 2


TestTournaments = TournamentMachine.TestCase
TestTournaments.settings = settings(max_examples=12, stateful_step_count=20, deadline=None)
