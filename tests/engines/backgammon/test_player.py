from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.backgammon import network
from ludus.engines.backgammon.adapter import ADAPTER
from ludus.engines.backgammon.bearoff import rank
from ludus.engines.backgammon.lookahead import Afterstate
from ludus.engines.backgammon.network import MalformedNetwork, Network
from ludus.engines.backgammon.player import CUBE_NOISE, MOST_NOISE, MOVE_FILTERS, BackgammonPlayer
from ludus.engines.backgammon.tables import bearoff_tables
from ludus.engines.engine import OWN_LIMIT, Limit, roll
from ludus.games.backgammon.position import VARIANTS, Cube, CubeAction, Match, Position, Roll, Stage, men
from ludus.games.backgammon.rules import Backgammon, Move

RULES = Backgammon().compiled()
PLAYER = BackgammonPlayer()
RAW = Limit(depth=0)
Afterstates = Callable[[int, int], list[Afterstate]]


def rolled(one: int, two: int) -> Position:
    return RULES.play(VARIANTS["standard"], Roll(one, two))


def play_game(variant: str, player: BackgammonPlayer, limit: Limit, seed: int) -> Game[Position, Move]:
    """The game rejects illegal moves."""
    game, rng = Game(RULES, variant), Random(seed)
    while (turn := game.turn) is not Turn.OVER:
        is_dice = turn is Turn.DICE
        game.play(roll(RULES, game.position, rng) if is_dice else player.choose(RULES, game.position, limit, rng))
    return game


@pytest.mark.parametrize("limit", [RAW, Limit(depth=1), OWN_LIMIT], ids=["at sight", "one roll", "two rolls"])
@pytest.mark.parametrize(
    ("dice", "play"), [((3, 1), "8/5 6/5"), ((4, 2), "8/4 6/4"), ((6, 1), "13/7 8/7"), ((5, 3), "8/3 6/3")]
)
def test_undisputed_openings(limit: Limit, dice: tuple[int, int], play: str) -> None:
    position = rolled(*dice)
    assert PLAYER.choose(RULES, position, limit, Random(1)) == RULES.notation.read_move(position, play)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("seed", range(12))
def test_whole_games_of_every_variant_are_legal(variant: str, seed: int) -> None:
    assert play_game(variant, BackgammonPlayer(noise=0.1), RAW, seed).outcome


@pytest.mark.parametrize("variant", VARIANTS)
def test_seed_and_node_limit_determine_the_game(variant: str) -> None:
    limit = Limit(nodes=3000)
    one, two = (play_game(variant, BackgammonPlayer(noise=0.02), limit, 5) for _ in range(2))
    assert one.positions == two.positions


def test_without_noise_the_choice_is_deterministic(afterstates: Afterstates) -> None:
    for after in afterstates(20, 4):
        position = Position(after.other, after.own, Player.FIRST, (6, 5))
        if RULES.turn(position) is not Turn.OVER:
            assert len({PLAYER.choose(RULES, position, RAW, Random(seed)) for seed in range(3)}) == 1


def test_noise_varies_the_plays() -> None:
    position, easy = rolled(2, 1), BackgammonPlayer(depth=0, noise=0.2)
    assert 3 < len({easy.choose(RULES, position, OWN_LIMIT, Random(seed)) for seed in range(100)}) <= 15


def test_without_lookahead_it_takes_the_networks_favourite() -> None:
    position, evaluate = rolled(6, 2), Network.load()
    worths = {}
    for play in RULES.moves(position):
        after = RULES.play(position, play)
        worths[play] = -evaluate.chances(*after.own, *after.other).equity
    assert PLAYER.choose(RULES, position, RAW, Random(1)) == max(worths, key=lambda play: worths[play])
    best = PLAYER.analyse(RULES, position, RAW)[0]
    assert best.value == pytest.approx(max(worths.values()), abs=1e-5)


def test_black_plays_like_white() -> None:
    own, other = men({24: 2, 13: 5, 8: 3, 6: 4, 5: 1}), men({24: 1, 20: 1, 13: 4, 8: 4, 6: 5})
    white, black = Position(own, other, Player.FIRST, (6, 4)), Position(other, own, Player.SECOND, (6, 4))
    assert PLAYER.analyse(RULES, white) == PLAYER.analyse(RULES, black)


