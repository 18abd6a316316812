"""The cube and matches in the environments, in step with the rules."""

from __future__ import annotations

import copy
import hashlib
import pickle
from collections import Counter
from random import Random
from typing import Any

import gymnasium
import numpy as np
import pytest

from ludus import GAMES, Game
from ludus.core.errors import UnknownOption, UnknownVariant
from ludus.core.rules import Player, Turn
from ludus.envs import backgammon_v0, backgammon_v1, batch, codec, stateless
from ludus.envs.backgammon.cube.kernel import BEAVER, DOUBLE, DROP, NO_DOUBLE, TAKE
from ludus.envs.batched import streams
from ludus.envs.encoding import find_encoding
from ludus.games.backgammon.position import Cube, CubeAction, Match, Position, Roll, Stage

RULES: Any = GAMES["backgammon"].compiled()
ENCODING: Any = find_encoding("backgammon_v1")
VARIANTS = (
    "standard+cube",
    "hypergammon+cube+jacoby+beavers",
    "standard+match3",
    "hypergammon+match7",
    "nackgammon+match2+nocube",
    "hypergammon+match1",
)
CUBE_WORDS = {CubeAction.DOUBLE: 0.2, CubeAction.DROP: 0.2, CubeAction.BEAVER: 0.5}
"""How often these are chosen where they are legal, so that games become long."""


def column(env: Any) -> list[int]:
    words: list[int] = env._state[:, 0].tolist()
    return words


def roll_as(game: Game[Any, Any], seen: Position) -> None:
    """Rolls the environment's dice in the record."""
    while game.turn is Turn.DICE:
        higher, lower = max(seen.dice), min(seen.dice)
        is_second = game.position.mover is None and seen.mover is Player.SECOND
        game.play(Roll(lower, higher) if is_second else Roll(higher, lower))


def choose(game: Game[Any, Any], rng: Random) -> Any:
    moves = list(game.legal_moves())
    chosen = [move for move in moves if rng.random() < CUBE_WORDS.get(move, 0)]
    return chosen[0] if chosen else rng.choice([move for move in moves if move not in CUBE_WORDS] or moves)


def expected_entries(position: Position, player: Player) -> list[int]:
    """What an observation should say after the board, as this player sees it."""
    cube, match = position.cube or Cube(), position.match
    stage = {Stage.ON_ROLL: 1, Stage.DOUBLED: 2, Stage.BEAVERED: 3}[cube.stage] if not position.dice else 0
    owner = 0 if cube.owner is None else 1 if cube.owner is player else 2
    aways = [0, 0, 0] if match is None else [match.away(player), match.away(player.other), match.length]
    flags = [match is not None and match.is_crawford, position.cube is not None, cube.has_jacoby, cube.has_beavers]
    return [cube.value.bit_length() - 1, owner, stage, *aways, *map(int, flags)]


def play_together(env: Any, single: Any, variant: str, rng: Random, seen: Counter[Any]) -> None:
    """Plays a game or a match by the rules, in a batch of one and in the AEC environment, and compares all three."""
    game: Game[Any, Any] = Game(RULES, variant)
    while True:
        position = ENCODING.decode_position(column(env))
        roll_as(game, position)
        assert position == game.position
        player = game.turn.player
        assert player is not None
        assert env.to_play[0] == player
        assert single.agent_selection == f"player_{player}"
        for agent in Player:
            entries = single.observe(f"player_{agent}")["observation"]
            assert entries[59:].tolist() == expected_entries(position, agent)
        assert np.array_equal(single.observe(single.agent_selection)["observation"], env.observation[0])
        legal = set(np.flatnonzero(env.action_mask[0]).tolist())
        firsts = {ENCODING.encode_move(position, move)[0] for move in game.legal_moves()}
        assert firsts == legal if not position.dice else firsts <= legal <= set(range(156))
        assert np.array_equal(single.observe(single.agent_selection)["action_mask"], env.action_mask[0])
        move = choose(game, rng)
        seen[move if isinstance(move, CubeAction) else type(move)] += 1
        game.play(move)
        for action in ENCODING.encode_move(position, move):
            env.step(np.array([action]))
            single.step(action)
        assert bool(env.terminated[0]) == single.terminations["player_0"] == (game.outcome is not None)
        if game.outcome:
            check_result(game, player, env, single)
            return
        assert env.reward[0] == 0


