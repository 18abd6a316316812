"""Storage of puzzles: attempts, ratings of players and puzzles, streaks."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ludus.service.ports.store import NEWEST, Conflict, Cursor, Store
from ludus.service.ports.writes import (
    DropPuzzleAttempts,
    DropRatings,
    PutPuzzleAttempt,
    PutPuzzleRating,
    PutPuzzleStreaks,
    PutRating,
)
from ludus.service.records import PuzzleAttempt, PuzzleStreaks

from .examples import RATING

pytestmark = pytest.mark.anyio

ANN, BEN = "person/ann", "person/ben"
NOW = 1_700_000_000_000


def attempt(puzzle: str = "p1", version: int = 1, **changes: Any) -> PuzzleAttempt:
    return PuzzleAttempt(ANN, "checkers", puzzle, version, "open", 1, NOW)._replace(**changes)


def streaks(version: int = 1, **changes: Any) -> PuzzleStreaks:
    return PuzzleStreaks(ANN, "checkers", version, 3, 7, 2, 5, 20_000)._replace(**changes)


async def test_an_attempt_comes_back_as_it_was_and_goes_on(store: Store) -> None:
    await store.commit(PutPuzzleAttempt(attempt()))
    assert await store.puzzle_attempt(ANN, "checkers", "p1") == attempt()
    solved = attempt(version=2, state="solved", found=2, before=1500.5, after=1520.25)
    await store.commit(PutPuzzleAttempt(solved))
    assert await store.puzzle_attempt(ANN, "checkers", "p1") == solved
    for player, game, puzzle in ((BEN, "checkers", "p1"), (ANN, "backgammon", "p1"), (ANN, "checkers", "\0")):
        assert await store.puzzle_attempt(player, game, puzzle) is None


async def test_of_two_first_attempts_one_counts(store: Store) -> None:
    async def commit(state: str) -> bool:
        try:
            await store.commit(PutPuzzleAttempt(attempt(state=state)), PutPuzzleStreaks(streaks()))
        except Conflict:
            return False
        return True

    won = await asyncio.gather(commit("solved"), commit("failed"))
    assert sorted(won) == [False, True]
    for late in (attempt(), attempt(version=3)):
        with pytest.raises(Conflict):
            await store.commit(PutPuzzleAttempt(late))


async def test_attempts_are_found_by_their_puzzles_and_by_their_age(store: Store) -> None:
    rows = [attempt(f"p{number}", at=NOW + number % 3) for number in range(5)]
    others = [attempt(player=BEN), attempt("b1", game="backgammon", at=NOW + 9)]
    await store.commit(*map(PutPuzzleAttempt, [*rows, *others]))
    found = await store.puzzle_attempts(ANN, "checkers", ["p3", "p1", "unknown", "b1"])
    assert found == [rows[1], rows[3]]
    assert await store.puzzle_attempts(ANN, "checkers", []) == []
    first = await store.puzzle_attempts_page(ANN, NEWEST, 3)
    assert [each.puzzle for each in first] == ["b1", "p2", "p4"]
    rest = await store.puzzle_attempts_page(ANN, Cursor(first[-1].at, first[-1].puzzle), 9)
    assert [each.puzzle for each in rest] == ["p1", "p3", "p0"]


async def test_only_the_latest_attempts_are_kept(store: Store) -> None:
    rows = [attempt(f"p{number}", at=NOW + number) for number in range(6)]
    await store.commit(*map(PutPuzzleAttempt, [*rows, attempt(player=BEN, at=0)]))
    await store.commit(DropPuzzleAttempts(ANN, 6))
    assert len(await store.puzzle_attempts_page(ANN, NEWEST, 9)) == 6
    await store.commit(DropPuzzleAttempts(ANN, 4))
    assert [each.puzzle for each in await store.puzzle_attempts_page(ANN, NEWEST, 9)] == ["p5", "p4", "p3", "p2"]
    assert len(await store.puzzle_attempts_page(BEN, NEWEST, 9)) == 1


async def test_puzzle_ratings_are_not_those_of_games(store: Store) -> None:
    own = RATING._replace(player=ANN)
    puzzle = RATING._replace(player="puzzle/p1", rating=1700.5)
    await store.commit(PutRating(own), PutPuzzleRating(own._replace(rating=1400)), PutPuzzleRating(puzzle))
    assert await store.ratings_of(ANN) == [own]
    assert [each.rating for each in await store.puzzle_ratings_of(ANN)] == [1400]
    assert await store.puzzle_ratings("checkers", ["puzzle/p1", "puzzle/p2"]) == [puzzle]
    assert [each.player for each in await store.puzzle_ratings("checkers", ["puzzle/p1", ANN])] == [ANN, "puzzle/p1"]
    assert await store.puzzle_ratings("backgammon", ["puzzle/p1"]) == []
    with pytest.raises(Conflict):
        await store.commit(PutPuzzleRating(puzzle))
    await store.commit(PutPuzzleRating(puzzle._replace(games=2)))


async def test_people_with_settled_puzzle_ratings_are_ranked(store: Store) -> None:
    settled = RATING._replace(deviation=60.0, opponents=5, updated_at=NOW)
    for player, points in ((ANN, 1400.0), (BEN, 1600.0), ("agent/a", 1900.0), ("puzzle/p1", 2000.0)):
        await store.commit(PutPuzzleRating(settled._replace(player=player, rating=points)))
    await store.commit(PutPuzzleRating(settled._replace(player="person/cid", deviation=90.1)))
    assert [each.player for each in await store.puzzle_leaders("checkers", NOW, 9)] == [BEN, ANN]
    assert [each.player for each in await store.puzzle_leaders("checkers", NOW, 1)] == [BEN]


async def test_streaks_come_back_as_they_were(store: Store) -> None:
    await store.commit(PutPuzzleStreaks(streaks()), PutPuzzleStreaks(streaks(game="backgammon", last_day=-1)))
    await store.commit(PutPuzzleStreaks(streaks(2, streak=4)))
    assert await store.puzzle_streaks_of(ANN) == [streaks(game="backgammon", last_day=-1), streaks(2, streak=4)]
    with pytest.raises(Conflict):
        await store.commit(PutPuzzleStreaks(streaks(2, streak=5)))


async def test_nothing_of_a_players_puzzles_is_left(store: Store) -> None:
    for player in (ANN, BEN):
        await store.commit(
            PutPuzzleAttempt(attempt(player=player)),
            PutPuzzleRating(RATING._replace(player=player)),
            PutPuzzleStreaks(streaks(player=player)),
        )
    await store.commit(DropRatings(ANN))
    assert await store.puzzle_attempts_page(ANN, NEWEST, 9) == []
    assert not await store.puzzle_ratings_of(ANN) and not await store.puzzle_streaks_of(ANN)
    assert await store.puzzle_attempts_page(BEN, NEWEST, 9) == [attempt(player=BEN)]
    assert len(await store.puzzle_ratings_of(BEN)) == len(await store.puzzle_streaks_of(BEN)) == 1
