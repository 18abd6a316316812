"""JAX, mctx and Pgx's tools on the games; `make libraries` runs it, as tests are installed without JAX."""

from __future__ import annotations

import pickle
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import MalformedAction, MalformedState, UnknownOption
from ludus.envs import batch, stateless
from ludus.envs.expectimax import expectimax
from ludus.envs.jax import make
from ludus.envs.mcts import MCTS
from ludus.envs.policy import Policy

jax = pytest.importorskip("jax", reason="make libraries installs JAX")
jnp = jax.numpy
jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_num_cpu_devices", 2)

FAILED = (jax.errors.JaxRuntimeError, ValueError)
"""JAX raises the second if it ran the call before it returned."""
GAMES, STEPS, LIMIT = 16, 250, 120
VARIANTS = [
    ("checkers", "standard"),
    ("checkers_v5", "standard"),
    ("backgammon", "standard"),
    ("backgammon", "hypergammon+match3"),
]
every_variant = pytest.mark.parametrize(("game", "variant"), VARIANTS)


def keys(number: int, seed: int = 0) -> Any:
    return jax.random.split(jax.random.key(seed), number)


def is_same(one: Any, other: Any) -> bool:
    pairs = zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True)
    return all(np.array_equal(a, b) for a, b in pairs)


def first_legal(state: Any) -> Any:
    return state.legal_action_mask.argmax(axis=-1)


@every_variant
def test_a_scan_plays_the_games_of_a_batch(game: str, variant: str) -> None:
    games = batch(game, GAMES, seed=3, variant=variant, scoring="points", max_steps=LIMIT)
    env = make(game, variant=variant, scoring="points", max_steps=LIMIT, autoreset=True)
    start = env.restore(games.save())
    rng, actions, seen = np.random.default_rng(1), [], []
    for _ in range(STEPS):
        actions.append((games.action_mask * rng.random(games.action_mask.shape)).argmax(axis=1))
        movers = games.to_play.copy()
        seen.append([movers, *(array.copy() for array in games.step(actions[-1]))])
    movers, observation, mask, reward, terminated, truncated, to_play = map(np.array, zip(*seen, strict=True))
    end, played = jax.lax.scan(lambda state, action: (env.step(state, action),) * 2, start, np.array(actions))
    assert np.array_equal(played.observation, observation)
    assert np.array_equal(played.legal_action_mask, mask)
    assert np.array_equal(np.take_along_axis(np.asarray(played.rewards), movers[..., None], -1)[..., 0], reward)
    assert not played.rewards.sum(axis=-1).any()
    assert np.array_equal(played.terminated, terminated)
    assert np.array_equal(played.truncated, truncated)
    assert np.array_equal(played.current_player, to_play)
    assert np.array_equal(env.save(end), games.save())
    assert terminated.any()


@every_variant
def test_one_game_many_and_vmapped_ones_are_the_same(game: str, variant: str) -> None:
    env = make(game, variant=variant)
    many, mapped = env.init(keys(6)), jax.jit(jax.vmap(env.init))(keys(6))
    assert is_same(many, mapped)
    for dice in range(40):
        actions, new = first_legal(many), keys(6, dice)
        many, mapped = env.step(many, actions, new), jax.jit(jax.vmap(env.step))(mapped, actions, new)
    assert is_same(many, mapped)
    blocks = jax.tree.map(lambda leaf: leaf.reshape(2, 3, *leaf.shape[1:]), many)
    stepped = env.step(many)
    one = env.step(jax.tree.map(lambda leaf: leaf[4], many))
    assert is_same(jax.tree.map(lambda leaf: leaf[4], stepped), one)
    assert is_same(jax.tree.map(lambda leaf: leaf[1, 1], jax.vmap(env.step)(blocks)), one)


def test_networks_may_return_and_be_made_of_bfloat16() -> None:
    """A type of JAX's own, for which NumPy has no kind."""
    functions = stateless("backgammon")
    states = functions.init(2)
    found = functions.afterstates(states)
    worth = jnp.arange(len(found.states), dtype=jnp.bfloat16)
    assert found.best(worth).tolist() == (found.counts - 1).tolist()
    expectimax(functions, states, lambda seen: jnp.zeros(len(seen), jnp.bfloat16))
    MCTS("backgammon", lambda seen, mask: (jnp.zeros(mask.shape, jnp.bfloat16), jnp.zeros(len(mask))))(states)
    weight = jnp.ones((59, 156), jnp.bfloat16)
    assert Policy.from_layers("backgammon", [(weight, weight[0])]).layers[0].weight.all()


