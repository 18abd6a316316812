"""Puzzles for players: attempts, ratings and streaks, with a clock that is set by hand."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.service.parts import FakeClock
from tests.service.platforms import run_in

from ludus.core.errors import BadInput, BadMove
from ludus.puzzles import Puzzle
from ludus.puzzles.puzzle import id_of
from ludus.service import puzzles as service
from ludus.service.ports.store import NEWEST, Store
from ludus.service.puzzles import DAY, HISTORY, Puzzles, State, level_of, puzzle_key
from ludus.service.records import PuzzleAttempt
from ludus.service.tables import NotFound
from ludus.storage import store_for

ANN, BEN, BOT = "person/ann", "person/ben", "agent/7"


def puzzle(position: str, *moves: str, rating: int = 1500, themes: Sequence[str] = ("shot",)) -> Puzzle:
    return Puzzle(id_of("checkers", position), "checkers", position, moves, 1.0, rating, tuple(themes), "a test")


TWO = puzzle("B:W32:B1,2", "1-5", "32-28", "2-6", themes=("long",))
"""Two moves to find, with a reply between them."""
ONE = puzzle("B:W32:B1,3", "1-5")
MANY = [puzzle(f"B:W32:B1,{square}", "1-5", rating=900 + 50 * square) for square in range(7, 24)]


class House(NamedTuple):
    store: Store
    puzzles: Puzzles
    other: Puzzles
    """Those of another process on the same store."""


def of_game(*known: Puzzle) -> object:
    return lambda game: known if game == "checkers" else ()


@asynccontextmanager
async def open_house(folder: Path, clock: FakeClock) -> AsyncIterator[House]:
    store = store_for("", folder)
    await store.open()
    one, two = (Puzzles(store, clock.now, Random(1), of_game(TWO, ONE, *MANY)) for _ in range(2))  # type: ignore[arg-type]  # a stub
    yield House(store, one, two)
    await store.close()


with_puzzles = run_in(open_house)


async def solve(puzzles: Puzzles, player: str, which: Puzzle) -> PuzzleAttempt:
    for number in range((len(which.moves) + 1) // 2):
        tried = await puzzles.try_move(player, which, number, which.moves[2 * number])
    return tried.attempt


@with_puzzles
async def test_a_puzzle_is_solved_move_by_move(house: House) -> None:
    first = await house.puzzles.try_move(ANN, TWO, 0, "1-5")
    assert (first.answer.is_right, first.answer.is_solved, first.answer.reply) == (True, False, "32-28")
    assert (first.attempt.state, first.attempt.found, first.attempt.after) == (State.OPEN, 1, None)
    last = await house.other.try_move(ANN, TWO, 1, "2-6")
    assert (last.answer.is_solved, last.attempt.state, last.attempt.found) == (True, State.SOLVED, 2)
    standing = await house.puzzles.standing(ANN, "checkers")
    assert last.attempt.before == 1500 and last.attempt.after == standing.rating.rating > 1500
    assert (standing.rating.games, standing.rating.wins) == (1, 1)
    assert (standing.streaks.streak, standing.streaks.best) == (1, 1)
    assert (await house.puzzles.rating(TWO)).rating < TWO.rating


@with_puzzles
async def test_the_first_wrong_move_fails_and_later_tries_change_no_rating(house: House) -> None:
    await solve(house.puzzles, ANN, ONE)
    failed = await house.puzzles.try_move(ANN, TWO, 0, "2-6")
    assert (failed.answer.is_right, failed.attempt.state) == (False, State.FAILED)
    assert failed.attempt.after is not None and failed.attempt.before is not None
    assert failed.attempt.after < failed.attempt.before
    assert (await house.puzzles.rating(TWO)).rating > TWO.rating
    before = await house.puzzles.standing(ANN, "checkers")
    assert (before.streaks.streak, before.streaks.best) == (0, 1)
    again = await solve(house.puzzles, ANN, TWO)
    assert (again.state, again.found, again.after) == (State.FAILED, 2, failed.attempt.after)
    assert await house.puzzles.standing(ANN, "checkers") == before


@with_puzzles
async def test_a_move_that_was_not_reached_is_refused_and_so_is_an_illegal_one(house: House) -> None:
    with pytest.raises(BadInput):
        await house.puzzles.try_move(ANN, TWO, 1, "2-6")
    with pytest.raises(BadMove):
        await house.puzzles.try_move(ANN, TWO, 0, "1-9")
    assert await house.store.puzzle_attempts_page(ANN, NEWEST, 9) == []
    await house.puzzles.try_move(ANN, TWO, 0, "2-6")  # failed: the moves still have to be found in order
    with pytest.raises(BadInput):
        await house.puzzles.try_move(ANN, TWO, 1, "2-6")


@with_puzzles
async def test_who_gives_up_has_failed(house: House) -> None:
    attempt = await house.puzzles.show(ANN, TWO)
    assert (attempt.state, attempt.found) == (State.SHOWN, 2)
    assert attempt.after is not None and attempt.after < 1500
    assert await house.puzzles.show(ANN, TWO) == attempt
    assert (await solve(house.puzzles, ANN, TWO)) == attempt


@with_puzzles
async def test_who_sees_a_solution_has_seen_it_however_the_attempt_had_ended(house: House) -> None:
    failed = (await house.puzzles.try_move(ANN, TWO, 0, "2-6")).attempt
    solved = await solve(house.puzzles, ANN, ONE)
    await house.puzzles.hint(ANN, MANY[0])
    standing = await house.puzzles.standing(ANN, "checkers")
    seen = [await house.puzzles.show(ANN, each) for each in (TWO, ONE, MANY[0])]
    assert [each.state for each in seen] == [State.SHOWN, State.SOLVED, State.SHOWN]
    assert [(each.before, each.after) for each in seen] == [(each.before, each.after) for each in (failed, solved)] + [
        (None, None)
    ]
    assert await house.puzzles.standing(ANN, "checkers") == standing


@with_puzzles
async def test_after_a_hint_nothing_counts(house: House) -> None:
    assert (await house.puzzles.hint(ANN, TWO)).state == State.HINTED
    attempt = await solve(house.puzzles, ANN, TWO)
    assert (attempt.state, attempt.found, attempt.after) == (State.HINTED, 2, None)
    standing = await house.puzzles.standing(ANN, "checkers")
    assert (standing.rating.games, standing.streaks.streak) == (0, 0)
    solved = await solve(house.puzzles, ANN, ONE)
    assert await house.puzzles.hint(ANN, ONE) == solved


@with_puzzles
async def test_many_at_once_all_count_for_the_puzzle(house: House) -> None:
    players = [f"person/{number}" for number in range(10)]
    done = await asyncio.gather(*[solve(house.puzzles, player, ONE) for player in players])
    assert [each.state for each in done] == [State.SOLVED] * 10
    assert (await house.puzzles.rating(ONE)).games == 10


@with_puzzles
async def test_the_same_request_at_two_processes_counts_once(house: House) -> None:
    asked = [each.try_move(ANN, ONE, 0, "1-5") for each in (house.puzzles, house.other) * 3]
    tried = await asyncio.gather(*asked)
    assert len({each.attempt for each in tried}) == 1
    assert (await house.puzzles.standing(ANN, "checkers")).rating.games == 1


@with_puzzles
async def test_programs_change_their_own_rating_only(house: House) -> None:
    await solve(house.puzzles, BOT, ONE)
    assert (await house.puzzles.standing(BOT, "checkers")).rating.rating > 1500
    assert await house.store.puzzle_ratings("checkers", [puzzle_key(ONE.id)]) == []


@with_puzzles
async def test_the_next_puzzle_is_near_and_new(house: House) -> None:
    seen = set()
    for _ in range(len(MANY) + 2):
        found = await house.puzzles.next("checkers", ANN)
        level = level_of((await house.puzzles.standing(ANN, "checkers")).rating)
        left = [each for each in (TWO, ONE, *MANY) if each.id not in seen]
        nearest = sorted(left, key=lambda each: abs(each.rating - level))[: service.CHOICE]
        assert abs(found.rating - level) <= abs(nearest[-1].rating - level)
        assert found.id not in seen
        seen.add(found.id)
        await solve(house.puzzles, ANN, found)
    assert len(seen) == len(MANY) + 2


@with_puzzles
async def test_a_newcomer_starts_with_easier_puzzles_than_a_settled_player_of_the_same_rating(house: House) -> None:
    new = (await house.puzzles.standing(ANN, "checkers")).rating
    assert (level_of(new), level_of(new._replace(deviation=60.0))) == (1240, 1500)
    nearest = sorted(abs(each.rating - 1240) for each in (TWO, ONE, *MANY))[: service.CHOICE]
    drawn = [await house.puzzles.next("checkers", player) for player in (ANN, None) for _ in range(10)]
    assert max(abs(each.rating - 1240) for each in drawn) <= nearest[-1]


@with_puzzles
async def test_when_all_were_had_the_one_longest_ago_comes_again(house: House, clock: FakeClock) -> None:
    for each in (ONE, TWO, *MANY):
        clock.wait(1)
        await house.puzzles.show(ANN, each)
    assert await house.puzzles.next("checkers", ANN) == ONE
    assert await house.puzzles.next("checkers", ANN, skipped=ONE.id) == TWO
    assert await house.puzzles.next("checkers", ANN, theme="long") == TWO
    assert (await house.puzzles.next("checkers", BEN)).game == "checkers"


@with_puzzles
async def test_unknown_games_puzzles_and_themes_are_not_found(house: House) -> None:
    for game in ("backgammon", "chess", ""):
        with pytest.raises(NotFound):
            await house.puzzles.next(game)
        with pytest.raises(NotFound):
            house.puzzles.daily(game)
    with pytest.raises(NotFound):
        await house.puzzles.next("checkers", theme="mate")
    with pytest.raises(NotFound):
        house.puzzles.get("checkers", "unknown")
    assert house.puzzles.get("checkers", ONE.id) == ONE
    assert house.puzzles.games() == ["checkers"]


@with_puzzles
async def test_the_daily_puzzle_is_everybodys_and_none_comes_twice_before_all_have_come(
    house: House, clock: FakeClock
) -> None:
    days, count = [], len(MANY) + 2
    for _ in range(2 * count):
        assert house.puzzles.daily("checkers") == house.other.daily("checkers")
        days.append(house.puzzles.daily("checkers").id)
        clock.wait(DAY / 1000)
    for start in range(count):
        assert len(set(days[start : start + count])) == count


@with_puzzles
async def test_days_in_a_row_are_counted_until_one_is_missed(house: House, clock: FakeClock) -> None:
    async def days() -> tuple[int, int]:
        standing = await house.puzzles.standing(ANN, "checkers")
        return standing.days, standing.streaks.best_days

    for number in (1, 2, 3):
        await solve(house.puzzles, ANN, house.puzzles.daily("checkers"))
        await solve(house.puzzles, ANN, house.puzzles.daily("checkers"))
        assert await days() == (number, number)
        clock.wait(DAY / 1000)
    assert await days() == (3, 3)  # today is not over
    clock.wait(DAY / 1000)
    assert await days() == (0, 3)
    await solve(house.puzzles, ANN, house.puzzles.daily("checkers"))
    assert await days() == (1, 3)


@with_puzzles
async def test_the_day_counts_at_a_later_try_or_for_a_puzzle_had_before_but_not_once_it_was_shown(
    house: House, clock: FakeClock
) -> None:
    async def day_counts() -> bool:
        return (await house.puzzles.standing(ANN, "checkers")).streaks.last_day == house.puzzles.today()

    clock.wait(next(day for day in range(99) if service_day(house, clock, day) == TWO) * DAY / 1000)
    today = house.puzzles.daily("checkers")
    assert today == TWO
    await house.puzzles.show(BEN, today)
    await solve(house.puzzles, BEN, today)
    assert (await house.puzzles.standing(BEN, "checkers")).days == 0
    await house.puzzles.try_move(ANN, today, 0, "2-6")
    assert not await day_counts()
    await solve(house.puzzles, ANN, today)
    assert await day_counts()
    clock.wait((len(MANY) + 2) * DAY / 1000)
    assert house.puzzles.daily("checkers") == today and not await day_counts()
    await solve(house.puzzles, ANN, today)
    await solve(house.puzzles, BEN, today)
    assert await day_counts()
    assert (await house.puzzles.standing(BEN, "checkers")).days == 1


def service_day(house: House, clock: FakeClock, ahead: int) -> Puzzle:
    later = FakeClock()
    later.time = clock.time + ahead * DAY
    return Puzzles(house.store, later.now, Random(1), of_game(TWO, ONE, *MANY)).daily("checkers")  # type: ignore[arg-type]  # a stub


@with_puzzles
async def test_only_so_many_attempts_of_a_player_are_kept(house: House, clock: FakeClock) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(service, "HISTORY", 5)
        for each in MANY:
            clock.wait(1)
            await solve(house.puzzles, ANN, each)
    kept = await house.store.puzzle_attempts_page(ANN, NEWEST, 99)
    assert [each.puzzle for each in kept] == [each.id for each in MANY[:-6:-1]]
    assert HISTORY >= 1000


class Model:
    """What should come of requests, each of which may be repeated and may reach either process."""

    def __init__(self) -> None:
        self.states: dict[str, str] = {}
        self.found: dict[str, int] = {}
        self.streak = self.best = self.games = self.wins = 0

    def end(self, which: Puzzle, state: str) -> None:
        self.states[which.id] = state
        self.games += 1
        self.wins += state == State.SOLVED
        self.streak = self.streak + 1 if state == State.SOLVED else 0
        self.best = max(self.best, self.streak)

    def apply(self, which: Puzzle, action: str, number: int) -> None:
        state, found = self.states.get(which.id, State.OPEN), self.found.get(which.id, 0)
        last = (len(which.moves) + 1) // 2
        if action == "show":
            if state == State.OPEN:
                self.end(which, State.SHOWN)
            if state != State.SOLVED:
                self.states[which.id], self.found[which.id] = State.SHOWN, last
        elif action == "hint":
            self.states[which.id] = State.HINTED if state == State.OPEN else state
        elif action == "right" and number <= found:
            self.found[which.id] = max(found, number + 1)
            if state == State.OPEN and self.found[which.id] == last:
                self.end(which, State.SOLVED)
        elif action == "wrong" and state == State.OPEN and number == found:
            self.end(which, State.FAILED)


REQUESTS = st.lists(
    st.tuples(
        st.sampled_from([TWO, ONE, *MANY[:2]]),
        st.sampled_from(["right", "right", "wrong", "hint", "show"]),
        st.integers(0, 1),
        st.integers(1, 3),
    ),
    max_size=25,
)


@settings(deadline=None, max_examples=25)
@given(requests=REQUESTS)
def test_repeated_requests_never_count_twice(requests: list[tuple[Puzzle, str, int, int]]) -> None:
    async def ask(puzzles: Puzzles, which: Puzzle, action: str, number: int) -> object:
        if action == "hint":
            return await puzzles.hint(ANN, which)
        if action == "show":
            return await puzzles.show(ANN, which)
        wrong = {"1-5": "1-6", "2-6": "2-7"}
        move = which.moves[2 * number] if 2 * number < len(which.moves) else "1-5"
        try:
            return await puzzles.try_move(ANN, which, number, move if action == "right" else wrong[move])
        except BadInput as error:
            return str(error)

    async def go(folder: Path) -> None:
        model = Model()
        async with open_house(folder, FakeClock()) as house:
            for which, action, number, times in requests:
                asked = [ask(each, which, action, number) for each in (house.puzzles, house.other, house.puzzles)]
                answers = await asyncio.gather(*asked[:times])
                for unasked in asked[times:]:
                    unasked.close()
                assert all(each == answers[0] for each in answers)
                if number < (len(which.moves) + 1) // 2 or action in ("hint", "show"):
                    model.apply(which, action, number)
            standing = await house.puzzles.standing(ANN, "checkers")
            rating, streaks = standing.rating, standing.streaks
            assert (rating.games, rating.wins) == (model.games, model.wins)
            assert (streaks.streak, streaks.best) == (model.streak, model.best)
            for each in (TWO, ONE, *MANY[:2]):
                attempt = await house.puzzles.attempt(ANN, each)
                assert (attempt.state, attempt.found) == (
                    model.states.get(each.id, State.OPEN),
                    model.found.get(each.id, 0),
                )

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(go(Path(folder)))
