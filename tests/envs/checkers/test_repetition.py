"""What `checkers_v5` shows of repetitions is what the record of the game has."""

from __future__ import annotations

import hashlib
from collections import Counter
from random import Random
from typing import Any

import numpy as np
import pytest

from ludus import GAMES, Game
from ludus.core.rules import Player
from ludus.envs import batch, checkers_v5, codec
from ludus.envs.batched import streams
from ludus.envs.encoding import find_encoding

RULES, ENCODING = GAMES["checkers"], find_encoding("checkers_v5")
KERNEL = ENCODING.kernel
STARTS = ("B:WK32,K30:BK1,K4", "W:WK32:BK1,K2", "B:WK5,K32,21:BK28,K1,12", "W:WK29,K6:BK32,K1,K3")
"""Kings on the board's corners, where one square is missing from their key, and men that can make a draw impossible."""


def same(position: Any) -> Any:
    """What makes two positions equal: not the number of quiet moves."""
    return position[:4]


def expected_planes(game: Game[Any, Any], player: Player) -> Any:
    """Planes 6 to 10 by the record alone, as a player sees them."""
    seen = Counter(map(same, game.positions))
    planes = np.zeros((5, 64), np.int8)
    planes[0] = seen[same(game.position)] - 1
    moves = game.legal_moves()
    for move in moves:
        direction, square = divmod(ENCODING.encode_move(game.position, move)[0], 64)
        if not move.captures:
            planes[1 + direction, square] = seen[same(RULES.play(game.position, move))]
    if player is not game.position.mover:
        planes = planes[[0, 4, 3, 2, 1], ::-1]
    return planes.reshape(5, 8, 8).transpose(1, 2, 0)


def choose(game: Game[Any, Any], rng: Random) -> Any:
    """Moves that repeat something, where there are any, in half of the cases; otherwise quiet ones if possible."""
    moves, seen = game.legal_moves(), {same(position) for position in game.positions}
    repeating = [move for move in moves if same(RULES.play(game.position, move)) in seen]
    quiet = [move for move in moves if RULES.play(game.position, move).quiet]
    return rng.choice(repeating if repeating and rng.random() < 0.5 else quiet or moves)


def play_together(env: Any, start: str, rng: Random, counts: Counter[int]) -> Game[Any, Any]:
    """Plays a game by the rules and in the environment, and compares what both agents see before each move."""
    game: Game[Any, Any] = Game(RULES, start=RULES.notation.read_position(start))
    env.reset(options={"position": start})
    while game.outcome is None:
        for player in Player:
            shown = env.observe(f"player_{player}")["observation"][:, :, 6:]
            assert np.array_equal(shown, expected_planes(game, player))
        move = choose(game, rng)
        actions = ENCODING.encode_move(game.position, move)
        count = int(env.observe(env.agent_selection)["observation"].transpose(2, 0, 1)[7:].reshape(256)[actions[0]])
        game.play(move)
        for action in actions:
            env.step(action)
        counts[count] += 1
        assert env.terminations["player_0"] == (game.outcome is not None)
        if game.outcome and game.outcome.reason == "repetition":
            assert count == 2
        else:
            assert count < 2
    return game


def test_every_repetition_is_shown_before_it_happens() -> None:
    env, rng, counts, reasons = checkers_v5.raw_env(), Random(8), Counter[int](), Counter[str]()
    for _ in range(15):
        for start in STARTS:
            game = play_together(env, start, rng, counts)
            assert game.outcome is not None
            reasons[game.outcome.reason] += 1
            last = env.observe("player_0")["observation"][:, :, 6:]
            is_repetition = game.outcome.reason == "repetition"
            assert (last[:, :, 0] == 2).all() == is_repetition
            assert not last[:, :, 1:].any()
    assert min(counts[0], counts[1], counts[2], reasons["repetition"]) > 20


def after(start: str, moves: str) -> Any:
    """The environment after these moves from a position."""
    env = checkers_v5.raw_env()
    env.reset(options={"position": start})
    position = RULES.notation.read_position(start)
    for text in moves.split():
        move = RULES.notation.read_move(position, text)
        for action in ENCODING.encode_move(position, move):
            env.step(action)
        position = RULES.play(position, move)
    return env


def test_a_position_that_is_three_steps_away_is_not_taken_for_one_step_away() -> None:
    """Each of the three kings can go back to where it was; only the last one's step leads to an earlier position."""
    env = after("W:WK27:BK9,K10,K11", "27-32 9-14 32-27 10-15 27-32 11-16 32-27")
    assert np.argwhere(env.observe("player_0")["observation"][:, :, 6:]).tolist() == [[3, 6, 1]]


