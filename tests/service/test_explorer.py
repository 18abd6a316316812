"""The opening explorer: its counts are those of a plain recount, whatever happens while games are counted."""

from __future__ import annotations

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.games import GAMES
from ludus.openings import book
from ludus.service.clock import Moment
from ludus.service.commands import Abort, Play, Resign, TakeBack
from ludus.service.decisions import decide, open_table
from ludus.service.explorer import EXAMPLES, Exploration, Explorer, position_number
from ludus.service.finished import is_counted
from ludus.service.ports.store import Store, Unavailable
from ludus.service.ports.writes import Append, DropTable, PutRatingChange, RedactSeat
from ludus.service.records import Event, RatingChange, TableRow
from ludus.service.table import Limits, Opening, Seat, SeatKind, erased, row_player
from ludus.storage import store_for

SEED = bytes(range(32))
NO_LIMITS = Limits(None, None, None)
AGENTS = Seat("agent/a", "a", "Ada", SeatKind.AGENT), Seat("agent/b", "b", "Bob", SeatKind.AGENT)
PEOPLE = Seat("person/p", "p", "Pia", SeatKind.PERSON), Seat("person/q", "q", "Quin", SeatKind.PERSON)
ENDED = 1_700_000_000_000


class Stored(NamedTuple):
    game: Game[Any, Any]
    row: TableRow
    events: list[Event]


def finish(
    id: str,
    name: str = "checkers",
    moves: int = 12,
    *,
    seats: tuple[Seat, Seat] = AGENTS,
    variant: str = "standard",
    is_private: bool = False,
    line: Sequence[str] = (),
    end: Any = None,
    at: int = ENDED,
) -> Stored:
    """A game of so many moves, those of the line first and then any of a few, which the player to move resigns."""
    rules, rng = GAMES[name], Random(id)
    seed = SEED if rules.chances(rules.variants["standard"]) else None
    opening = Opening(id, name, "fast", "arena", seats, NO_LIMITS, True, seed, variant, is_private=is_private)
    decision = open_table(opening, Moment(at, at))
    events = [decision.event]
    while decision.after.outcome is None:
        table, mover = decision.after, decision.after.mover
        assert mover is not None
        if table.moves < len(line):
            command: Any = Play(mover, line[table.moves])
        elif table.moves < moves:
            legal = table.game.legal_moves()[:2]
            command = Play(mover, rules.notation.write_move(table.game.position, rng.choice(legal)))
        else:
            command = end or Resign(mover)
        decided = decide(table, command, Moment(at, at))
        assert decided is not None
        decision = decided
        events.append(decision.event)
    return Stored(decision.after.game, decision.after.row(), events)


async def put(store: Store, games: Iterable[Stored]) -> None:
    for game in games:
        live = game.row._replace(status="live", ended_at=None, result=None)
        begun = [Append(live._replace(version=event.version), event) for event in game.events[:-1]]
        await store.commit(*begun, Append(game.row, game.events[-1]))


def run(scenario: Callable[[Store], Awaitable[None]]) -> None:
    async def work(folder: Path) -> None:
        store = store_for("", folder)
        await store.open()
        try:
            await scenario(store)
        finally:
            await store.close()

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(work(Path(folder)))


async def count_all(explorer: Explorer) -> None:
    while await explorer.count():
        pass


class Killed(Exception):
    pass


class Dying:
    """A store whose caller is killed before or after some of its commits."""

    def __init__(self, store: Store, deaths: list[str]) -> None:
        self._store, self._deaths = store, deaths

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, *writes: Any) -> None:
        death = self._deaths.pop() if self._deaths else "none"
        if death == "before":
            raise Killed
        await self._store.commit(*writes)
        if death == "after":
            raise Killed


@cache
def pool() -> Sequence[Stored]:
    """Short games with openings in common, long ones, and matches."""
    checkers = [finish(f"c{number}", moves=number) for number in range(2, 26, 2)]
    backgammon = [finish(f"b{number}", "backgammon", 2 + number) for number in range(6)]
    cube = [finish("d", "backgammon", 12, variant="standard+cube"), finish("n", "backgammon", variant="nackgammon")]
    match = [finish(f"m{number}", "backgammon", 90, variant="standard+match3") for number in range(2)]
    return [*checkers, *backgammon, *cube, *match]


Counts = dict[tuple[int, str], list[int]]


def recounted(games: Iterable[Stored]) -> Counts:
    """Games, wins and draws of each move, from the records alone."""
    counts: Counts = defaultdict(lambda: [0, 0, 0])
    for stored in games:
        game, start = stored.game, 0
        for number in range(1, game.length + 1):
            ended = GAMES[game.rules.name].game_ended(
                game.position_at(number - 1), game.move_at(number - 1), game.position_at(number)
            )
            if ended is not None:
                recount(counts, game, range(start, number), ended.winner)
                start = number
        assert game.outcome is not None
        recount(counts, game, range(start, game.length), game.outcome.winner)
    return counts


