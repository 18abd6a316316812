"""# backgammon_v1

Backgammon with the doubling cube and matches. The board, the dice and the first 156 actions are those of
[backgammon_v0](backgammon_v0.md); five more actions are cube decisions. Without a cube and outside a match, it is v0
with ten more entries in the observation, all of them 0.

![A game of backgammon](../images/backgammon.svg)

| | |
|---|---|
| import | `from ludus.envs import backgammon_v1` |
| make | `backgammon_v1.env()`, `backgammon_v1.raw_env()`, or `pettingzoo.make("aec", "ludus/backgammon-v1")` after `import ludus.envs` |
| batch | `ludus.envs.batch("backgammon_v1", num_envs)`; see [batches](batch.md) |
| Gymnasium | `gymnasium.make("ludus/BackgammonCube-v0")`; see [Gymnasium](gymnasium.md) |
| agents | `["player_0", "player_1"]`, white and black; the opening roll of each game decides who starts |
| parallel API | no: the agents act in turn |
| manual control | [yes](#manual-control) |
| action shape, values | one integer, 0 to 160, or 0 to 3064 with `plays=True` |
| observation shape, values | (69,), 0 to 25, see [Observation](#observation), `int8` |
| action mask shape, values | (161,) or (3065,), 0 and 1, `int8` |
| action space | `Discrete(161)`, or `Discrete(3065)` with `plays=True` |
| observation space | `Dict(observation=Box(0, high, (69,), int8), action_mask=Box(0, 1, (161,) or (3065,), int8))`; `high` has the greatest value of each entry |

## Usage

```python
>>> from ludus.envs import backgammon_v1
>>> env = backgammon_v1.env(match_length=3)
>>> env.reset(seed=42)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     if termination or truncation:
...         action = None
...     else:
...         action = env.action_space(agent).sample(observation["action_mask"])
...     env.step(action)
>>> env.close()

```

| option | |
|---|---|
| `match_length` | play matches to this many points, 1 to 25; None, the default, means single games for money |
| `cube` | play with the doubling cube; by default matches have one and single games don't |
| `jacoby` | True: gammons and backgammons count only after a double; single games with a cube only |
| `beavers` | True: a player who is doubled may double again at once and keep the cube; single games with a cube only |
| `render_mode` | `"human"`, `"ansi"`, `"rgb_array"` or None |
| `max_cycles` | both agents are truncated after this many actions; None, the default, means never |
| `scoring` | `"win"` pays 1 for a win, `"points"` what the game is worth; see [Rewards](#rewards) |
| `variant` | `"standard"`, `"printed"`, `"nackgammon"` or `"hypergammon"`; it may name the other options too, as in `"standard+match7"` and `"nackgammon+cube+jacoby"` |
| `plays` | True makes an action a whole play |
| `legal_moves` | True lists the legal actions in `infos[agent]["legal_moves"]`; False, the default, leaves them to the mask |

`reset(options={"position": "XGID=..."})` starts from a position. If the position has a cube or a score, the game uses
these and their rules; otherwise it uses the environment's. Later games of a match start from the environment's variant.
Other options are ignored, as PettingZoo requires. Environments can be copied and pickled in mid-game.

The dice depend only on the seed of `reset`: the same seed gives the same dice, which are also those of game 0 of
`ludus.envs.batch("backgammon", n, seed=seed, match_length=3)` and of the [Gymnasium](gymnasium.md) environment
`ludus/BackgammonCube-v0`. The n-th roll is a function of the seed and n, as in v0: cube decisions neither use nor skip
a roll.

## Manual control

`python -m ludus.envs.manual_policy backgammon-v1 --match-length 3` plays a match in the terminal: you are `player_0`,
and `player_1` acts at random. `--cube`, optionally with `--jacoby` and `--beavers`, plays one game with the cube, and
`--variant` starts from another position. Type plays such as `8/5 6/5`, and `roll`, `double`, `take`, `drop` or
`beaver`; `moves` lists the actions, `quit` leaves.

In a program, use `backgammon_v1.ManualPolicy(env)`, as in [checkers_v3](checkers_v3.md#manual-control).

## The fast loop

`env()` checks every call; `raw_env()` doesn't, and takes half the time.

```python
>>> import numpy as np
>>> env, rng = backgammon_v1.raw_env(match_length=3), np.random.default_rng(42)
>>> env.reset(seed=42)
>>> while not env.terminations["player_0"]:
...     mask = env.observe(env.agent_selection)["action_mask"]
...     env.step(rng.choice(mask.nonzero()[0]))
>>> env.rewards["player_0"] in (-1, 0, 1)
True

```

[Batches](batch.md) play thousands of games at once, hundreds of times as fast: `batch("backgammon", 1024, match_length=3)`.

## Observation

The first 59 entries are those of [backgammon_v0](backgammon_v0.md#observation): both sides' men, the dice left and
whose turn it is, from the observing agent's side. During a cube decision there are no dice. The other entries are:

| index | holds | at most |
|---|---|---|
| 59 | the cube's value, as the power of two: 0 for 1, 1 for 2, 2 for 4 | 12 |
| 60 | who may double: 0 both, the cube is in the middle; 1 the agent; 2 the opponent | 2 |
| 61 | what is to be decided: 0 a step with the dice, 1 whether to double, 2 the answer to a double, 3 the answer to a beaver | 3 |
| 62 | the points that the agent needs to win the match; 0 outside one | 25 |
| 63 | the points that the opponent needs | 25 |
| 64 | the length of the match; 0 outside one | 25 |
| 65 | 1 in the Crawford game, in which nobody may double | 1 |
| 66 | 1 if there is a cube | 1 |
| 67 | 1 if the Jacoby rule holds | 1 |
| 68 | 1 if beavers are allowed | 1 |

Entry 58 is the player who has to decide: after a double, the one who was doubled.

## Action mask

`observation["action_mask"]` has a 1 for each legal action of the agent to act, and is all zeros for the other. While
there are dice, the legal actions are steps; otherwise they are cube decisions.

## Actions

| action | is | legal |
|---|---|---|
| 0 to 155 | a step, as in [backgammon_v0](backgammon_v0.md#actions) | while there are dice |
| 156 | roll without doubling | before the roll, where a double is possible |
| 157 | double | the same |
| 158 | take | after a double or a beaver |
| 159 | drop | the same |
| 160 | beaver: double again and keep the cube | after a double, with `beavers=True` |

Where no double is possible, the dice are rolled at once, without an action: before the opening roll, if the opponent
owns the cube, in the Crawford game, if the cube is worth enough to win the match, and if the cube is at 4,096. With
`plays=True` an action is the index of a whole play, as in v0, and the five cube decisions are 3060 to 3064.

## Rewards

| | winner | loser |
|---|---|---|
| `scoring="win"` | +1 | -1 |
| `scoring="points"`, single game | the cube's value × 1, 2 or 3 | the same, negative |
| `scoring="points"`, match | +1 | -1 |
| illegal action | | -1 (the other gets 0) |

A match pays only at its end. A dropped double pays the cube's value before the double.

## Termination

A single game ends when a side has borne off all its men or drops a double. A match ends when a side has enough points.
The games of a match follow one another without a reset. The `infos` of both agents then have `winner` and `reason`
(`borne_off`, `dropped` or `illegal_move`). After an illegal action, the agent that made it keeps its mask; `env()`
selects `player_0` next, while `raw_env()` leaves that agent selected.

## Differences from the original

PettingZoo's `backgammon_v3` had neither cube nor matches; see [backgammon_v0](backgammon_v0.md) for the rest.

## Version history

* v1: cube and matches, ten more entries in the observation and five more actions (after 0.2.0)
"""

from __future__ import annotations

from ludus.envs.aec import LudusEnv, wrapping
from ludus.envs.backgammon.encoding import BackgammonPlays
from ludus.envs.manual_policy import ManualPolicy
from ludus.envs.simulator import Simulator

__all__ = ["ManualPolicy", "env", "raw_env"]


def raw_env(
    *,
    match_length: int | None = None,
    cube: bool | None = None,
    jacoby: bool | None = None,
    beavers: bool | None = None,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    scoring: str = "win",
    variant: str = "standard",
    plays: bool = False,
    legal_moves: bool = False,
) -> LudusEnv:
    simulator = BackgammonPlays if plays else Simulator
    return LudusEnv(
        "backgammon_v1",
        simulator("backgammon_v1", variant, match_length=match_length, cube=cube, jacoby=jacoby, beavers=beavers),
        render_mode=render_mode,
        max_cycles=max_cycles,
        scoring=scoring,
        legal_moves=legal_moves,
    )


env = wrapping(raw_env)