def test_lines_are_best_first_and_have_chances() -> None:
    position = rolled(4, 3)
    lines = PLAYER.analyse(RULES, position, OWN_LIMIT, (), 30)
    assert len(lines) == len(RULES.moves(position)) == len({line.move for line in lines})
    assert lines == tuple(sorted(lines, key=lambda line: line.value, reverse=True))
    for line in lines:
        win, gammon, backgammon, lost_gammon, lost_backgammon = line.chances
        assert line.moves == (line.move,)
        assert line.value == pytest.approx(2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon)
    assert len(PLAYER.analyse(RULES, position, RAW, (), 3)) == 3


@pytest.mark.parametrize(("limit", "depth"), [(RAW, 0), (Limit(depth=1), 1), (OWN_LIMIT, 2)])
@pytest.mark.parametrize("player", [PLAYER, BackgammonPlayer(candidates=2)])
def test_lines_are_searched_to_the_same_depth(player: BackgammonPlayer, limit: Limit, depth: int) -> None:
    for number in (1, 5, 30):
        assert {line.depth for line in player.analyse(RULES, rolled(4, 3), limit, (), number)} == {depth}


def test_only_filtered_plays_are_searched_deeper() -> None:
    position = rolled(4, 3)
    plays = RULES.moves(position)
    ranked, _ = PLAYER._ranked(RULES, position, plays, OWN_LIMIT, [0.0] * len(plays), 2)
    for depth, (most, _) in enumerate(MOVE_FILTERS, 1):
        assert 2 <= sum(option.depth >= depth for option in ranked) <= most
    few, many = (PLAYER.analyse(RULES, position, OWN_LIMIT, (), lines)[0].nodes for lines in (2, 30))
    assert few < many / 2


def test_an_only_play_is_searched_too() -> None:
    closed = Position(men({25: 1, 6: 14}), men(dict.fromkeys(range(1, 7), 2)), Player.FIRST, (2, 1))
    (line,) = PLAYER.analyse(RULES, closed)
    assert (line.move, line.depth) == (RULES.pass_move, 2)


def test_a_node_limit_is_kept() -> None:
    position = rolled(6, 4)
    hasty, raw = (PLAYER.analyse(RULES, position, limit) for limit in (Limit(nodes=1), RAW))
    assert [line[:2] for line in hasty] == [line[:2] for line in raw]
    for nodes in (1000, 5000, 20_000):
        line = PLAYER.analyse(RULES, position, Limit(nodes=nodes))[0]
        assert 0.8 * nodes < line.nodes < nodes + 100
    own = BackgammonPlayer(nodes=1000)
    assert own.analyse(RULES, position) == PLAYER.analyse(RULES, position, Limit(nodes=1000))


def test_a_limit_can_only_lower_its_own() -> None:
    position, modest = rolled(6, 4), BackgammonPlayer(depth=1, nodes=1000)
    assert modest.analyse(RULES, position, Limit(depth=2, nodes=10**6)) == modest.analyse(RULES, position)
    assert modest.analyse(RULES, position, Limit(depth=0)) == PLAYER.analyse(RULES, position, Limit(depth=0))


def test_a_time_limit_can_be_long() -> None:
    position = rolled(6, 4)
    assert PLAYER.analyse(RULES, position, Limit(seconds=3600)) == PLAYER.analyse(RULES, position)


def test_a_forced_pass_is_not_searched() -> None:
    closed = Position(men({25: 1, 6: 14}), men(dict.fromkeys(range(1, 7), 2)), Player.FIRST, (2, 1))
    assert PLAYER.choose(RULES, closed, OWN_LIMIT, Random(1)) == RULES.pass_move


def test_it_rolls_before_the_roll() -> None:
    assert PLAYER.choose(RULES, VARIANTS["standard"], OWN_LIMIT, Random(1)) in RULES.moves(VARIANTS["standard"])
    assert PLAYER.analyse(RULES, VARIANTS["standard"]) == ()