def recount(counts: Counts, game: Game[Any, Any], plies: range, winner: Player | None) -> None:
    rules, own = game.rules, book(game.rules.name)
    moves = [ply for ply in plies if own.move(game.position_at(ply), game.move_at(ply))]
    for ply in moves[: own.plies]:
        after = [rules.maker(game.position_at(later), game.move_at(later)) for later in moves if later >= ply]
        mover = next((player for player in after if player is not None), None)
        if mover is not None:
            key = own.key(game.position_at(ply)), own.move(game.position_at(ply), game.move_at(ply))
            found = counts[position_number(rules.name, key[0]), key[1]]
            found[0] += 1
            found[1] += winner == mover
            found[2] += winner is None


async def stored_counts(store: Store, expected: Counts) -> Counts:
    found: Counts = {}
    for position in {position for position, _ in expected}:
        for count in await store.move_counts(position, 1000):
            found[position, count.move] = [count.games, count.wins, count.draws]
    return found


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_counts_are_those_of_a_recount_in_any_order_with_kills_and_two_processes(data: st.DataObject) -> None:
    games = data.draw(st.permutations(pool()).map(lambda games: games[: data.draw(st.integers(1, len(games)))]))
    deaths = data.draw(st.lists(st.sampled_from(["none", "before", "after"]), max_size=12))
    are_two = data.draw(st.booleans())

    async def scenario(store: Store) -> None:
        middle = len(games) // 2
        dying: Any = Dying(store, deaths)
        explorers = [Explorer(dying) for _ in range(1 + are_two)]
        for part in (games[:middle], games[middle:]):
            await put(store, part)
            for _ in range(len(deaths)):
                await asyncio.gather(*(each.count() for each in explorers), return_exceptions=True)
        deaths.clear()
        await asyncio.gather(*(count_all(each) for each in explorers))
        expected = recounted(games)
        assert await stored_counts(store, expected) == expected
        assert await store.tables_to_count(1) == []
        assert await store.recount_games() == len(games)
        await count_all(explorers[0])
        assert await stored_counts(store, expected) == expected

    run(scenario)


async def explore(store: Store, *moves: str, game: str = "checkers") -> Exploration:
    played = Game(GAMES[game])
    for text in moves:
        played.play(text)
    return await Explorer(store).look_up(game, played.position)


def shown(found: Exploration) -> dict[str, tuple[int, int, int]]:
    return {each.move: (each.total.games, each.total.wins, each.total.draws) for each in found.moves}


def test_a_position_shows_what_was_played_and_how_it_ended_for_the_mover() -> None:
    async def scenario(store: Store) -> None:
        lines = (("11-15", "23-19"), ("11-15", "22-17", "15-19"), ("9-13", "22-18"))
        await put(store, [finish(f"t{n}", moves=len(line), line=line) for n, line in enumerate(lines)])
        await count_all(Explorer(store))
        start = await explore(store)
        assert shown(start) == {"11-15": (2, 1, 0), "9-13": (1, 0, 0)}
        assert [each.name and each.name.text for each in start.moves] == ["Old Faithful", "Edinburgh"]
        assert shown(await explore(store, "11-15")) == {"22-17": (1, 0, 0), "23-19": (1, 1, 0)}
        dyke = await explore(store, "11-15", "22-17", "15-19")
        assert (dyke.moves, dyke.examples) == ([], []) and dyke.name is not None and dyke.name.text == "Dyke"

    run(scenario)


def test_opening_rolls_are_those_of_both_players() -> None:
    async def scenario(store: Store) -> None:
        games = [finish(f"t{number}", "backgammon", 2) for number in range(8)]
        await put(store, games)
        await count_all(Explorer(store))
        rolls = await explore(store, game="backgammon")
        assert sum(each.total.games for each in rolls.moves) == 8
        assert all(each.move[0] > each.move[1] for each in rolls.moves)
        first = games[0].game.moves[0]
        roll = f"{max(first)}{min(first)}"
        white, black = (
            await explore(store, roll, game="backgammon"),
            await explore(store, roll[::-1], game="backgammon"),
        )
        assert shown(white) == shown(black) != {}

    run(scenario)


def test_rolls_are_listed_where_the_player_may_double_but_cannot_be_played_at_once() -> None:
    async def scenario(store: Store) -> None:
        game = finish("t1", "backgammon", 6, variant="standard+cube")
        await put(store, [game])
        await count_all(Explorer(store))
        rules, before = game.game.rules, game.game.position_at(2)
        after = rules.play(before, rules.notation.read_move(before, "roll"))
        asked, rolling = [await Explorer(store).look_up("backgammon", each) for each in (before, after)]
        assert [each.move for each in asked.moves] == [each.move for each in rolling.moves] != []
        assert [each.is_legal for each in asked.moves] == [False]
        assert [each.is_legal for each in rolling.moves] == [True]

    run(scenario)


