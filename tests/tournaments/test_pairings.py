"""Properties of pairings in tournaments of any size, whatever the results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.tournaments import arena, knockout, round_robin, swiss
from ludus.tournaments.records import Pairing, Result, cards, standings

SCORES = (0.0, 0.5, 1.0)


def played(pairings: Sequence[Pairing], rng: Random) -> list[Result]:
    return [
        Result(*pairing) if pairing.second is None else Result(*pairing, rng.choice(SCORES)) for pairing in pairings
    ]


def seats(pairings: Sequence[Pairing]) -> list[int]:
    return sorted(seed for pairing in pairings for seed in pairing if seed is not None)


def could_avoid_repeats(entrants: int, rounds: Sequence[Sequence[Result]]) -> bool:
    """Whether the entrants can be paired without a second meeting, and without a second bye."""
    made = cards(entrants, rounds)
    graph = networkx.Graph()
    graph.add_edges_from((a, b) for a, b in combinations(range(entrants), 2) if b not in made[a].opponents)
    if entrants % 2:
        graph.add_edges_from((seed, "bye") for seed in range(entrants) if not made[seed].byes)
    found = networkx.max_weight_matching(graph, maxcardinality=True)
    return 2 * len(found) == entrants + entrants % 2


@settings(max_examples=40, deadline=None)
@given(entrants=st.integers(2, 20), rounds=st.integers(1, 9), seed=st.integers(0, 2**32))
def test_nobody_meets_twice_in_a_swiss_tournament_before_they_must(entrants: int, rounds: int, seed: int) -> None:
    rng, results = Random(seed), list[list[Result]]()
    for _ in range(rounds):
        pairings = swiss.next_round(entrants, results)
        assert seats(pairings) == list(range(entrants))
        if could_avoid_repeats(entrants, results):
            made = cards(entrants, results)
            for first, second in pairings:
                assert second not in made[first].opponents
        results.append(played(pairings, rng))
    byes = [card.byes for card in cards(entrants, results)]
    assert max(byes) - min(byes) <= 1


@settings(max_examples=10, deadline=None)
@given(entrants=st.integers(12, 40), seed=st.integers(0, 2**32))
def test_sides_balance_and_never_come_three_times_in_a_row_in_a_swiss_tournament(entrants: int, seed: int) -> None:
    rng, results = Random(seed), list[list[Result]]()
    for _ in range(swiss.rounds_needed(entrants)):
        results.append(played(swiss.next_round(entrants, results), rng))
    for card in cards(entrants, results):
        assert abs(card.balance) <= 2
        assert not any(len(set(card.sides[at : at + 3])) == 1 for at in range(len(card.sides) - 2))


def test_equal_scores_meet_and_the_upper_half_meets_the_lower() -> None:
    first = swiss.next_round(8, [])
    assert [seats([pair]) for pair in first] == [[0, 4], [1, 5], [2, 6], [3, 7]]
    assert [pair.first < 4 for pair in first] == [True, False, True, False]
    won_by_the_better = [[Result(better, worse, 1.0) for better, worse in map(seats, ([pair] for pair in first))]]
    second = swiss.next_round(8, won_by_the_better)
    assert [seats([pair]) for pair in second] == [[0, 2], [1, 3], [4, 6], [5, 7]]


def test_those_who_left_are_not_paired() -> None:
    results = [played(swiss.next_round(9, []), Random(1))]
    assert seats(swiss.next_round(9, results, active={0, 3, 4, 8})) == [0, 3, 4, 8]
    assert swiss.next_round(9, results, active={5}) == [Pairing(5, None)]


def test_a_bye_goes_to_the_last_first() -> None:
    assert swiss.next_round(5, [])[-1] == Pairing(4, None)


def test_hundreds_are_paired() -> None:
    rng, results = Random(1), list[list[Result]]()
    for _ in range(2):
        results.append(played(swiss.next_round(200, results), rng))
    assert all(len(set(card.opponents)) == 2 for card in cards(200, results))


@pytest.mark.parametrize("entrants", range(2, 14))
def test_everyone_meets_everyone_once_in_each_cycle(entrants: int) -> None:
    made = round_robin.rounds(entrants, 2)
    assert len(made) == 2 * (entrants - 1 + entrants % 2)
    assert all(seats(pairings) == list(range(entrants)) for pairings in made)
    games = Counter(pairing for pairings in made for pairing in pairings if pairing.second is not None)
    pairs = {Pairing(a, b) for a in range(entrants) for b in range(entrants) if a != b}
    assert games == Counter(pairs)


@pytest.mark.parametrize("entrants", range(2, 14))
def test_sides_balance_where_everyone_meets_everyone(entrants: int) -> None:
    rng = Random(1)
    for card in cards(entrants, [played(pairings, rng) for pairings in round_robin.rounds(entrants)]):
        assert abs(card.balance) == (entrants - 1) % 2


@given(entrants=st.integers(2, 70), seed=st.integers(0, 2**32))
def test_a_knockout_has_one_winner_and_no_loser_plays_on(entrants: int, seed: int) -> None:
    rng, results, alive = Random(seed), list[list[Result]](), set(range(entrants))
    while pairings := knockout.next_round(entrants, results):
        assert seats(pairings) == sorted(alive)
        if len(results) >= 1:
            assert all(pairing.second is not None for pairing in pairings)
        results.append(played(pairings, rng))
        alive = {knockout.winner(result) for result in results[-1]}
    assert len(results) == (entrants - 1).bit_length() and len(alive) == 1
    table = knockout.standings(entrants, results)
    assert {table[0].seed} == alive and sorted(row.seed for row in table) == list(range(entrants))


@pytest.mark.parametrize("entrants", [2, 3, 8, 11, 16])
def test_the_best_meet_last_and_have_the_byes(entrants: int) -> None:
    results: list[list[Result]] = []
    while pairings := knockout.next_round(entrants, results):
        if not results:
            byes = {pairing.first for pairing in pairings if pairing.second is None}
            assert byes == set(range(len(byes)))
        results.append(
            [Result(*each, 1.0 if each.second is None or each.first < each.second else 0.0) for each in pairings]
        )
    assert {results[-1][0].first, results[-1][0].second} == {0, 1}
    assert [row.seed for row in knockout.standings(entrants, results)][:2] == [0, 1]


@settings(max_examples=40, deadline=None)
@given(entrants=st.integers(2, 12), steps=st.integers(1, 40), seed=st.integers(0, 2**32))
def test_an_arena_is_fair_however_long_its_games_take(entrants: int, steps: int, seed: int) -> None:
    """Nobody meets twice before they must, nobody is left out twice running, and sides balance."""
    rng, games, playing = Random(seed), list[Result](), list[Pairing]()
    since = dict.fromkeys(range(entrants), 0)
    for now in range(1, steps):
        busy = {seed for pairing in playing for seed in pairing}
        waiting = {each: now - since[each] for each in range(entrants) if each not in busy}
        paired = arena.pairings(entrants, games, waiting)
        assert len(paired) == len(waiting) // 2 and len(seats(paired)) == len(set(seats(paired)))
        left_out = set(waiting) - set(seats(paired))
        assert all(waiting[each] == min(waiting.values()) for each in left_out)
        made = cards(entrants, [games])
        rest = [each for each in waiting if each not in left_out]
        graph = networkx.Graph([(a, b) for a, b in combinations(rest, 2) if b not in made[a].opponents])
        if 2 * len(networkx.max_weight_matching(graph, maxcardinality=True)) == len(rest):
            assert all(second not in made[first].opponents for first, second in paired)
        playing += paired
        over = rng.sample(playing, rng.randint(1, len(playing)))
        playing = [each for each in playing if each not in over]
        games += played(over, rng)
        since |= {seed: now for pairing in over for seed in pairing if seed is not None}
    for card in cards(entrants, [games]):
        assert abs(card.balance) <= 3


def test_two_who_have_just_met_in_an_arena_wait_unless_they_may_meet_again() -> None:
    games = [Result(0, 1, 1.0)]
    assert arena.pairings(2, games, {0: 1, 1: 1}, may_repeat=False) == []
    assert arena.pairings(2, games, {0: 1, 1: 1}) == [Pairing(1, 0)]


def test_points_in_an_arena_count_double_after_two_wins_in_a_row() -> None:
    games = [Result(0, 1, score) for score in (1.0, 1.0, 1.0, 0.5, 1.0, 0.0)]
    first, second = arena.standings(2, games)
    assert (first.seed, first.points, first.wins, first.games, first.is_on_fire) == (0, 2 + 2 + 4 + 2 + 2, 4, 6, False)
    assert (second.seed, second.points) == (1, 1 + 2)
    assert arena.standings(2, games[:2])[0].is_on_fire


def test_standings_are_by_score_and_the_strength_of_the_opponents() -> None:
    rounds = [[Result(0, 1, 1.0), Result(2, 3, 1.0)], [Result(0, 2, 0.5), Result(1, 3, 1.0)]]
    table = standings(4, rounds)
    assert [(row.seed, row.score, row.buchholz, row.sonneborn_berger, row.wins) for row in table] == [
        (0, 1.5, 2.5, 1.75, 1), (2, 1.5, 1.5, 0.75, 1), (1, 1.0, 1.5, 0.0, 1), (3, 0.0, 2.5, 0.0, 0),
    ]  # fmt: skip


def test_a_double_forfeit_scores_nothing() -> None:
    rounds = [[Result(0, 1, is_double_forfeit=True)]]
    assert [row.score for row in standings(2, rounds)] == [0, 0]
    assert knockout.winner(rounds[0][0]) == 0