@given(st.lists(st.integers(1, 6), min_size=2, max_size=6), st.lists(st.integers(1, 6), min_size=1, max_size=6))
@settings(max_examples=30, deadline=None)
def test_with_few_men_at_home_it_plays_perfectly(own: list[int], other: list[int]) -> None:
    sides = [men({point: side.count(point) for point in set(side)} | {0: 15 - len(side)}) for side in (own, other)]
    lines = PLAYER.analyse(RULES, Position(sides[0], sides[1], Player.FIRST, (2, 1)), OWN_LIMIT, (), 50)
    assert all(line.is_exact for line in lines)
    assert lines[0].value == max(line.value for line in lines)


def test_with_few_men_it_follows_the_table_of_pairs() -> None:
    position = Position(men({5: 1, 3: 1, 0: 13}), men({4: 1, 1: 1, 0: 13}), Player.FIRST, (2, 1))
    best = PLAYER.analyse(RULES, position)[0]
    values = {RULES.play(position, play): play for play in RULES.moves(position)}
    wins = {play: 1 - bearoff_tables().pairs[rank(*after.own), rank(*after.other)] for after, play in values.items()}
    assert best.move == max(wins, key=lambda play: wins[play])


def test_chances_before_the_roll() -> None:
    position = Position(men({6: 1, 0: 14}), men({1: 1, 0: 14}), Player.FIRST)
    assert PLAYER.evaluate(position) == pytest.approx((0.75, 0, 0, 0, 0))
    flipped = position._replace(white=position.black, black=position.white, mover=Player.SECOND)
    assert PLAYER.evaluate(flipped) == PLAYER.evaluate(position)
    start = VARIANTS["standard"]._replace(mover=Player.FIRST)
    assert 0.05 < PLAYER.evaluate(start, RAW).equity < 0.1
    assert PLAYER.evaluate(start).equity == pytest.approx(PLAYER.evaluate(start, RAW).equity, abs=0.01)


def test_analysis_before_the_roll_reports_its_depth() -> None:
    start = VARIANTS["standard"]._replace(mover=Player.FIRST)
    for limit, depth in ((RAW, 0), (Limit(depth=1), 1), (OWN_LIMIT, 2), (Limit(nodes=1), 0)):
        told = PLAYER.analyse_before_roll(start, limit)
        assert (told.move, told.is_exact, told.depth) == (None, False, depth)
        assert told.chances == PLAYER.evaluate(start, Limit(depth=depth))
    ending = PLAYER.analyse_before_roll(Position(men({6: 1, 0: 14}), men({1: 1, 0: 14}), Player.FIRST))
    assert (ending.is_exact, ending.depth, ending.value) == (True, 0, 0.5)


def test_exact_values_come_from_the_table_of_pairs() -> None:
    position = Position(men({5: 1, 3: 1, 0: 13}), men({2: 3, 0: 12}), Player.FIRST)
    assert PLAYER.evaluate(position).win == pytest.approx(
        float(bearoff_tables().pairs[rank(*position.own), rank(*position.other)])
    )


def test_your_own_weights_are_used(tmp_path: Path) -> None:
    parts = dict(np.load(str(files(network).joinpath("weights.npz"))))
    parts |= {name: -parts[name] for name in ("weight_2", "bias_2")}
    np.savez(tmp_path / "backwards.npz", **parts)
    position, own = rolled(3, 1), BackgammonPlayer(depth=0, weights=str(tmp_path / "backwards.npz"))
    assert own.choose(RULES, position, OWN_LIMIT, Random(1)) != PLAYER.choose(RULES, position, RAW, Random(1))
    with pytest.raises(MalformedNetwork):
        BackgammonPlayer(weights="missing.npz").choose(RULES, position, OWN_LIMIT, Random(1))


def test_creating_a_player_loads_neither_network_nor_tables() -> None:
    check = (
        "import sys; from ludus.engines.backgammon.player import BackgammonPlayer; BackgammonPlayer();"
        "loaded = {name for name in sys.modules if name.startswith('ludus.engines.backgammon.')};"
        "light = {'ludus.engines.backgammon.' + name for name in ('adapter', 'linear', 'player', 'study')};"
        "assert loaded == light, loaded"
    )
    subprocess.run([sys.executable, "-c", check], check=True)


