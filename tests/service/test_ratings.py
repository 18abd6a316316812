"""Ratings are Glicko-2 as its author published it, and cannot be bought."""

from __future__ import annotations

import math
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.rules import Player
from ludus.service import ratings
from ludus.service.ratings import STRANGERS, Meeting
from ludus.service.records import Rating

DAY = 24 * 60 * 60 * 1000
NOW = 1_700_000_000_000


def somebody(rating: float = 1500, deviation: float = 350, volatility: float = 0.06) -> Rating:
    return ratings.fresh("ada", "checkers", NOW)._replace(
        rating=rating, deviation=deviation, volatility=volatility, games=10
    )


SOMEBODY = st.builds(somebody, st.floats(100, 3500), st.floats(30, 350), st.floats(0.03, 0.3))


class Paper(NamedTuple):
    """What Glickman's paper says of a period, given the volatility after it."""

    rating: float
    deviation: float
    residual: float
    """Of the equation that the volatility solves, which can have several roots."""


def paper(own: Rating, games: list[tuple[Rating, float]], volatility: float, tau: float = 0.5) -> Paper:
    """Steps 2 to 8, written again from the paper."""
    scale = 173.7178
    mu, phi = (own.rating - 1500) / scale, own.deviation / scale
    precision = gain = 0.0
    for other, score in games:
        g = 1 / math.sqrt(1 + 3 * (other.deviation / scale) ** 2 / math.pi**2)
        e = 1 / (1 + math.exp(-g * (mu - (other.rating - 1500) / scale)))
        precision += g**2 * e * (1 - e)
        gain += g * (score - e)
    v = 1 / precision
    x, spread = math.log(volatility**2), phi**2 + v + volatility**2
    pull = volatility**2 * ((v * gain) ** 2 - spread) / (2 * spread**2)
    after = 1 / math.sqrt(1 / (phi**2 + volatility**2) + precision)
    residual = pull - (x - math.log(own.volatility**2)) / tau**2
    return Paper(scale * (mu + after**2 * gain) + 1500, scale * after, residual)


def test_glickmans_worked_example() -> None:
    games = [(somebody(1400, 30), 1.0), (somebody(1550, 100), 0.0), (somebody(1700, 300), 0.0)]
    after = ratings.rated(somebody(1500, 200), games)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.deviation == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)
    assert paper(somebody(1500, 200), games, 0.059996) == pytest.approx((1464.06, 151.52, 0), abs=0.01)


Numbers = tuple[float, float, float]
RECORDED: list[tuple[Numbers, Numbers, Player | None, int, Numbers, Numbers]] = [
    (
        (1500, 350, 0.06),
        (1500, 350, 0.06),
        Player.FIRST,
        0,
        (1662.3109, 290.319, 0.05999968),
        (1337.6891, 290.319, 0.05999968),
    ),
    ((1500, 350, 0.06), (1500, 350, 0.06), None, 0, (1500.0, 290.319, 0.05999896), (1500.0, 290.319, 0.05999896)),
    (
        (1662.3, 290.3, 0.06),
        (1500, 62, 0.0605),
        Player.SECOND,
        0,
        (1442.5383, 233.3789, 0.06000105),
        (1510.9654, 62.3941, 0.06050157),
    ),
    (
        (1500, 62, 0.0605),
        (1830.5, 75.2, 0.062),
        Player.FIRST,
        0,
        (1518.8605, 62.4321, 0.06050799),
        (1802.8596, 75.1693, 0.06200869),
    ),
    (
        (1830.5, 75.2, 0.062),
        (1204.7, 110, 0.0598),
        None,
        30,
        (1814.2161, 80.1786, 0.06200244),
        (1238.07, 112.7369, 0.05980236),
    ),
    (
        (1204.7, 110, 0.0598),
        (1830.5, 75.2, 0.062),
        Player.FIRST,
        400,
        (1310.7262, 142.9779, 0.05981007),
        (1755.6463, 121.8062, 0.0620107),
    ),
    (
        (2400, 50, 0.06),
        (1500, 350, 0.06),
        Player.SECOND,
        0,
        (2390.2682, 51.046, 0.06000549),
        (2177.0217, 346.1159, 0.06001235),
    ),
    (
        (2400, 50, 0.06),
        (1500, 62, 0.0605),
        Player.SECOND,
        12,
        (2384.1631, 53.1451, 0.06001272),
        (1523.5524, 64.5916, 0.06051322),
    ),
    ((100, 350, 0.1), (4000, 200, 0.1), Player.FIRST, 0, (696.8271, 350.0, 0.1), (3844.7782, 200.7534, 0.1)),
    ((4000, 200, 0.1), (100, 350, 0.1), Player.SECOND, 0, (3844.7782, 200.7534, 0.1), (696.8271, 350.0, 0.1)),
    (
        (1500, 62, 0.0605),
        (1500, 62, 0.0605),
        Player.SECOND,
        4,
        (1489.1737, 61.9157, 0.0604999),
        (1510.8263, 61.9157, 0.0604999),
    ),
    (
        (1830.5, 75.2, 0.062),
        (1662.3, 290.3, 0.06),
        None,
        5,
        (1826.3409, 75.849, 0.06199849),
        (1729.9039, 234.6758, 0.05999858),
    ),
]
"""Two players before a game, its winner, days since their last one, and both after it, as version 0.1.0 rated them."""