def check_result(game: Game[Any, Any], actor: Player, env: Any, single: Any) -> None:
    outcome = game.outcome
    assert outcome is not None
    assert outcome.winner is not None
    worth = outcome.points if game.position.match is None else 1
    assert env.reward[0] == (worth if outcome.winner is actor else -worth)
    assert single.rewards == {f"player_{player}": worth if player is outcome.winner else -worth for player in Player}
    assert single.infos["player_0"] == {"winner": f"player_{outcome.winner}", "reason": outcome.reason}


@pytest.mark.parametrize("variant", VARIANTS)
def test_games_and_matches_are_those_of_the_rules(variant: str) -> None:
    env = batch("backgammon", 1, seed=5, variant=variant, scoring="points")
    single = backgammon_v1.raw_env(variant=variant, scoring="points")
    single.reset(seed=5)
    rng, seen = Random(variant), Counter[Any]()
    for _ in range(40 if "hypergammon" in variant else 8):
        play_together(env, single, variant, rng, seen)
        single.reset()
    has_cube = RULES.start(variant).cube is not None and "match1" not in variant
    assert all(seen[action] for action in CubeAction if action is not CubeAction.BEAVER) == has_cube
    assert bool(seen[CubeAction.BEAVER]) == ("beavers" in variant)


def digest_of_batch(variant: str, steps: int) -> str:
    """Everything that random play of game 0 shows."""
    env, seen = batch("backgammon", 1, seed=7, variant=variant, scoring="points"), hashlib.sha256()
    for _ in range(steps):
        seen.update(env.observation.tobytes() + env.action_mask.tobytes())
        env.step()
        seen.update(f"{env.reward[0]} {bool(env.terminated[0])}".encode())
    return seen.hexdigest()


def digest_of_aec(variant: str, steps: int, *, is_copied: bool = False) -> str:
    """The same through the AEC environment, if asked to through copies and pickles of it, with the same choices."""
    env: Any = backgammon_v1.raw_env(variant=variant, scoring="points")
    seen, key = hashlib.sha256(), streams.key_of(7, 0)
    env.reset(seed=7)
    for step in range(steps):
        if is_copied:
            env = pickle.loads(pickle.dumps(env)) if step % 2 else copy.deepcopy(env)
        agent = env.agent_selection
        observation, mask = env.observe(agent).values()
        seen.update(observation.tobytes() + mask.tobytes())
        legal = sorted(np.flatnonzero(mask).tolist(), key=order)
        env.step(legal[streams.below(streams.draw(key, streams.POLICY, step), len(legal))])
        seen.update(f"{env.rewards[agent]} {env.terminations[agent]}".encode())
        if env.terminations[agent]:
            env.reset()
    return seen.hexdigest()


def order(action: int) -> tuple[int, int]:
    """In which the kernel counts actions: steps from the higher die's on, decisions as they are."""
    return (0, action) if action >= NO_DOUBLE else (-(action % 6), action)


@pytest.mark.parametrize("variant", ["standard+cube+jacoby+beavers", "hypergammon+match5"])
def test_one_game_at_a_time_and_in_a_batch_are_the_same(variant: str) -> None:
    assert digest_of_aec(variant, 20_000) == digest_of_batch(variant, 20_000)


def test_copies_and_pickles_play_on_at_any_point_of_a_match() -> None:
    variant = "hypergammon+match3"
    assert digest_of_aec(variant, 400, is_copied=True) == digest_of_batch(variant, 400)


def test_without_cube_and_match_it_is_v0_with_ten_zeros() -> None:
    old, new = batch("backgammon", 100, seed=3, scoring="points"), batch("backgammon_v1", 100, seed=3, scoring="points")
    for _ in range(500):
        was, now = old.step(), new.step()
        assert np.array_equal(np.pad(was.observation, ((0, 0), (0, 10))), now.observation)
        assert np.array_equal(np.pad(was.action_mask, ((0, 0), (0, 5))), now.action_mask)
        assert all(np.array_equal(a, b) for a, b in zip(was[2:], now[2:], strict=True))