def test_records_and_positions_with_a_past_show_the_same() -> None:
    """Also where a game went on after a third occurrence that nobody claimed."""
    translator, seen = codec("checkers_v5"), Counter[int]()
    game: Game[Any, Any] = Game(RULES, start=RULES.notation.read_position("B:WK32:BK1"))
    for text in ("1-6", "32-27", "6-1", "27-32") * 4:
        game.play(RULES.notation.read_move(game.position, text))
        game.play_on()
    for number, (shown, *_) in enumerate(translator.replay(game)):
        past = game.positions[:number]
        occurred = sum(same(earlier) == same(game.position_at(number)) for earlier in past)
        assert (shown[6] == min(occurred, 2)).all()
        if occurred < 2:
            alone = translator.encode_position(game.position_at(number), past=past)
            assert np.array_equal(shown, alone.observation)
        seen[occurred] += 1
    assert seen == {0: 4, 1: 4, 2: 4, 3: 4}


def test_an_engine_gets_no_positions_from_before_a_position_that_was_set_up() -> None:
    column, history = np.zeros((KERNEL.WORDS, 1), np.int64), np.zeros(KERNEL.HISTORY, np.int64)
    start = RULES.notation.read_position(STARTS[0])._replace(quiet=20)
    KERNEL.set_position(column, 0, history, 0, *ENCODING.encode_position(start))
    assert ENCODING.decode_history(column[:, 0].tolist(), history.tolist()) == ()
    KERNEL.apply_action(column, 0, history, 0, KERNEL.sample_action(column, 0))
    assert ENCODING.decode_history(column[:, 0].tolist(), history.tolist()) == (start,)


def kings_only(n: int, seed: int, **options: Any) -> Any:
    """A batch in which kings move about, so that positions repeat."""
    env = batch("checkers_v5", n, seed=seed, **options)
    kernel, state, history = KERNEL, env._state, env._history
    for i in range(n):
        words = ENCODING.encode_position(RULES.notation.read_position(STARTS[i % 2]))
        kernel.set_position(state, i, history, i * kernel.HISTORY, *words)
    return env


def test_without_the_new_planes_it_is_v4() -> None:
    old, new = batch("checkers", 200, seed=3), batch("checkers_v5", 200, seed=3)
    for _ in range(400):
        was, now = old.step(), new.step()
        assert np.array_equal(was.observation, now.observation[:, :6])
        assert all(np.array_equal(a, b) for a, b in zip(was[1:], now[1:], strict=True))
    assert set(np.unique(new.observation[:, 6:])) >= {0, 1}


def test_threads_and_layouts_change_nothing() -> None:
    games = 4200
    one, two, packed = (kings_only(games, 3, **more) for more in ({"threads": 1}, {"threads": 2}, {"layout": "packed"}))
    for _ in range(14):
        one.step()
        two.step()
        packed.step()
    assert np.array_equal(one.observation, two.observation)
    assert one.observation[:, 6:].max() > 0
    once, twice = (packed.observation[:, first : first + 4, None] >> np.arange(64) & 1 for first in (7, 11))
    assert np.array_equal((once + twice).reshape(games, 4, 8, 8), one.observation[:, 7:])
    assert np.array_equal(packed.observation[:, 6], one.observation[:, 6, 0, 0])
    compact = np.zeros(KERNEL.COMPACT, np.int64)
    for i in range(0, games, 101):
        KERNEL.write_compact(one._state, i, compact, 0)
        words = [KERNEL.observation_word(compact.view(np.int8), 0, w) for w in range(KERNEL.OBSERVATION_WORDS)]
        assert np.array_equal(np.array(words, np.int64).view(np.int8), one.observation[i].ravel())


def digest_of_batch(steps: int) -> str:
    env, seen = batch("checkers_v5", 1, seed=7), hashlib.sha256()
    for _ in range(steps):
        seen.update(env.observation.tobytes() + env.action_mask.tobytes())
        env.step()
        seen.update(bytes([int(env.reward[0]) + 1, int(env.terminated[0])]))
    return seen.hexdigest()


def digest_of_aec(steps: int) -> str:
    env, seen, key = checkers_v5.raw_env(), hashlib.sha256(), streams.key_of(7, 0)
    env.reset(seed=7)
    for step in range(steps):
        agent = env.agent_selection
        observation, mask = env.observe(agent)["observation"], env.observe(agent)["action_mask"]
        seen.update(np.ascontiguousarray(observation.transpose(2, 0, 1)).tobytes() + mask.tobytes())
        legal = np.flatnonzero(mask)
        env.step(legal[streams.below(streams.draw(key, streams.POLICY, step), len(legal))])
        seen.update(bytes([env.rewards[agent] + 1, int(env.terminations[agent])]))
        if env.terminations[agent]:
            env.reset()
    return seen.hexdigest()


def test_one_game_at_a_time_and_in_a_batch_are_the_same() -> None:
    assert digest_of_aec(20_000) == digest_of_batch(20_000)


@pytest.mark.parametrize("quiet", [0, 1, 79])
def test_a_position_to_start_from_has_no_past(quiet: int) -> None:
    env = checkers_v5.raw_env()
    env.reset(options={"position": STARTS[0]})
    env._simulator.set_position(RULES.notation.read_position(STARTS[0])._replace(quiet=quiet))
    assert not env.observe("player_0")["observation"][:, :, 6:].any()