STARTED = VARIANTS["standard"]._replace(mover=Player.FIRST, cube=Cube())
WON = Position(men({6: 4, 5: 4, 4: 2, 0: 5}), men({6: 5, 5: 5, 4: 4, 0: 1}), Player.FIRST, cube=Cube())
"""Black has no chance worth speaking of."""
WEAK = [level for level in ADAPTER.levels if level != "hard"]


def doubled(position: Position) -> Position:
    assert position.cube
    return position._replace(cube=position.cube._replace(stage=Stage.DOUBLED))


def cube_costs(player: BackgammonPlayer, position: Position, seeds: int) -> list[float]:
    """What the player's decisions about the cube give away."""
    values = {line.move: line.value for line in PLAYER.analyse(RULES, position, RAW)}
    chosen = [player.choose(RULES, position, RAW, Random(seed)) for seed in range(seeds)]
    return [max(values.values()) - values[move] for move in chosen]


@pytest.mark.parametrize("variant", ["standard+cube+jacoby+beavers", "standard+match3", "hypergammon+match5+nocube"])
@pytest.mark.parametrize("level", ["beginner", "medium"])
def test_games_with_a_cube_and_matches_are_played_to_the_end(variant: str, level: str) -> None:
    for seed in range(3):
        assert play_game(variant, ADAPTER.levels[level], RAW, seed).outcome


def test_a_match_is_looked_ahead_in_too() -> None:
    assert play_game("hypergammon+match2", BackgammonPlayer(depth=2, nodes=3000), OWN_LIMIT, 3).outcome


def test_a_cube_is_turned_taken_and_dropped() -> None:
    assert PLAYER.choose(RULES, WON, RAW, Random(1)) is CubeAction.DOUBLE
    assert PLAYER.choose(RULES, doubled(WON), RAW, Random(1)) is CubeAction.DROP
    assert PLAYER.choose(RULES, STARTED, RAW, Random(1)) is CubeAction.NO_DOUBLE
    assert PLAYER.choose(RULES, doubled(STARTED), RAW, Random(1)) is CubeAction.TAKE


def test_a_bad_double_is_beavered_and_the_doubler_has_to_live_with_it() -> None:
    position = STARTED._replace(cube=Cube(has_beavers=True))
    assert PLAYER.choose(RULES, doubled(position), RAW, Random(1)) is CubeAction.BEAVER
    beavered = position._replace(cube=Cube(has_beavers=True, stage=Stage.BEAVERED))
    assert PLAYER.choose(RULES, beavered, RAW, Random(1)) is CubeAction.TAKE
    lines = {line.move: line.value for line in PLAYER.analyse(RULES, beavered, RAW)}
    assert lines[CubeAction.DROP] == -2 < lines[CubeAction.TAKE] < 0


def test_it_rolls_where_nobody_may_double() -> None:
    crawford = STARTED._replace(match=Match(5, 4, 2, is_crawford=True))
    assert isinstance(PLAYER.choose(RULES, crawford, RAW, Random(1)), Roll)
    assert PLAYER.analyse(RULES, crawford, RAW) == ()


def test_lines_of_a_cube_decision_are_the_values_of_the_player_who_decides() -> None:
    decision = PLAYER.decide(WON, RAW)
    double, plain = PLAYER.analyse(RULES, WON, RAW)
    assert (double.move, double.value, double.moves) == (CubeAction.DOUBLE, 1, (CubeAction.DOUBLE, CubeAction.DROP))
    assert (plain.move, plain.value) == (CubeAction.NO_DOUBLE, decision.no_double)
    drop, take = PLAYER.analyse(RULES, doubled(WON), RAW)
    assert (drop.move, drop.value) == (CubeAction.DROP, -1)
    assert (take.move, take.value) == (CubeAction.TAKE, -decision.double_take)
    assert take.chances[0] == pytest.approx(1 - double.chances[0])