@pytest.mark.parametrize(
    ("variant", "digest"),
    [
        ("standard", "3631180c0854902e"),
        ("printed", "cafaf35b6fffa60e"),
        ("nackgammon", "eff92f32c2ed8ff0"),
        ("hypergammon", "3a0e18507f0f0d1f"),
    ],
)
def test_v0_is_what_it_was_before_there_was_a_cube(variant: str, digest: str) -> None:
    """The digests were taken at the last commit without one."""
    env, seen = batch("backgammon", 50, seed=7, variant=variant, scoring="points"), hashlib.sha256()
    for _ in range(1000):
        for array in env.step():
            seen.update(np.ascontiguousarray(array).tobytes())
    assert seen.hexdigest()[:16] == digest


def at(position: str, **options: Any) -> Any:
    env = backgammon_v1.raw_env(**options)
    env.reset(seed=1, options={"position": position})
    return env


def legal(env: Any) -> list[int]:
    return np.flatnonzero(env.observe(env.agent_selection)["action_mask"]).tolist()


def entries(env: Any, agent: int = 0) -> list[int]:
    seen: list[int] = env.observe(f"player_{agent}")["observation"][59:].tolist()
    return seen


def set_up(position: Position) -> Any:
    env = backgammon_v1.raw_env(scoring="points")
    env.reset(seed=1)
    env._simulator.set_position(position)
    env._select_agent()
    return env


START = RULES.start("standard+cube")._replace(mover=Player.FIRST)


def test_before_the_roll_the_player_decides_whether_to_double() -> None:
    env = set_up(START)
    assert legal(env) == [NO_DOUBLE, DOUBLE]
    env.step(NO_DOUBLE)
    assert env.agent_selection == "player_0"
    assert entries(env)[:3] == [0, 0, 0]
    assert max(legal(env)) < NO_DOUBLE


def test_the_other_side_answers_and_gets_the_cube() -> None:
    env = set_up(START)
    env.step(DOUBLE)
    assert env.agent_selection == "player_1"
    assert legal(env) == [TAKE, DROP]
    env.step(TAKE)
    assert env.agent_selection == "player_0"
    assert entries(env, 0)[:3] == [1, 2, 0]
    assert entries(env, 1)[:3] == [1, 1, 0]


def test_a_drop_loses_what_the_cube_showed() -> None:
    env = set_up(START._replace(cube=Cube(4, Player.FIRST)))
    env.step(DOUBLE)
    env.step(DROP)
    assert env.rewards == {"player_0": 4, "player_1": -4}
    assert env.infos["player_1"] == {"winner": "player_0", "reason": "dropped"}


def test_a_beaver_keeps_the_cube_and_may_be_dropped() -> None:
    doubled = START._replace(cube=Cube(2, Player.FIRST, Stage.DOUBLED, has_beavers=True))
    env = set_up(doubled)
    assert env.agent_selection == "player_1"
    assert legal(env) == [TAKE, DROP, BEAVER]
    env.step(BEAVER)
    assert env.agent_selection == "player_0"
    assert legal(env) == [TAKE, DROP]
    twin = copy.deepcopy(env)
    env.step(TAKE)
    assert entries(env, 1)[:3] == [3, 1, 0]
    twin.step(DROP)
    assert twin.rewards == {"player_0": -4, "player_1": 4}


@pytest.mark.parametrize(
    ("cube", "match"),
    [
        (Cube(2, Player.SECOND), None),
        (Cube(4096), None),
        (Cube(), Match(5, 4, 2, is_crawford=True)),
        (Cube(2), Match(5, 3, 0)),
        (None, Match(5)),
    ],
)
def test_where_no_double_is_possible_the_dice_are_rolled(cube: Cube | None, match: Match | None) -> None:
    env = set_up(START._replace(cube=cube, match=match))
    assert env.agent_selection == "player_0"
    assert max(legal(env)) < NO_DOUBLE


def test_a_position_brings_its_own_cube_and_score_for_one_game_only() -> None:
    xgid = "XGID=-b----E-C---eE---c-e----B-:1:1:1:52:3:4:0:7:10"
    env = at(xgid, match_length=3)
    assert entries(env) == [1, 1, 0, 4, 3, 7, 0, 1, 0, 0]
    env.reset()
    assert entries(env) == [0, 0, 0, 3, 3, 3, 0, 1, 0, 0]


