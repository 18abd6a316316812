from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.engines.backgammon import tables as bearoffs
from ludus.engines.backgammon.bearoff import is_bearoff
from ludus.engines.backgammon.lookahead import POINTS, Afterstate, Lookahead, flipped, thread_lookahead
from ludus.engines.backgammon.network import Chances, Network
from ludus.engines.engine import Limit
from ludus.games.backgammon.position import VARIANTS, Men, men

Afterstates = Callable[[int, int], list[Afterstate]]
START = Afterstate(VARIANTS["standard"].white, VARIANTS["standard"].black)


@st.composite
def sides(draw: st.DrawFn) -> Men:
    """Fifteen men anywhere, often near home, at least one still on the board."""
    furthest = draw(st.sampled_from([6, 9, 25]))
    places = draw(st.lists(st.integers(0, furthest), min_size=15, max_size=15).filter(any))
    return men({point: places.count(point) for point in set(places)})


def are_in_order(chances: Chances) -> bool:
    wins = 1 >= chances.win >= chances.win_gammon >= chances.win_backgammon >= 0
    losses = 1 - chances.win >= chances.lose_gammon >= chances.lose_backgammon >= 0
    return wins and losses


@given(sides(), sides())
@settings(max_examples=300, deadline=None)
def test_chances_are_in_order_on_every_position(own: Men, other: Men) -> None:
    assert are_in_order(thread_lookahead().evaluate([Afterstate(own, other)])[0])


@given(sides(), sides())
@settings(max_examples=40, deadline=None)
def test_chances_are_in_order_a_roll_ahead(own: Men, other: Men) -> None:
    lookahead = thread_lookahead()
    with lookahead.within(Limit()):
        chances = lookahead.search(Afterstate(own, other), 1)
    assert chances is not None and are_in_order(chances)


def test_in_contact_the_network_evaluates(lookahead: Lookahead, network: Network, afterstates: Afterstates) -> None:
    found = afterstates(40, 3)
    with lookahead.within(Limit()):
        evaluated = lookahead.evaluate(found)
    for after, chances in zip(found, evaluated, strict=True):
        if not is_bearoff(*after.own, *after.other):
            assert flipped(chances) == pytest.approx(network.chances(*after.other, *after.own), abs=1e-5)


def test_at_home_the_tables_evaluate(lookahead: Lookahead) -> None:
    own, other = men({1: 1, 0: 14}), men({6: 1, 0: 14})
    assert lookahead.evaluate([Afterstate(own, other)])[0] == pytest.approx((0.25, 0, 0, 0, 0))


def test_a_finished_game_is_worth_its_points(lookahead: Lookahead) -> None:
    gone = men({0: 15})
    ends = [Afterstate(gone, men({13: 15})), Afterstate(gone, men({19: 15})), Afterstate(gone, men({1: 1, 0: 14}))]
    assert [chances.equity for chances in lookahead.evaluate(ends)] == [2, 3, 1]


def test_the_cache_changes_neither_answer_nor_count(lookahead: Lookahead) -> None:
    answers = []
    for _ in range(2):
        with lookahead.within(Limit()):
            answers.append((lookahead.search(START, 2), lookahead.nodes))
    assert answers[0] == answers[1]


def test_a_node_limit_ends_the_search(lookahead: Lookahead) -> None:
    with lookahead.within(Limit()):
        lookahead.search(START, 1)
        needed = lookahead.nodes
    for nodes, is_enough in ((needed, True), (needed - 1, False), (1, False)):
        with lookahead.within(Limit(nodes=nodes)):
            assert (lookahead.search(START, 1) is not None) is is_enough


def test_a_node_limit_does_not_depend_on_the_cache(lookahead: Lookahead) -> None:
    for nodes in (20_000, 5_000):
        with lookahead.within(Limit(nodes=nodes)):
            assert (lookahead.search(START, 2) is not None) is (nodes == 20_000)


def test_stopping_ends_the_search(lookahead: Lookahead) -> None:
    with lookahead.within(Limit(seconds=3600)):
        assert lookahead.search(START, 1)
        lookahead._stop()
        assert lookahead.search(START, 1) is None
    with lookahead.within(Limit()):
        assert lookahead.search(START, 1)


def test_tables_are_built_before_the_clock_starts(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Lookahead(network)
    monkeypatch.setattr(bearoffs, "_make", lambda: pytest.fail("the tables are made in the middle of a game"))
    with made.within(Limit()):
        assert made.search(Afterstate(men({6: 15}), men({6: 15})), 1)


def test_is_exact_is_a_python_bool() -> None:
    few, many = men({1: 1, 0: 14}), men({6: 15})
    assert Afterstate(few, few).is_exact is True
    assert Afterstate(few, many).is_exact is False


def test_answers_average_to_one_roll_of_lookahead(lookahead: Lookahead) -> None:
    with lookahead.within(Limit()):
        for depth in (0, 1):
            answers, searched = lookahead.answers(START, depth), lookahead.search(START, depth + 1)
            assert answers is not None and searched is not None
            won = answers.mean[:3]
            assert won.sum() == pytest.approx(1 - searched.win, abs=1e-6)
            assert won[1:].sum() == pytest.approx(searched.lose_gammon, abs=1e-6)


def test_an_answer_has_the_position_after_the_best_play(lookahead: Lookahead) -> None:
    """Of the opening rolls 31 makes the five point."""
    with lookahead.within(Limit()):
        answers = lookahead.answers(START)
    assert answers is not None
    after = answers.after(3)
    assert after.own.on(5) == 2 and after.own.on(8) == 2 and after.own.on(6) == 4
    assert after.other == START.own


def test_answers_stop_at_the_limit(lookahead: Lookahead) -> None:
    with lookahead.within(Limit(nodes=10)):
        assert lookahead.answers(START) is None


def test_payoffs_decide_which_answer_is_best(lookahead: Lookahead) -> None:
    """Those of a side that loses only gammons, or for which all wins count the same, change the other's answers."""
    gammons, singles = (0.0, 0.0, 0.0, 0.0, 1.0, 1.0), (1.0,) * 6
    found = {}
    for name, payoffs in (("points", POINTS), ("gammons", gammons), ("singles", singles), ("again", POINTS)):
        with lookahead.within(Limit(), payoffs):
            found[name] = lookahead.search(START, 1)
    assert found["points"] == found["again"]
    assert found["gammons"] is not None and found["singles"] is not None and found["points"] is not None
    assert found["gammons"].lose_gammon > found["points"].lose_gammon > found["singles"].lose_gammon
    assert found["gammons"].win > found["points"].win > found["singles"].win
