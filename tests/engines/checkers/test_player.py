from __future__ import annotations

import pickle
import subprocess
import sys
from random import Random
from typing import Any

import pytest

from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines.checkers.endgames import kernel as endgames
from ludus.engines.checkers.endgames.tables import PACKAGED, EndgameTables
from ludus.engines.checkers.player import CheckersPlayer
from ludus.engines.engine import OWN_LIMIT, Limit
from ludus.games import GAMES
from ludus.games.checkers.kernel import DARK
from ludus.games.checkers.position import STANDARD, Move, Position

RULES = GAMES["checkers"].compiled()
TABLES = EndgameTables(PACKAGED)
STRONG = CheckersPlayer(nodes=3_000)
BRIEF = Limit(nodes=300)


def at(fen: str) -> Position:
    position: Position = RULES.notation.read_position(fen)
    return position


def chosen(fen: str, limit: Limit) -> str:
    position = at(fen)
    return str(RULES.notation.write_move(position, CheckersPlayer().choose(RULES, position, limit, Random(1))))


def finish(game: Game[Any, Any], players: tuple[Any, Any], rng: Random, limit: Limit) -> Game[Any, Any]:
    """Plays to the end; the game rejects illegal moves."""
    while (turn := game.turn) is not Turn.OVER:
        player = players[turn.value]
        game.play(player.choose(RULES, game.position, limit, rng, game.positions[:-1]))
    return game


class Anyhow:
    def choose(self, rules: Any, position: Any, limit: Any, rng: Random, past: Any = ()) -> Any:
        return rng.choice(rules.moves(position))


def test_no_move_is_illegal_and_random_play_is_beaten() -> None:
    lost = 0
    for seed in range(24):
        seats = (CheckersPlayer(), Anyhow()) if seed % 2 == 0 else (Anyhow(), CheckersPlayer())
        outcome = finish(Game(RULES), seats, Random(seed), BRIEF).outcome
        lost += outcome is None or outcome.winner is not Player(seed % 2)
    assert lost == 0


def test_games_from_random_positions_are_legal_to_the_end() -> None:
    for seed in range(24):
        rng, game = Random(seed), Game(RULES)
        for _ in range(rng.randrange(30)):
            if game.turn is not Turn.OVER:
                game.play(rng.choice(game.legal_moves()))
        assert finish(game, (CheckersPlayer(), CheckersPlayer(noise=0.2)), rng, Limit(nodes=100)).outcome


def test_the_same_seed_and_nodes_play_the_same_game() -> None:
    def moves() -> list[Any]:
        noisy = CheckersPlayer(depth=4, noise=0.1)
        return list(finish(Game(RULES), (noisy, CheckersPlayer()), Random(5), Limit(nodes=500)).moves)

    assert moves() == moves()


def test_depth_0_is_searched_as_depth_1() -> None:
    for lines in (1, 5):
        at_sight = CheckersPlayer().analyse(RULES, STANDARD, Limit(depth=0, nodes=100_000), (), lines)
        assert at_sight == CheckersPlayer().analyse(RULES, STANDARD, Limit(depth=1, nodes=100_000), (), lines)
        assert at_sight[0].depth == 1


def test_jumps_with_the_same_ends_and_captures_are_separate_lines() -> None:
    position = at("W:W13,17,22,25,29,K16,K26,K27,K31:B1,4,15,21,K8,K9,K10,K11,K18,K19,K32")
    lines = CheckersPlayer().analyse(RULES, position, Limit(nodes=3_000), (), 50)
    assert {line.move for line in lines} == set(RULES.moves(position))
    assert len(lines) == len(RULES.moves(position)) > len({RULES.play(position, line.move) for line in lines})