def test_a_position_may_wait_for_the_answer_to_a_double() -> None:
    env = at("XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:0:5:10")
    assert env.agent_selection == "player_1"
    assert legal(env) == [TAKE, DROP]


def test_a_position_id_says_nothing_of_the_cube_so_it_is_the_environments() -> None:
    env = at("4HPwATDgc/ABMA", cube=True, jacoby=True)
    assert legal(env) == [NO_DOUBLE, DOUBLE]
    assert entries(env) == [0, 0, 1, 0, 0, 0, 0, 1, 1, 0]


def test_a_position_without_a_cube_may_have_dice() -> None:
    env = at("XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", cube=True)
    assert max(legal(env)) < NO_DOUBLE
    assert entries(env) == [0, 0, 0, 0, 0, 0, 0, 1, 0, 0]


def test_whole_plays_and_decisions() -> None:
    env: Any = backgammon_v1.raw_env(plays=True, match_length=5, variant="hypergammon")
    env.reset(seed=3)
    rng, seen = np.random.default_rng(3), Counter[int]()
    while not env.terminations["player_0"]:
        position = ENCODING.decode_position(env._simulator._column())
        moves = RULES.moves(position)
        numbers = range(len(moves)) if position.dice else [3060 + list(CubeAction).index(move) for move in moves]
        assert legal(env) == list(numbers)
        chosen = int(rng.integers(len(moves)))
        seen[numbers[chosen]] += 1
        env.step(numbers[chosen])
        if not env.terminations["player_0"]:
            after, expected = env._simulator.board().position, RULES.play(position, moves[chosen])
            assert (after.match, after.stake) == (expected.match, expected.stake)
    assert {number for number in seen if number >= 3060} == {3060, 3061, 3062, 3063}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"match_length": 26}, UnknownOption),
        ({"match_length": 0}, UnknownOption),
        ({"match_length": "7"}, UnknownOption),
        ({"jacoby": True}, UnknownOption),
        ({"beavers": True, "match_length": 3}, UnknownOption),
        ({"variant": "standard+match99"}, UnknownVariant),
        ({"variant": 3}, UnknownVariant),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict[str, Any], error: Any) -> None:
    with pytest.raises(error):
        backgammon_v1.env(**options)
    with pytest.raises(error):
        batch("backgammon", 2, **options)


BOARD = "XGID=-b----E-C---eE---c-e----B-"


@pytest.mark.parametrize(
    "position",
    [
        f"{BOARD}:1:1:1:52:0:0:0:0:10",  # a cube on 2
        f"{BOARD}:0:0:1:52:0:0:1:0:10",  # the Jacoby rule
        f"{BOARD}:0:0:1:52:3:4:0:7:10",  # the score of a match
        f"{BOARD}:0:0:1:52:3:4:0:7:0",  # of one without a cube
        f"{BOARD}:0:0:1:D:0:0:0:5:10",  # a double to be answered
        "4HPwATDgc/ABMA:UQkAAAAAAAAA",  # a cube on 2 again
    ],
)
def test_what_v0_cannot_show_of_a_position_is_refused_wherever_a_game_starts(position: str) -> None:
    value = GAMES["backgammon"].notation.read_position(position)
    functions = stateless("backgammon")
    for start in (
        lambda: backgammon_v0.raw_env().reset(options={"position": position}),
        lambda: backgammon_v0.raw_env(plays=True).reset(options={"position": position}),
        lambda: batch("backgammon", 2).set_positions(position),
        lambda: batch("backgammon", 2).set_positions([value, value]),
        lambda: functions.set_positions(functions.init(1), position),
        lambda: gymnasium.make("ludus/Backgammon-v0").reset(options={"position": position}),
        lambda: gymnasium.make_vec("ludus/Backgammon-v0", 2).reset(options={"position": [position, None]}),
        lambda: find_encoding("backgammon").encode_position(value),
        lambda: codec("backgammon").encode_position(position),
    ):
        with pytest.raises(UnknownOption, match="backgammon does not show all of this position; backgammon_v1 does"):
            start()
    assert batch("backgammon_v1", 1).set_positions(position).action_mask.any()