@pytest.mark.parametrize(("first", "second", "winner", "days", "one", "two"), RECORDED)
def test_plain_ratings_are_those_of_the_first_version(
    first: Numbers, second: Numbers, winner: Player | None, days: int, one: Numbers, two: Numbers
) -> None:
    now = NOW + days * DAY
    before = ratings.aged(somebody(*first), now), ratings.aged(somebody(*second), now)
    score = {None: 0.5, Player.FIRST: 1.0, Player.SECOND: 0.0}[winner]
    for own, other, points, recorded in ((*before, score, one), (*before[::-1], 1 - score, two)):
        after = ratings.rated(own, [(other, points)])
        assert after.rating == pytest.approx(recorded[0], abs=1e-4)
        assert min(after.deviation, 350) == pytest.approx(recorded[1], abs=1e-4)
        assert min(after.volatility, 0.1) == pytest.approx(recorded[2], abs=1e-8)


@given(own=SOMEBODY, games=st.lists(st.tuples(SOMEBODY, st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=12))
def test_any_period_comes_out_as_published(own: Rating, games: list[tuple[Rating, float]]) -> None:
    after = ratings.rated(own, games)
    said = paper(own, games, after.volatility)
    assert after.rating == pytest.approx(said.rating, abs=1e-6)
    assert after.deviation == pytest.approx(said.deviation, abs=1e-6)
    assert said.residual == pytest.approx(0, abs=1e-4)


def test_a_series_of_upsets_raises_the_volatility_of_a_strong_player() -> None:
    """A published library makes 0.0603 of it, which the paper's equation does not allow."""
    strong, upsets = somebody(2400, 50), [(somebody(1500, 50), 0.0)] * 20
    assert ratings.rated(strong, upsets).volatility == pytest.approx(0.0666, abs=0.0001)
    assert abs(paper(strong, upsets, 0.0666).residual) < 0.01 < abs(paper(strong, upsets, 0.0603).residual)


SETTLED = st.builds(somebody, st.floats(800, 2200), st.floats(30, 90), st.floats(0.03, 0.1))


@given(first=SETTLED, second=SETTLED, winner=st.sampled_from([None, *Player]))
def test_settled_strangers_are_rated_as_published(first: Rating, second: Rating, winner: Player | None) -> None:
    score = {None: 0.5, Player.FIRST: 1.0, Player.SECOND: 0.0}[winner]
    one, two = ratings.after(first, second, winner, NOW)
    for after, alone in (
        (one, ratings.rated(first, [(second, score)])),
        (two, ratings.rated(second, [(first, 1 - score)])),
    ):
        assert after.rating == min(max(alone.rating, 100), 4000)
        assert after.deviation == min(alone.deviation, 350)
        assert after.volatility == min(alone.volatility, 0.1)


MEETINGS = st.builds(Meeting, st.floats(0, 1000), st.booleans(), st.booleans(), st.booleans())


@given(first=SOMEBODY, second=SOMEBODY, winner=st.sampled_from([None, *Player]), meeting=MEETINGS)
def test_no_game_changes_a_rating_by_more_than_a_hundred_points(
    first: Rating, second: Rating, winner: Player | None, meeting: Meeting
) -> None:
    for before, after in zip((first, second), ratings.after(first, second, winner, NOW, (meeting,) * 2), strict=True):
        assert abs(after.rating - before.rating) < 101


def test_a_first_loss_costs_a_newcomer_little() -> None:
    newcomer, settled = ratings.fresh("ada", "checkers", NOW), somebody(1500, 60)
    lost, _ = ratings.after(newcomer, settled, Player.SECOND, NOW)
    assert 1400 <= lost.rating < 1500
    lost, _ = ratings.after(newcomer, ratings.fresh("bob", "checkers", NOW), Player.SECOND, NOW)
    assert 1480 < lost.rating < 1500


def won(own: Rating, others: list[Rating], meeting: Meeting = STRANGERS) -> Rating:
    for other in others:
        own, _ = ratings.after(own, other, Player.FIRST, NOW, (meeting, STRANGERS))
    return own


NEW = [ratings.fresh(f"friend {number}", "checkers", NOW) for number in range(60)]


def test_beating_sixty_new_accounts_settles_nothing() -> None:
    cheat = won(ratings.fresh("ada", "checkers", NOW), NEW, Meeting(is_new=True))
    assert cheat.rating < 1800 < 2270 < won_plainly(NEW)
    assert ratings.is_provisional(cheat) and cheat.opponents == 0


def won_plainly(others: list[Rating]) -> float:
    own = ratings.fresh("ada", "checkers", NOW)
    for other in others:
        own = ratings.rated(own, [(other, 1.0)])
    return own.rating


def test_a_new_opponent_moves_a_settled_rating_little() -> None:
    own, new, old = somebody(1500, 60), NEW[0], somebody(1500, 60)
    for winner in Player:
        little, much = (abs(ratings.after(own, other, winner, NOW)[0].rating - 1500) for other in (new, old))
        assert little < much / 20


def test_the_same_opponent_counts_less_each_time() -> None:
    own, other = somebody(1500, 60), somebody(1500, 60)
    gains = [won(own, [other], Meeting(earlier=float(games))).rating - 1500 for games in range(25)]
    for games, gain in enumerate(gains):
        assert gain == pytest.approx(gains[0] / (1 + games), rel=0.02)


def test_related_opponents_count_a_tenth_and_are_no_different_opponents() -> None:
    own, other = somebody(1500, 60), somebody(1500, 60)
    alone = won(own, [other], Meeting(is_new=True))
    related = won(own, [other], Meeting(are_related=True, is_new=True))
    assert related.rating - 1500 == pytest.approx((alone.rating - 1500) / 10, rel=0.02)
    assert (alone.opponents, related.opponents) == (1, 0)


def test_a_bot_counts_in_full_however_often_it_is_met() -> None:
    own, bot = somebody(1500, 60), ratings.fresh("bot/medium", "checkers", NOW)
    met = won(own, [bot], Meeting(earlier=100, is_bot=True))
    assert met.rating == pytest.approx(ratings.rated(own, [(bot, 1.0)]).rating)


def test_wins_alone_never_settle_a_rating() -> None:
    own, others = ratings.fresh("ada", "checkers", NOW), [somebody(1500, 60)] * 500
    assert ratings.is_provisional(won(own, others))


def test_a_game_is_counted_for_both() -> None:
    first, second = ratings.fresh("ada", "backgammon", NOW), ratings.fresh("bob", "backgammon", NOW)
    one, two = ratings.after(first, second, Player.SECOND, NOW + 5)
    assert (one.games, one.wins, one.draws, one.updated_at) == (1, 0, 0, NOW + 5)
    assert (two.games, two.wins, two.draws, two.updated_at) == (1, 1, 0, NOW + 5)
    one, two = ratings.after(one, two, None, NOW + 9)
    assert (one.games, one.wins, one.draws) == (2, 0, 1)
    assert (two.games, two.wins, two.draws) == (2, 1, 1)
    assert (one.player, two.player, one.game) == ("ada", "bob", "backgammon")


def test_the_winner_gains_what_an_equal_loser_loses() -> None:
    one, two = ratings.after(somebody(), somebody(), Player.FIRST, NOW)
    assert one.rating > 1520
    assert one.rating - 1500 == pytest.approx(1500 - two.rating)
    assert one.deviation == pytest.approx(two.deviation)


def test_a_draw_of_equals_changes_only_how_sure_we_are() -> None:
    one, _ = ratings.after(somebody(), somebody(), None, NOW)
    assert one.rating == pytest.approx(1500)
    assert one.deviation < 350


def test_a_rating_is_provisional_until_some_games_are_played() -> None:
    one, two = ratings.fresh("ada", "checkers", NOW), ratings.fresh("bob", "checkers", NOW)
    games = 0
    while ratings.is_provisional(one):
        one, two = ratings.after(one, two, (Player.FIRST, Player.SECOND)[games % 2], NOW)
        games += 1
    assert 15 <= games <= 30


def test_half_a_years_absence_makes_a_settled_rating_provisional_again() -> None:
    one, two = somebody(), somebody()
    for game in range(400):
        one, two = ratings.after(one, two, (Player.FIRST, Player.SECOND)[game % 2], NOW)
    assert one.deviation == pytest.approx(62, abs=2)
    assert not ratings.is_provisional(ratings.aged(one, NOW + 150 * DAY))
    assert ratings.is_provisional(ratings.aged(one, NOW + 220 * DAY))
    assert ratings.aged(one, NOW + 400 * DAY).rating == one.rating


def test_the_deviation_never_exceeds_a_new_players() -> None:
    assert ratings.aged(somebody(deviation=340), NOW + 36500 * DAY).deviation == 350
    assert ratings.fresh("ada", "checkers", 0).deviation == 350


def test_a_clock_that_went_back_changes_nothing() -> None:
    settled = somebody(1700, 60)
    assert ratings.aged(settled, NOW - 1000 * DAY) == settled


def test_absence_is_taken_into_account_when_the_game_is_rated() -> None:
    back, _ = ratings.after(somebody(1500, 60), somebody(1500, 60), Player.FIRST, NOW + 1000 * DAY)
    here, _ = ratings.after(somebody(1500, 60), somebody(1500, 60), Player.FIRST, NOW)
    assert back.rating - 1500 > 2 * (here.rating - 1500)


def test_however_long_two_play_their_ratings_stay_on_the_scale() -> None:
    """Begins where Glicko-2 in periods of one game runs away."""
    one, two = somebody(1400, 93, 0.1275), somebody(1600, 93, 0.1275)
    for game in range(3000):
        one, two = ratings.after(one, two, (Player.FIRST, Player.SECOND)[game % 3 % 2], NOW)
        assert 1000 < one.rating < 2000
    assert one.deviation == pytest.approx(78, abs=3)


def test_even_the_farthest_apart_can_be_rated() -> None:
    best, worst = somebody(4000, 350, 0.1), somebody(100, 30, 0.1)
    for winner in (None, *Player):
        one, two = ratings.after(best, worst, winner, NOW)
        assert 100 <= min(one.rating, two.rating) <= max(one.rating, two.rating) <= 4000