@pytest.mark.parametrize("copied", [deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_environments_can_be_copied_and_pickled(copied: Any) -> None:
    env = make("backgammon", match_length=3, autoreset=True, illegal="lose")
    twin = copied(env)
    one, two = env.init(keys(3)), twin.init(keys(3))
    for action in (jnp.zeros(3, int), None):  # an illegal one ends the games, which start over
        one, two = env.step(one, action), twin.step(two, action)
        assert is_same(one, two)


def test_a_step_leaves_its_argument_alone() -> None:
    env = make("checkers")
    state = env.init(keys(4))
    before = jax.tree.map(np.array, state)
    jax.block_until_ready(jax.jit(env.step)(state, first_legal(state)))
    env.step(state, first_legal(state)).words.block_until_ready()
    assert is_same(state, before)


def test_a_game_that_is_over_stays_so() -> None:
    env = make("backgammon", variant="hypergammon")
    last = jax.lax.while_loop(lambda state: ~state.terminated.all(), env.step, env.init(keys(4)))
    after = env.step(last, jnp.full(4, -1))
    assert np.array_equal(env.save(after), env.save(last))
    assert after.terminated.all()
    assert after.legal_action_mask.all()
    assert not after.rewards.any()


def test_the_key_of_a_step_decides_the_dice() -> None:
    env = make("backgammon", variant="hypergammon")
    start = env.init(keys(1))

    def turn(dice: Any) -> Any:
        """The observation when the other side is to move."""
        before = jax.tree.map(lambda leaf: leaf[0], start)
        player = before.current_player
        step = lambda state: env.step(state, first_legal(state), dice)  # noqa: E731  # the body of a loop
        return jax.lax.while_loop(lambda state: state.current_player == player, step, before).observation

    rolls = np.asarray(jax.vmap(turn)(keys(200)))[:, 26:32]
    assert len(np.unique(rolls, axis=0)) == 21
    assert np.array_equal(rolls, np.asarray(jax.vmap(turn)(keys(200)))[:, 26:32])


def test_an_illegal_action_is_an_error_or_a_loss() -> None:
    env, lenient = make("checkers"), make("checkers", illegal="lose")
    state = env.init(keys(3))
    for action in (-1, 0, 256, 1 << 30):
        with pytest.raises(FAILED, match="an action is not legal in its game"):
            env.step(state, jnp.full(3, action)).words.block_until_ready()
        lost = lenient.step(state, jnp.full(3, action))
        assert lost.rewards.tolist() == [[-1, 1]] * 3
        assert lost.terminated.all()


def test_actions_states_and_keys_of_another_kind_are_refused() -> None:
    env, other = make("checkers"), make("backgammon")
    state = env.init(keys(3))
    for action in (jnp.zeros(3), jnp.zeros(2, int), 1):
        with pytest.raises(MalformedAction):
            env.step(state, action)
    with pytest.raises(MalformedState):
        other.step(state)
    with pytest.raises(MalformedState):
        other.restore(env.save(state))
    for key in (jnp.arange(4), 0):
        with pytest.raises(UnknownOption, match=r"keys are those of jax\.random"):
            env.init(key)
    with pytest.raises(UnknownOption, match="keys for games of shape"):
        env.step(state, key=keys(2))
    foreign = state.replace(words=state.words.at[1, 0].add(1))
    with pytest.raises(FAILED, match="these are not states of this environment"):
        env.step(foreign).words.block_until_ready()


def test_wide_integers_change_nothing() -> None:
    env = make("checkers")
    state = env.init(keys(3))
    after = env.step(state, first_legal(state))
    with jax.enable_x64(True):
        assert is_same(env.step(state, jnp.asarray(np.asarray(first_legal(state)), jnp.int64)), after)
        with pytest.raises(FAILED, match="not legal"):
            env.step(state, first_legal(state).astype(jnp.int64) + (1 << 32)).words.block_until_ready()


def test_a_policy_gradient_goes_through_the_games() -> None:
    env = make("backgammon", variant="hypergammon", autoreset=True)

    def loss(weights: Any) -> Any:
        def once(state: Any, key: Any) -> Any:
            logits = jnp.where(state.legal_action_mask, state.observation @ weights, -1e9)
            action = jax.random.categorical(key, logits)
            after = env.step(state, action)
            gain = jnp.take_along_axis(after.rewards, state.current_player[:, None], 1)[:, 0]
            chosen = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
            return after, ((0.1 - gain) * chosen).sum()

        return jax.lax.scan(once, env.init(keys(8)), keys(60))[1].sum()

    gradient = jax.jit(jax.grad(loss))(jnp.zeros((*env.observation_shape, env.num_actions)))
    assert np.isfinite(gradient).all()
    assert gradient.any()


def test_two_devices_share_the_games() -> None:
    env = make("checkers", autoreset=True)
    state = env.init(keys(8))
    mesh = jax.sharding.Mesh(np.array(jax.devices()), "games")
    divided = jax.device_put(state, jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("games")))
    play = jax.jit(lambda state: jax.lax.scan(lambda state, _: (env.step(state), None), state, length=100)[0])
    assert len(play(divided).words.sharding.device_set) == 2
    assert is_same(play(divided), play(state))


def test_pgx_tools_work_unchanged() -> None:
    pgx = pytest.importorskip("pgx.experimental")
    env = make("backgammon", variant="hypergammon")
    step = jax.jit(jax.vmap(pgx.auto_reset(env.step, env.init)))
    state, ended = env.init(keys(8)), 0
    for number in range(120):
        action = pgx.act_randomly(jax.random.key(number), state.legal_action_mask)
        state = step(state, action, keys(8, number))
        ended += int(state.terminated.sum())
        assert state.rewards.any(axis=1).tolist() == state.terminated.tolist()
    assert ended


def test_mctx_finds_the_actions_that_win_at_once() -> None:
    mctx = pytest.importorskip("mctx")
    env = make("checkers")
    state = winnable(env, 12)

    def look(state: Any) -> Any:
        return jnp.where(state.legal_action_mask, 0.0, -1e9), jnp.zeros(state.current_player.shape)

    def recurrent(_: Any, key: Any, action: Any, state: Any) -> Any:
        after = env.step(state, action, jax.random.split(key, len(action)))
        reward = jnp.take_along_axis(after.rewards, state.current_player[:, None], 1)[:, 0]
        discount = jnp.where(after.current_player == state.current_player, 1.0, -1.0) * ~after.terminated
        logits, value = look(after)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=value), after

    logits, value = look(state)
    found = jax.jit(lambda state, key: mctx.gumbel_muzero_policy(
        None, key, mctx.RootFnOutput(prior_logits=logits, value=value, embedding=state), recurrent,
        num_simulations=32, invalid_actions=~state.legal_action_mask,
    ))(state, jax.random.key(0))  # fmt: skip
    after = env.step(state, found.action)
    assert after.terminated.all()
    assert (np.take_along_axis(np.asarray(after.rewards), np.asarray(state.current_player)[:, None], 1) == 1).all()


def test_the_page_runs(capsys: Any) -> None:
    pytest.importorskip("mctx")
    page = (Path(__file__).parents[3] / "docs/envs/jax.md").read_text()
    names: dict[str, Any] = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
    assert capsys.readouterr().out == "(1024, 6, 8, 8) [1 1 1 1]\n(64, 1024, 59) (64, 1024, 2)\n0\n"


def winnable(env: Any, number: int) -> Any:
    """Positions of random games with three legal actions or more, of which at least one wins."""

    def step(state: Any, _: Any) -> Any:
        after = env.step(state)
        return after, (state, after.rewards.any(axis=1) & (state.legal_action_mask.sum(axis=1) > 2))

    _, (states, is_found) = jax.lax.scan(step, env.init(keys(256)), length=120)
    return jax.tree.map(lambda leaf: leaf[is_found][:number], states)