@pytest.mark.parametrize(
    "position", [f"{BOARD}:0:0:1:52:0:0:0:0:10", f"{BOARD}:0:0:1:52:3:2:0:0:10", "4HPwATDgc/ABMA:cAkAAAAAAAAE"]
)
def test_v0_plays_money_games_whose_cube_has_never_been_turned(position: str) -> None:
    """They are read as games without a cube."""
    step = batch("backgammon", 1).set_positions(position)
    assert step.to_play.tolist() == [0]
    assert step.action_mask.any()


def test_v0_and_games_without_options_refuse_a_cube() -> None:
    with pytest.raises(UnknownVariant, match="backgammon_v1"):
        backgammon_v0.env(variant="standard+cube")
    with pytest.raises(UnknownVariant, match="backgammon_v1"):
        batch("backgammon_v0", 2, match_length=3)
    with pytest.raises(UnknownOption, match="checkers has no option 'cube'"):
        batch("checkers", 2, cube=True)


CUBE: Any = {"variant": "hypergammon+cube+beavers"}


def test_threads_and_layouts_change_nothing() -> None:
    kernel, games = ENCODING.kernel, 4200
    one, two = (batch("backgammon", games, seed=3, threads=threads, **CUBE) for threads in (1, 2))
    packed = batch("backgammon", games, seed=3, layout="packed", **CUBE)
    for _ in range(60):
        assert all(np.array_equal(a, b) for a, b in zip(one.step(), two.step(), strict=True))
        packed.step()
        assert np.array_equal(one.reward, packed.reward)
    assert set(one.observation[:, 61].tolist()) == {0, 1, 2, 3}
    compact = np.zeros(kernel.COMPACT, np.int64)
    pieces, at = compact.view(np.int8), kernel.PACKED_OBSERVATION * 8
    for i in range(0, games, 101):
        kernel.write_compact(one._state, i, compact, 0)
        words = [kernel.observation_word(pieces, 0, w) for w in range(kernel.OBSERVATION_WORDS)]
        assert np.array_equal(np.array(words, np.int64).view(np.int8)[:69], one.observation[i])
        words = [kernel.mask_word(pieces, at, w) for w in range(kernel.MASK_WORDS)]
        assert np.array_equal(np.array(words, np.int64).view(np.int8)[:161], one.action_mask[i])


def test_the_packed_words_are_as_documented() -> None:
    as_bytes, packed = (batch("backgammon", 400, seed=3, layout=layout, **CUBE) for layout in ("bytes", "packed"))
    for _ in range(30):
        as_bytes.step()
        packed.step()
    last = packed.observation[:, 5:7].copy().view(np.uint8)
    assert np.array_equal(last[:, :6], as_bytes.observation[:, 58:64])
    assert np.array_equal(last[:, 8:13], as_bytes.observation[:, 64:])
    decisions = packed.action_mask[:, 6, None] >> np.arange(5) & 1
    assert np.array_equal(decisions, as_bytes.action_mask[:, 156:])
    assert decisions.any(axis=0).all()


def test_who_drops_loses_in_every_count() -> None:
    """The policy makes the choices of random play, so the games are the same, counted in another way."""
    env: Any = batch("backgammon", 60, seed=6, **CUBE)

    def same_choice(_: Any) -> Any:
        return np.array([ENCODING.kernel.sample_action(env._state, i) for i in range(60)])

    counted = env.rollout(same_choice, steps=150)
    assert counted == batch("backgammon", 60, seed=6, **CUBE).rollout(steps=150)
    dropped = batch("backgammon", 60, seed=6, **CUBE)
    winners, rewards = Counter[int](), set[int]()
    for _ in range(150):
        movers = dropped.to_play.copy()
        step = dropped.step()
        winners.update(np.where(step.reward > 0, movers, 1 - movers)[step.terminated].tolist())
        rewards.update(step.reward.tolist())
    assert (winners[0], winners[1]) == (counted.first_wins, counted.second_wins)
    assert rewards == {-1, 0, 1}