def test_moves_that_were_taken_back_and_games_that_were_not_played_do_not_count() -> None:
    person, bot = PEOPLE[0], Seat("bot/easy", "bot-easy", "Easy", SeatKind.BOT, "easy")
    opening = Opening("t1", "checkers", "training", "rooms", (person, bot), NO_LIMITS, False, None)
    decision = open_table(opening, Moment(1, 1))
    events = [decision.event]
    for command in (Play(0, "11-15"), Play(1, "23-19"), TakeBack(0), Play(0, "9-13"), Play(1, "22-18"), Resign(0)):
        decided = decide(decision.after, command, Moment(1, 1))
        assert decided is not None
        decision = decided
        events.append(decision.event)

    async def scenario(store: Store) -> None:
        taken_back = Stored(decision.after.game, decision.after.row(), events)
        cancelled = finish("t2", line=("10-14", "22-17"), moves=2, end=Abort(None, "cancelled"))
        await put(store, [taken_back, cancelled, finish("t3", line=("12-16",), moves=1)])
        await count_all(Explorer(store))
        assert shown(await explore(store)) == {"9-13": (1, 0, 0)}
        assert await store.tables_to_count(1) == []

    run(scenario)


def test_games_of_test_keys_and_exhibitions_do_not_count() -> None:
    row = finish("t1", line=("12-16", "24-20"), moves=2).row
    modes = ("live", "training", "fast", "test", "exhibition")
    assert [mode for mode in modes if is_counted(row._replace(mode=mode))] == ["live", "training", "fast"]


def test_examples_are_games_that_everyone_may_see_the_strongest_first() -> None:
    line = ("11-15", "23-19", "8-11")

    def one(id: str, *moves: str, **changes: Any) -> Stored:
        return finish(id, line=(*line, *moves), moves=4, **changes)

    async def scenario(store: Store) -> None:
        games = [
            one("weak", "22-17"),
            one("strong", "26-23"),
            one("new", "27-23", at=ENDED + 60_000, seats=PEOPLE),
            one("old", "22-18", seats=PEOPLE),
            one("private", "24-20", seats=PEOPLE, is_private=True),
            one("app", "19-16", seats=tuple(seat._replace(key=f"acme/live/{seat.id}") for seat in PEOPLE)),
            one("bot", "21-17", seats=(PEOPLE[0], Seat("bot/easy", "e", "Easy", SeatKind.BOT, "easy"))),
        ]
        await put(store, games)
        for id, rating in (("weak", 1300.0), ("strong", 1700.0)):
            for seat in AGENTS:
                await store.commit(PutRatingChange(RatingChange(id, seat.key, "checkers", rating, rating, (), 1)))
        await count_all(Explorer(store))
        found = await explore(store, *line)
        assert [row.id for row in found.examples] == ["strong", "weak", "new", "old"]
        assert len(found.moves) == 7  # all count
        assert {each.move: each.rating for each in found.moves}["26-23"] == 1700
        await store.commit(DropTable(games[1].row))
        assert [row.id for row in (await explore(store, *line)).examples] == ["weak", "new", "old"]
        await store.commit(redacted(games[0]))
        assert [row.id for row in (await explore(store, *line)).examples] == ["new", "old"]
        assert len((await explore(store, *line)).moves) == 7

    run(scenario)


def redacted(stored: Stored) -> RedactSeat:
    seats = [erased(AGENTS[0], 0), AGENTS[1]]
    data = {**stored.events[0].data, "seats": [seat.to_data() for seat in seats]}
    return RedactSeat(stored.row.id, 0, tuple(map(row_player, seats)), data)


def test_of_many_examples_a_few_are_shown() -> None:
    async def scenario(store: Store) -> None:
        firsts = ("9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16")
        await put(store, [finish(move, line=(move, "24-20"), moves=2) for move in firsts])
        await count_all(Explorer(store))
        assert len((await explore(store)).examples) == EXAMPLES

    run(scenario)


def test_a_record_that_cannot_be_read_is_left_out_and_holds_up_nobody() -> None:
    async def scenario(store: Store) -> None:
        bad = finish("t0")
        bad.events[2] = bad.events[2]._replace(data={**bad.events[2].data, "moves": ["32-1"]})
        await put(store, [bad, finish("t1", line=("11-15", "23-19"), moves=2)])
        await count_all(Explorer(store))
        assert shown(await explore(store)) == {"11-15": (1, 0, 0)}
        assert await store.tables_to_count(1) == []

    run(scenario)


def test_while_the_store_is_away_nothing_is_lost() -> None:
    async def scenario(store: Store) -> None:
        await put(store, [finish("t1")])
        explorer = Explorer(store)

        async def away(_table: str, _after: int = 0) -> Any:
            raise Unavailable("the database is away")

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(store, "events", away)
            with pytest.raises(Unavailable):
                await explorer.count()
        await count_all(explorer)
        assert sum(games for games, _, _ in shown(await explore(store)).values()) == 1

    run(scenario)


def test_a_process_whose_task_it_is_not_counts_nothing() -> None:
    async def scenario(store: Store) -> None:
        await put(store, [finish("t1")])
        idle, busy = Explorer(store, is_ours=lambda: False), Explorer(store)
        idle.start()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert await store.tables_to_count(1) == ["t1"]
        await idle.stop()
        busy.start()
        while await store.tables_to_count(1):
            await asyncio.sleep(0.01)
        await busy.stop()
        assert len(shown(await explore(store))) == 1

    run(scenario)