@pytest.mark.parametrize(
    ("cube", "value"),
    [
        (Cube(), "value"),
        (Cube(stage=Stage.ROLLING), "no_double"),
        (Cube(stage=Stage.DOUBLED), "doubled"),
        (Cube(stage=Stage.BEAVERED, has_beavers=True), "double_beaver"),
    ],
)
def test_prospects_depend_on_what_was_decided_about_the_cube(cube: Cube, value: str) -> None:
    position = WON._replace(cube=cube)
    assert PLAYER.analyse_before_roll(position, RAW).value == getattr(PLAYER.decide(position, RAW), value)


@pytest.mark.parametrize("limit", [RAW, Limit(depth=1)])
def test_where_one_point_wins_the_match_plays_are_ranked_by_wins(limit: Limit) -> None:
    position = rolled(6, 2)._replace(cube=Cube(), match=Match(1, is_crawford=True))
    lines = PLAYER.analyse(RULES, position, limit, (), 30)
    assert [line.value for line in lines] == pytest.approx([2 * line.chances[0] - 1 for line in lines])
    assert lines == tuple(sorted(lines, key=lambda line: line.value, reverse=True))


def test_a_gammon_that_wins_the_match_is_played_for() -> None:
    """White needs two points in the Crawford game, so a gammon is worth as much as two wins."""
    position = rolled(6, 2)._replace(cube=Cube(), match=Match(5, 3, 4, is_crawford=True))
    for line in PLAYER.analyse(RULES, position, RAW, (), 30):
        win, gammon, *_ = line.chances
        assert line.value == pytest.approx(2 * (win + gammon) - 1, abs=1e-6)


def test_the_last_play_of_a_game_in_a_match_is_worth_what_it_wins() -> None:
    position = Position(men({1: 1, 0: 14}), men({6: 1, 0: 14}), Player.FIRST, (2, 1), Cube(2, Player.FIRST), Match(5))
    (line,) = PLAYER.analyse(RULES, position)
    assert (line.value, line.is_exact) == (1.0, True)


def test_with_few_men_plays_with_a_cube_are_exact_for_money() -> None:
    position = Position(
        men({5: 1, 3: 1, 0: 13}), men({4: 1, 1: 1, 0: 13}), Player.FIRST, (2, 1), Cube(2, Player.SECOND)
    )
    assert all(line.is_exact for line in PLAYER.analyse(RULES, position))
    assert not any(line.is_exact for line in PLAYER.analyse(RULES, position._replace(match=Match(9)), RAW))


@pytest.mark.parametrize("level", WEAK)
def test_weak_levels_give_away_little_with_the_cube(level: str, afterstates: Afterstates) -> None:
    player = ADAPTER.levels[level]
    bound = MOST_NOISE * CUBE_NOISE * player.noise
    for after in afterstates(12, 21):
        position = doubled(Position(after.other, after.own, Player.FIRST, cube=Cube()))
        assert max(cube_costs(player, position, 8)) <= bound + 1e-9


@pytest.mark.parametrize("level", WEAK)
def test_no_level_takes_a_lost_game_or_drops_a_fair_one_or_doubles_from_behind(level: str) -> None:
    player = ADAPTER.levels[level]
    behind = Position(WON.black, WON.white, Player.FIRST, cube=Cube())
    for seed in range(60):
        assert player.choose(RULES, doubled(WON), RAW, Random(seed)) is CubeAction.DROP
        assert player.choose(RULES, doubled(STARTED), RAW, Random(seed)) is CubeAction.TAKE
        assert player.choose(RULES, behind, RAW, Random(seed)) is CubeAction.NO_DOUBLE


def test_weak_levels_err_with_the_cube_now_and_then(afterstates: Afterstates) -> None:
    costs = []
    for after in afterstates(40, 5):
        position = Position(after.other, after.own, Player.FIRST, cube=Cube())
        costs += cube_costs(ADAPTER.levels["beginner"], position, 4)
    assert 0.03 < sum(cost > 0.001 for cost in costs) / len(costs) < 0.5


def test_a_position_without_a_cube_is_played_as_before() -> None:
    """The cube does not touch equities of games without one."""
    line, *_ = PLAYER.analyse(RULES, rolled(6, 2), RAW)
    win, gammon, backgammon, lost_gammon, lost_backgammon = line.chances
    assert line.value == 2 * win - 1 + gammon + backgammon - lost_gammon - lost_backgammon
