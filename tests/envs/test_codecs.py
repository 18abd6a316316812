"""Positions, moves and records as observations, actions and trajectories, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.envs.records import KINDS, records

from ludus import GAMES, Game
from ludus.core.errors import (
    IllegalAction,
    IllegalMove,
    MalformedAction,
    MalformedObservation,
    MalformedPosition,
    UnknownOption,
)
from ludus.core.rules import Player
from ludus.envs import batch, codec
from ludus.envs.codecs import Codec
from ludus.envs.trajectory import split
from ludus.games.backgammon.position import Roll

kinds = pytest.mark.parametrize("kind", KINDS)


def of(kind: str) -> Codec:
    game, options = KINDS[kind]
    return codec(game, **options)


def decisions(kind: str) -> list[tuple[Any, Any]]:
    """Positions in which a player had to move, with the moves."""
    return [
        (game.position_at(number), game.move_at(number))
        for game in records(kind)
        for number in range(game.length)
        if not game.rules.chances(game.position_at(number))
    ]


def played(kind: str, num_envs: int, steps: int, **options: Any) -> dict[str, Any]:
    """What a batch saw and did at random."""
    game, rules = KINDS[kind]
    games = batch(game, num_envs, seed=4, scoring="points", **rules, **options)
    found: dict[str, list[Any]] = {name: [] for name in games._views._fields} | {"action": []}
    for _ in range(steps):
        for name in ("observation", "action_mask", "to_play"):
            found[name].append(getattr(games, name).copy())
        found["action"].append([np.flatnonzero(mask)[-1] for mask in games.action_mask])
        games.step(np.array(found["action"][-1]))
        for name in ("reward", "terminated", "truncated"):
            found[name].append(getattr(games, name).copy())
    return {name: np.array(rows) for name, rows in found.items()}


def changed(name: str, entries: list[tuple[int, ...]]) -> Any:
    """The first observation of the first player, with one more in some entries."""
    games = batch(name, 1, seed=next(seed for seed in range(99) if not batch(name, 1, seed=seed).to_play[0]))
    observation = games.observation[0].copy()
    for entry in entries:
        observation[entry] += 1
    return observation


IMPOSSIBLE: dict[str, tuple[str, list[tuple[int, ...]], int, str]] = {
    "a man and a king on one square": ("checkers", [(1, 0, 1)], 0, "row 0: the entries"),
    "two numbers of quiet moves": ("checkers", [(5, 0, 0)], 0, "contradict each other"),
    "a man on a light square": ("checkers", [(0, 0, 0)], 0, "no position of checkers"),
    "both sides on one square": ("checkers", [(0, 3, 0), (2, 3, 0)], 0, "no position of checkers"),
    "a position that occurred more often in one square": ("checkers_v5", [(6, 3, 3)], 0, "contradict"),
    "sixteen men": ("backgammon", [(3,)], 0, "no position of backgammon"),
    "both sides on one point": ("backgammon", [(33,)], 0, "row 0: both sides have men on one point"),
    "more than two kinds of dice": ("backgammon", [(26,), (27,), (28,)], 0, "contradict"),
    "the other player's": ("backgammon", [], 1, "contradict"),
}


@pytest.mark.parametrize("what", IMPOSSIBLE)
def test_what_no_position_looks_like_is_refused(what: str) -> None:
    name, entries, to_play, message = IMPOSSIBLE[what]
    with pytest.raises(MalformedObservation, match=message):
        codec(name).decode_observation(changed(name, entries), to_play)


@kinds
def test_an_observation_shows_the_position_that_it_was_made_from(kind: str) -> None:
    positions = [position for position, _ in decisions(kind)]
    view = of(kind).encode_positions(positions)
    assert of(kind).decode_observations(view.observation, view.to_play) == positions
    one = of(kind).encode_position(positions[-1])
    assert (one.observation == view.observation[-1]).all()
    assert (one.action_mask == view.action_mask[-1]).all()
    assert of(kind).decode_observation(*one[::2]) == positions[-1]


@kinds
@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.uint64])
def test_observations_are_read_in_any_type_of_integers(kind: str, dtype: Any) -> None:
    position = decisions(kind)[-1][0]
    view = of(kind).encode_position(position)
    assert of(kind).decode_observations([view.observation.astype(dtype)], np.array([view.to_play], dtype)) == [position]


@kinds
def test_no_observations_are_no_positions(kind: str) -> None:
    assert of(kind).decode_observations(np.zeros((0, *of(kind).shape), np.int8), []) == []


@kinds
def test_observations_in_mid_turn_are_read_like_the_columns_of_a_batch(kind: str) -> None:
    game, options = KINDS[kind]
    games, encoding = batch(game, 64, seed=3, **options), of(kind).encoding
    for _ in range(60):
        columns = games._state[: encoding.kernel.WORDS].T.tolist()
        expected = [encoding.decode_position(column) for column in columns]
        assert of(kind).decode_observations(games.observation, games.to_play) == expected
        games.step()


@kinds
def test_the_mask_allows_the_first_actions_of_all_legal_moves_and_no_others(kind: str) -> None:
    translate = of(kind)
    for position, _ in decisions(kind)[:60]:
        firsts = {translate.encode_move(position, move)[0] for move in translate.rules.moves(position)}
        allowed = set(np.flatnonzero(translate.encode_position(position).action_mask).tolist())
        assert firsts <= allowed
        if kind in ("checkers", "repetition"):
            assert firsts == allowed


@kinds
def test_moves_are_actions_and_back(kind: str) -> None:
    positions, moves = zip(*decisions(kind), strict=True)
    actions, offsets = of(kind).encode_moves(positions, moves)
    assert of(kind).decode_moves(positions, actions, offsets) == list(moves)
    assert of(kind).encode_move(positions[0], moves[0]) == actions[: offsets[1]].tolist()


def test_a_move_may_be_given_in_notation() -> None:
    checkers, start = codec("checkers"), GAMES["checkers"].start("standard")
    assert checkers.decode_move(start, checkers.encode_move(start, "11-15")).path == (11, 15)


def test_a_position_may_be_given_in_notation() -> None:
    checkers, text = codec("checkers"), "B:W6,15,31:B1,9"
    position = GAMES["checkers"].notation.read_position(text)
    for one, other in zip(checkers.encode_position(text), checkers.encode_position(position), strict=True):
        assert np.array_equal(one, other)
    assert checkers.decode_move(text, checkers.encode_move(text, "1x19")).path == (1, 10, 19)


def test_an_observation_in_mid_turn_follows_from_the_actions_played() -> None:
    checkers = codec("checkers")
    chain = GAMES["checkers"].notation.read_position("B:W6,15,31:B1,9")
    first, second = checkers.encode_move(chain, "1x19")
    view = checkers.encode_position(chain, [first])
    assert np.flatnonzero(view.action_mask).tolist() == [second]
    assert GAMES["checkers"].notation.write_position(checkers.decode_observation(*view[::2])) == "B:W15,31:B9,10"


@kinds
def test_a_record_is_a_trajectory_and_back(kind: str) -> None:
    for game in records(kind):
        seen = of(kind).trajectory(game)
        assert seen.is_over
        assert (seen.action_mask[np.arange(len(seen.action)), seen.action] == 1).all()
        assert of(kind).game(seen.action, seen.observation, seen.to_play) == game


@kinds
def test_every_row_has_what_the_game_brought_its_player(kind: str) -> None:
    for game in records(kind):
        assert game.outcome
        assert game.outcome.winner is not None
        worth = 1 if kind == "match" else game.outcome.points
        seen = of(kind).trajectory(game)
        assert (seen.outcome == np.where(seen.to_play == game.outcome.winner, worth, -worth)).all()


@kinds
def test_what_a_batch_played_becomes_game_files(kind: str) -> None:
    log = played(kind, num_envs=6, steps=400, max_steps=300)
    found = list(split(**log))
    assert sum(len(each.action) for each in found) == 6 * 400
    is_over = 0
    for each in found:
        game = of(kind).game(each.action, each.observation, each.to_play)
        assert (game.outcome is not None) == each.is_over
        is_over += each.is_over
        if game.outcome:
            assert of(kind).points(game) == each.outcome[0] * (1 - 2 * int(each.to_play[0]))
        notation = game.rules.notation
        (again,) = notation.read_games(notation.write_games([game]))
        assert [again.start, *again.moves][: game.length] == [game.start, *game.moves][: game.length]
    assert is_over > 0


def test_a_game_without_dice_needs_no_observations() -> None:
    for game in records("checkers"):
        assert codec("checkers").game(codec("checkers").trajectory(game).action) == game


def test_an_unfinished_move_is_left_out() -> None:
    game = records("backgammon")[0]
    seen = of("backgammon").trajectory(game)
    assert seen.to_play[0] == seen.to_play[1]
    half = of("backgammon").game(seen.action[:1], seen.observation[:1], seen.to_play[:1])
    whole = of("backgammon").game(seen.action[:2], seen.observation[:2], seen.to_play[:2])
    assert (half.moves, whole.moves) == (game.moves[:1], game.moves[:2])


def test_a_resignation_is_no_action() -> None:
    rules = GAMES["backgammon"]
    game = Game(rules, "standard+match3")
    for move in ("31", "8/5 6/5", "roll", "62"):
        game.play(move)
    game.play(rules.resignation(Player.FIRST, 1))
    assert codec("backgammon_v1").trajectory(game).action.tolist() == [104, 114, 156]


def test_a_game_may_go_on_after_a_third_repetition() -> None:
    game = Game(GAMES["checkers"], start=GAMES["checkers"].notation.read_position("B:WK32:BK1"))
    for move in ("1-6", "32-27", "6-1", "27-32") * 3:
        game.play_on()
        game.play(move)
    seen = codec("checkers_v5").trajectory(game)
    assert (seen.observation <= codec("checkers_v5").encoding.high).all()
    assert seen.observation[:, 6, 0, 0].tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2]
    assert codec("checkers_v5").game(seen.action, seen.observation, seen.to_play) == game


def test_a_position_is_seen_with_its_past_where_repetitions_are_shown() -> None:
    game = Game(GAMES["checkers"], start=GAMES["checkers"].notation.read_position("B:WK32:BK1"))
    for move in ("1-6", "32-27", "6-1", "27-32"):
        game.play(move)
    seen = codec("checkers_v5").encode_position(game.position, past=game.positions[:-1])
    assert seen.observation[6, 0, 0] == 1
    assert codec("checkers_v5").encode_position(game.position).observation[6, 0, 0] == 0


def test_a_game_of_another_start_begins_there() -> None:
    nackgammon = Game(GAMES["backgammon"], "nackgammon+match3")
    for move in ("31", "8/5 6/5"):
        nackgammon.play(move)
    seen = codec("backgammon_v1").trajectory(nackgammon)
    assert codec("backgammon_v1").game(seen.action, seen.observation, seen.to_play) == nackgammon


def test_the_start_of_a_trajectory_may_be_given_in_notation() -> None:
    checkers, start = codec("checkers"), "B:W32:B1,2"
    game = checkers.game(checkers.encode_move(start, "1-5"), start=start)
    assert game.start == checkers.rules.notation.read_position(start)
    assert game.length == 1


def test_a_trajectory_without_actions_is_a_game_without_moves() -> None:
    assert codec("checkers").game([]) == Game(GAMES["checkers"])


def test_steps_of_a_play_come_back_in_one_order() -> None:
    seen = next(each for each in split(**played("backgammon", 4, 400)) if each.is_over)
    backgammon = of("backgammon")
    record = backgammon.game(seen.action, seen.observation, seen.to_play)
    again = backgammon.trajectory(record)
    assert not np.array_equal(again.action, seen.action)
    assert np.array_equal(again.to_play, seen.to_play)
    assert backgammon.game(again.action, again.observation, again.to_play) == record


def test_an_empty_game_has_an_empty_trajectory() -> None:
    seen = codec("checkers").trajectory(Game(GAMES["checkers"]))
    assert (seen.observation.shape, seen.action_mask.shape, seen.is_over) == ((0, 6, 8, 8), (0, 256), False)
    assert codec("checkers").game(seen.action, seen.observation, seen.to_play) == Game(GAMES["checkers"])


START = GAMES["checkers"].start("standard")
OPENED = GAMES["backgammon"].play(GAMES["backgammon"].start("standard+cube"), Roll(3, 1))


def one_array_shorter() -> None:
    long, short = np.zeros((2, 3)), np.zeros((2, 2))
    list(split(long, long, long, long, long, long, short))


def out_of_order() -> Game[Any, Any]:
    seen = of("backgammon").trajectory(records("backgammon")[0])
    return of("backgammon").game(seen.action, np.roll(seen.observation, 40, axis=0), np.roll(seen.to_play, 40))


def two_rows_too_few() -> Game[Any, Any]:
    seen = of("backgammon").trajectory(records("backgammon")[0])
    rows = np.delete(np.arange(len(seen.action)), [2, 3])
    return of("backgammon").game(seen.action[rows], seen.observation[rows], seen.to_play[rows])


@pytest.mark.parametrize(
    ("attempt", "error", "problem"),
    [
        (lambda: codec("chess"), UnknownOption, "there are checkers, checkers_v4, checkers_v5, backgammon,"),
        (lambda: codec("checkers").encode_position(None), UnknownOption, "is text or a value, not NoneType"),
        (lambda: codec("checkers").encode_position(OPENED), UnknownOption, "a position of checkers is"),
        (lambda: codec("checkers").encode_position("B:W1"), MalformedPosition, "is not a FEN"),
        (lambda: codec("checkers").encode_moves([START] * 2, ["11-15"]), UnknownOption, "2 positions for 1 moves"),
        (lambda: codec("checkers").decode_moves([START], [145, 145], [0, 1, 2]), UnknownOption, "1 positions for 2"),
        (lambda: codec("checkers").decode_moves([START], [145, 145], [0, 1]), MalformedAction, "don't divide 2"),
        (lambda: codec("checkers").decode_moves([START], [145], [0, 2, 1]), MalformedAction, "don't divide 1"),
        (lambda: codec("checkers").decode_moves([START], [145], [0.0, 1.0]), MalformedAction, "don't divide 1"),
        (lambda: codec("backgammon").encode_position(OPENED), UnknownOption, "backgammon_v1 does"),
        (
            lambda: codec("backgammon").encode_position(GAMES["backgammon"].start("standard")),
            UnknownOption,
            "nobody can act in this position",
        ),
        (lambda: codec("checkers").encode_position(START, [0]), IllegalAction, "action 0: 0 is not legal"),
        (lambda: codec("checkers").encode_position(START, [1000]), IllegalAction, "1000 is not legal"),
        (lambda: codec("checkers").encode_position(START, [145]), IllegalAction, "action 0 ends the turn"),
        (lambda: codec("checkers").decode_move(START, [145, 145]), IllegalAction, "action 0 ends the turn"),
        (lambda: codec("checkers").decode_move(START, []), IllegalAction, "needs more actions"),
        (lambda: codec("checkers").decode_move(START, np.array([145.5]).tolist()), MalformedAction, "not float"),
        (lambda: codec("checkers").encode_move(START, "11-18"), IllegalMove, "11-18 is not legal"),
        (
            lambda: codec("checkers").decode_observation(np.full((6, 8, 8), 2), 0),
            MalformedObservation,
            "less than 0 or too great",
        ),
        (lambda: codec("checkers").decode_observation(np.zeros((6, 8)), 0), MalformedObservation, r"\(6, 8, 8\)"),
        (
            lambda: codec("checkers").decode_observation(np.zeros((6, 8, 8), int), 2),
            MalformedObservation,
            "0 or 1",
        ),
        (lambda: codec("checkers").game(["a"]), MalformedAction, "must be a row of integers"),
        (lambda: codec("checkers").game([145, 0]), IllegalAction, "row 1: 0 is not legal"),
        (lambda: codec("checkers").game([145], np.zeros((1, 6, 8, 8), int)), UnknownOption, "need `to_play`"),
        (
            lambda: codec("checkers").game([145], np.zeros((2, 6, 8, 8), int), [0, 0]),
            MalformedObservation,
            "2 observations don't go with 1 actions",
        ),
        (lambda: codec("backgammon").game([0]), MalformedObservation, "the dice are only in the observations"),
        (out_of_order, MalformedObservation, "row 0 is in mid-turn, or not where"),
        (two_rows_too_few, MalformedObservation, "row 2 does not follow from the row before"),
        (lambda: codec("checkers").trajectory(records("backgammon")[0]), UnknownOption, "checkers is expected, not"),
        (
            lambda: codec("backgammon").trajectory(None),  # type: ignore[arg-type]
            UnknownOption,
            "backgammon is expected, not of NoneType",
        ),
        (lambda: codec("checkers").game([145], start=OPENED), UnknownOption, "a position of checkers is"),
        (lambda: codec("checkers").game([145], start="B:W1"), MalformedPosition, "is not a FEN"),
        (one_array_shorter, MalformedObservation, "the same number of steps and of games"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(attempt: Any, error: type[Exception], problem: str) -> None:
    with pytest.raises(error, match=problem):
        attempt()
