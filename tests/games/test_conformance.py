"""What holds for every game; Hypothesis plays random games."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus import GAMES, Game, Outcome, Player, Turn
from ludus.core.errors import BadInput, BadMove, GameIsOver, IllegalMove, LudusError, UnknownVariant
from ludus.core.rules import Reason, Rules
from ludus.games.checkers.position import Move, Position, bit_of

STARTS = [(rules, variant) for rules in GAMES.values() for variant in rules.variants]
STARTS += [(GAMES["backgammon"], "hypergammon+cube+jacoby+beavers"), (GAMES["backgammon"], "hypergammon+match3")]
choices = st.lists(st.integers(0, 2**16), max_size=150)
odd_words = st.sampled_from([*'\n"{}()[];:-x/*', "1-0", "31:", "99", "Game 2", "Wins 9 points"])


def named(value: Any) -> Any:
    return getattr(value, "name", value)


every_start = pytest.mark.parametrize(("rules", "variant"), STARTS, ids=named)
every_game = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES)


def played(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> Game[Any, Any]:
    """A game in which each move is picked by a number."""
    game = Game(rules, variant)
    for number in chosen:
        moves = game.legal_moves()
        if not moves:
            break
        game.play(moves[number % len(moves)])
    return game


@every_start
@given(chosen=choices)
def test_moves_are_unique_and_in_the_same_order_each_time(
    rules: Rules[Any, Any], variant: str, chosen: list[int]
) -> None:
    position = played(rules, variant, chosen).position
    moves = rules.moves(position)
    assert len(set(moves)) == len(moves)
    assert type(rules)().moves(position) == moves
    assert COMPILED[rules.name].moves(position) == moves


COMPILED = {name: rules.compiled() for name, rules in GAMES.items()}


@every_start
@given(chosen=choices)
def test_there_are_moves_until_the_game_is_over(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    game = played(rules, variant, chosen)
    assert (game.turn is Turn.OVER) == (game.outcome is not None) == (not game.legal_moves())
    assert (rules.turn(game.position) is Turn.DICE) == bool(rules.chances(game.position))
    if game.turn is Turn.DICE:
        assert tuple(roll for roll, _ in rules.chances(game.position)) == game.legal_moves()
        assert all(weight > 0 for _, weight in rules.chances(game.position))


@every_start
@given(chosen=choices)
def test_text_of_every_move_reads_back_as_the_same_move(
    rules: Rules[Any, Any], variant: str, chosen: list[int]
) -> None:
    game = played(rules, variant, chosen)
    texts = [rules.notation.write_move(game.position, move) for move in game.legal_moves()]
    assert len(set(texts)) == len(texts)
    assert [rules.notation.read_move(game.position, text) for text in texts] == list(game.legal_moves())


@every_start
@given(chosen=choices)
def test_replay_equals_play(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    game = played(rules, variant, chosen)
    again = Game(rules, variant)
    for move in game.moves:
        again.play(move)
    assert again == game
    assert again.positions == game.positions
    assert again.outcome == game.outcome


@every_start
@given(chosen=choices)
def test_undo_goes_back_through_every_position(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    game = played(rules, variant, chosen)
    for position in reversed(game.positions[:-1]):
        game.undo()
        assert game.position == position
        assert game.outcome is None
    with pytest.raises(IllegalMove):
        game.undo()


@every_game
@pytest.mark.parametrize("played_before", [0, 5])
def test_undo_takes_back_the_ending_before_the_last_move(rules: Rules[Any, Any], played_before: int) -> None:
    game = played(rules, "standard", [0] * played_before)
    before = copy.deepcopy(game)
    game.resign(Player.FIRST)
    assert game.undo() is None
    assert game == before
    assert game.outcome is None
    if played_before:
        assert game.undo() == before.moves[-1]


@every_game
def test_a_known_reason_becomes_a_member_of_the_enum(rules: Rules[Any, Any]) -> None:
    game = Game(rules)
    game.end(Outcome(Player.FIRST, "resignation"))
    assert game.outcome is not None
    assert game.outcome.reason is Reason.RESIGNATION


@every_game
@pytest.mark.parametrize("points", [-1, 0, 4])
def test_a_game_is_worth_what_its_rules_say(rules: Rules[Any, Any], points: int) -> None:
    game = Game(rules)
    with pytest.raises(IllegalMove, match=f"a game of {rules.name} is worth 1"):
        game.resign(Player.FIRST, points)
    with pytest.raises(IllegalMove, match=f"a game of {rules.name} is worth 1"):
        game.end(Outcome(Player.FIRST, "time", points))
    assert game.outcome is None


@every_game
def test_a_game_ends_for_a_reason(rules: Rules[Any, Any]) -> None:
    game = Game(rules)
    with pytest.raises(BadInput, match="empty"):
        game.end(Outcome(Player.FIRST, ""))
    assert game.outcome is None


@every_start
def test_what_is_no_move_is_illegal_even_if_it_equals_one(rules: Rules[Any, Any], variant: str) -> None:
    game = played(rules, variant, [0])
    for start in (Game(rules, variant), game):
        for value in (None, 7, (), tuple(start.legal_moves()[0]), [1]):
            with pytest.raises(IllegalMove):
                start.play(value)
        with pytest.raises(IllegalMove):
            rules.play(start.position, rules.notation.write_move(start.position, start.legal_moves()[0]))


@every_game
def test_lines_shorter_than_nothing_are_not_counted(rules: Rules[Any, Any]) -> None:
    with pytest.raises(BadInput, match="-1"):
        rules.perft(rules.variants["standard"], -1)


@every_game
@pytest.mark.parametrize("duplicate", [lambda game: pickle.loads(pickle.dumps(game)), copy.deepcopy])
@pytest.mark.parametrize("is_compiled", [False, True])
def test_a_game_in_progress_can_be_copied_and_sent_to_another_process(
    rules: Rules[Any, Any], duplicate: Any, is_compiled: bool
) -> None:
    game = played(COMPILED[rules.name] if is_compiled else rules, "standard", [3] * 20)
    if game.outcome:
        game.undo()
    again = duplicate(game)
    assert again == game
    assert again.legal_moves() == game.legal_moves()
    assert getattr(again.rules, "_kernel", None) is getattr(game.rules, "_kernel", None)
    again.play(again.legal_moves()[0])
    assert len(again.moves) == len(game.moves) + 1


@every_start
@given(chosen=choices)
def test_what_a_move_touches_can_be_pointed_out(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    game = played(rules, variant, chosen)
    board = game.board()
    for move in game.legal_moves():
        touched = rules.touched(game.position, move)
        assert (board.text(highlight=touched) != board.text()) == bool(touched)


@every_start
@given(chosen=choices, ending=st.sampled_from(["", "resign", "draw", "afk_timeout"]))
def test_a_game_written_and_read_is_the_same_game(
    rules: Rules[Any, Any], variant: str, chosen: list[int], ending: str
) -> None:
    game = played(rules, variant, chosen)
    game.tags.update(White="Ada", Black="Grace", Event='A "test"')
    if game.outcome is None and ending:
        end(game, ending)
    (again,) = rules.notation.read_games(rules.notation.write_games([game]))
    assert again == game
    assert repr(again.outcome) == repr(game.outcome)


def end(game: Game[Any, Any], how: str) -> None:
    if how == "draw" and game.rules.has_draws:
        game.agree_draw()
    elif how == "afk_timeout":
        game.end(Outcome(Player.FIRST, how))
    else:
        game.resign(Player.SECOND, game.rules.most_points)


@every_game
@given(chosen=choices)
def test_position_text_reads_back_as_the_same_position(rules: Rules[Any, Any], chosen: list[int]) -> None:
    position = played(rules, "standard", chosen).position
    again = rules.notation.read_position(rules.notation.write_position(position))
    assert again == position


def mirrored_backgammon(position: Any) -> Any:
    cube, match, ended = position.cube, position.match, position.ended
    return position._replace(
        white=position.black,
        black=position.white,
        mover=other_player(position.mover),
        cube=cube and cube._replace(owner=other_player(cube.owner)),
        match=match and match._replace(white=match.black, black=match.white),
        ended=ended and ended._replace(winner=other_player(ended.winner)),
    )


def other_player(player: Player | None) -> Player | None:
    return None if player is None else player.other


def mirrored_checkers(position: Any) -> Any:
    turned = [sum(bit_of(33 - s) for s in range(1, 33) if squares & bit_of(s)) for squares in position[:3]]
    return Position(turned[1], turned[0], turned[2], position.mover.other, position.quiet)


MIRRORED = {"checkers": mirrored_checkers, "backgammon": mirrored_backgammon}
"""The same position with the players' roles exchanged; a third-party game need not have one."""