def test_the_search_is_loaded_before_the_clock_starts() -> None:
    code = """
from ludus.core.kernel import compiled
from ludus.engines import Limit, analyst
from ludus.engines.checkers import search, searcher
from ludus.games import GAMES
timer = searcher._timer
def look(state, seconds):
    print(seconds, len(compiled(search).iterative_deepening.signatures))
    return timer(state, seconds)
searcher._timer = look
rules = GAMES["checkers"]
analyst("checkers").analyse(rules, rules.variants["standard"], Limit(seconds=0.2), (), 1)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "0.2 1\n", "when the clock begins, the search is there as machine code"


def test_earlier_searches_do_not_change_the_choice() -> None:
    player = CheckersPlayer()
    first = player.analyse(RULES, STANDARD, Limit(nodes=5_000))
    player.analyse(RULES, at("W:W22,25,K7:B5,13,K2"), Limit(nodes=5_000))
    assert player.analyse(RULES, STANDARD, Limit(nodes=5_000)) == first


def won_positions(number: int, seed: int) -> list[Position]:
    """Random positions of the four-piece tables that the side to move wins."""
    rng = Random(seed)
    found: list[Position] = []
    squares = [1 << b for b in range(64) if DARK >> b & 1]
    while len(found) < number:
        picked = rng.sample(squares, 4)
        split = rng.randrange(1, 4)
        first, second = sum(picked[:split]), sum(picked[split:])
        kings = sum(bit for bit in picked if rng.random() < 0.5)
        kings |= first & 0xFF << 56 | second & 0xFF
        position = Position(first, second, kings, Player(rng.randrange(2)))
        found_value = TABLES.probe(position)
        if found_value and found_value.value == endgames.WIN:
            found.append(position)
    return found


class Resistance:
    """Loses as late as possible."""

    def choose(self, rules: Any, position: Any, limit: Any, rng: Random, past: Any = ()) -> Any:
        def lasts(move: Move) -> int:
            value = TABLES.probe(rules.play(position, move))
            assert value
            return value.plies

        return max(rules.moves(position), key=lasts)


@pytest.mark.parametrize("seed", range(4))
def test_every_won_endgame_is_won_within_the_length_of_the_tables(seed: int) -> None:
    for start in won_positions(40, seed):
        value = TABLES.probe(start)
        assert value
        seats = (STRONG, Resistance()) if start.mover is Player.FIRST else (Resistance(), STRONG)
        game = finish(Game(RULES, start=start), seats, Random(1), OWN_LIMIT)
        assert game.outcome and game.outcome.winner is start.mover
        assert len(game.moves) <= value.plies


def test_a_man_is_not_given_away_for_nothing() -> None:
    assert chosen("B:W20,32:B11,2", Limit(depth=4)) != "11-16"


def test_a_man_is_sacrificed_for_three() -> None:
    assert chosen("B:W15,16,24,29,32:B3,4,8,9", Limit(depth=5)) == "8-11"


def test_a_distant_loss_is_seen() -> None:
    assert chosen("B:W17,21,22,23,32:B3,6,10,14,20,28", Limit(nodes=50_000)) == "6-9"


def test_a_copy_chooses_the_same() -> None:
    player = CheckersPlayer(nodes=2_000)
    move = player.choose(RULES, STANDARD, OWN_LIMIT, Random(1))
    assert pickle.loads(pickle.dumps(player)).choose(RULES, STANDARD, OWN_LIMIT, Random(1)) == move


def test_a_blind_player_picks_any_move() -> None:
    blind = CheckersPlayer(oversight=1)
    moves = {blind.choose(RULES, STANDARD, OWN_LIMIT, Random(seed)) for seed in range(60)}
    assert moves == set(RULES.moves(STANDARD))


def test_noise_changes_the_choice() -> None:
    noisy = CheckersPlayer(depth=2, noise=0.5)
    assert len({noisy.choose(RULES, STANDARD, OWN_LIMIT, Random(seed)) for seed in range(30)}) > 3


def test_zero_nodes_are_enough_to_move() -> None:
    assert CheckersPlayer().choose(RULES, STANDARD, Limit(nodes=0), Random(1)) in RULES.moves(STANDARD)


def test_a_clock_stops_the_search() -> None:
    lines = CheckersPlayer().analyse(RULES, STANDARD, Limit(seconds=2), lines=1)
    assert lines[0].depth >= 1
    assert lines[0].moves[0] == lines[0].move


def test_the_tighter_limit_counts() -> None:
    assert CheckersPlayer(depth=3).analyse(RULES, STANDARD, Limit(depth=9))[0].depth == 3
    assert CheckersPlayer(nodes=5_000).analyse(RULES, STANDARD, Limit(nodes=100))[0].nodes <= 101


def test_lines_are_best_first_and_can_be_played() -> None:
    lines = CheckersPlayer().analyse(RULES, STANDARD, Limit(depth=8), lines=4)
    assert len({line.move for line in lines}) == 4
    assert [line.value for line in lines] == sorted((line.value for line in lines), reverse=True)
    for line in lines:
        game = Game(RULES)
        for move in line.moves:
            game.play(move)
        assert -1 < line.value < 1 and not line.is_exact


def test_a_line_is_extended_by_the_tables_until_the_game_is_won() -> None:
    here = at("W:WK18,K14:BK1")
    best = CheckersPlayer().analyse(RULES, here, OWN_LIMIT, lines=1)[0]
    assert len(best.moves) == 15
    for move in best.moves:
        here = RULES.play(here, move)
    assert not RULES.moves(here)


def test_a_drawn_line_is_not_extended() -> None:
    lines = CheckersPlayer().analyse(RULES, at("W:WK15:BK28"), OWN_LIMIT)
    assert {(line.value, len(line.moves)) for line in lines if line.value == 0} == {(0, 1)}


def test_a_won_endgame_says_so_and_how_soon() -> None:
    best, *_ = CheckersPlayer().analyse(RULES, at("B:WK28:BK1,K2,K3"), OWN_LIMIT)
    assert best.is_exact
    assert 0.99 < best.value < 1


def test_a_win_beyond_the_tables_is_found_and_exact() -> None:
    best, *_ = CheckersPlayer().analyse(RULES, at("B:W15,16,24,29,32:B3,4,8,9"), Limit(nodes=200_000))
    assert best.value > 0.9


def test_a_finished_game_has_no_lines() -> None:
    assert CheckersPlayer().analyse(RULES, at("W:W5:B1"), OWN_LIMIT) == ()


def test_the_side_ahead_avoids_repetitions() -> None:
    player, here, past = CheckersPlayer(nodes=20_000), at("B:WK28,K32:BK1,K2,K3,K14,K15"), []
    first = player.choose(RULES, here, OWN_LIMIT, Random(1))
    for move in (first, Move((32, 27)), Move(first.path[::-1]), Move((27, 32))):
        past.append(here)
        here = RULES.play(here, move)
    assert here[:4] == past[0][:4]
    for told in (past, [*past, here]):
        assert player.choose(RULES, here, OWN_LIMIT, Random(1), told) != first


def test_the_last_of_forty_moves_is_a_draw() -> None:
    start = at("B:WK28,K32:BK1,K2,K3,K14,K15")._replace(quiet=79)
    lines = CheckersPlayer(nodes=2_000).analyse(RULES, start, OWN_LIMIT, lines=3)
    assert {line.value for line in lines} == {0.0}