def mirrored_move(move: Any) -> Any:
    return Move(*(tuple(33 - s for s in part) for part in move)) if isinstance(move, Move) else move


@pytest.mark.parametrize(("rules", "variant"), [start for start in STARTS if start[0].name in MIRRORED], ids=named)
@given(chosen=choices)
def test_both_sides_play_by_the_same_rules(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    mirrored, position = MIRRORED[rules.name], played(rules, variant, chosen).position
    other = mirrored(position)
    assert mirrored(other) == position
    assert set(map(mirrored_move, rules.moves(position))) == set(rules.moves(other))
    if rules.turn(position).player is not None:
        for move in rules.moves(position):
            assert mirrored(rules.play(position, move)) == rules.play(other, mirrored_move(move))


@every_start
@given(chosen=choices, text=st.text(max_size=30) | st.from_regex(r"[0-9a-z/x*() -]{1,20}"))
def test_strange_text_is_a_bad_move_or_a_legal_one(
    rules: Rules[Any, Any], variant: str, chosen: list[int], text: str
) -> None:
    game = played(rules, variant, chosen)
    before = game.positions
    try:
        game.play(text)
    except (BadMove, GameIsOver):
        assert game.positions == before


def refuse_or_read(read: Callable[[str], object], text: str) -> None:
    try:
        read(text)
    except LudusError as error:
        assert error.code != LudusError.code


@every_game
@given(text=st.text(max_size=200))
def test_strange_files_and_positions_raise_our_errors_only(rules: Rules[Any, Any], text: str) -> None:
    refuse_or_read(rules.notation.read_games, text)
    refuse_or_read(rules.notation.read_position, text)


@every_game
@given(chosen=choices, place=st.floats(0, 1), length=st.integers(0, 9), patch=st.text(max_size=5) | odd_words)
def test_damaged_files_and_positions_raise_our_errors_only(
    rules: Rules[Any, Any], chosen: list[int], place: float, length: int, patch: str
) -> None:
    game = played(rules, "standard", chosen)
    game.tags["Event"] = "Open"
    game.comments[len(game.moves) // 2] = "hm"
    for read, text in (
        (rules.notation.read_games, rules.notation.write_games([game, game])),
        (rules.notation.read_position, rules.notation.write_position(game.position)),
    ):
        at = int(place * len(text))
        refuse_or_read(read, text[:at] + patch + text[at + length :])


@every_start
@given(chosen=choices)
def test_every_position_can_be_drawn(rules: Rules[Any, Any], variant: str, chosen: list[int]) -> None:
    board = played(rules, variant, chosen).board()
    assert board.svg().startswith("<svg")
    assert len({len(line) for line in board.text().splitlines()}) == 1


@every_game
def test_an_unknown_variant_is_refused(rules: Rules[Any, Any]) -> None:
    with pytest.raises(UnknownVariant, match="standard"):
        Game(rules, "chess")


@every_game
def test_nothing_happens_after_the_end(rules: Rules[Any, Any]) -> None:
    game = Game(rules)
    game.resign(Player.FIRST)
    assert game.outcome == Outcome(Player.SECOND, "resignation")
    for deed in (
        lambda: game.resign(Player.SECOND),
        lambda: game.play(rules.moves(game.position)[0]),
        lambda: game.end(Outcome(Player.FIRST, "time")),
    ):
        with pytest.raises(GameIsOver):
            deed()
    with pytest.raises(GameIsOver if rules.has_draws else IllegalMove):
        game.agree_draw()
    assert game.outcome == Outcome(Player.SECOND, "resignation")
