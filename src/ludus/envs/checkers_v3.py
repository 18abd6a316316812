"""# checkers_v3

English draughts for two agents: a drop-in replacement for `pettingzoo.classic.checkers_v3` (PettingZoo 1.8.0 to 1.20.1) on
today's PettingZoo API, with correct rules.

![A game of checkers](../images/checkers.svg)

| | |
|---|---|
| import | `from ludus.envs import checkers_v3` |
| make | `checkers_v3.env()`, `checkers_v3.raw_env()`, or `pettingzoo.make("aec", "ludus/checkers-v3")` after `import ludus.envs` |
| batch | with the planes of [checkers_v4](checkers_v4.md): `ludus.envs.batch("checkers", num_envs)`; see [batches](batch.md) |
| Gymnasium | the same planes: `gymnasium.make("ludus/Checkers-v0")`; see [Gymnasium](gymnasium.md) |
| agents | `["player_0", "player_1"]`, black and white; black moves first |
| parallel API | no: the agents act in turn |
| manual control | [yes](#manual-control) |
| action shape, values | one integer, 0 to 255 |
| observation shape, values | (8, 8, 4), 0 and 1, `float64` |
| action mask shape, values | (256,), 0 and 1, `int8` |
| action space | `Discrete(256)` |
| observation space | `Dict(observation=Box(0, 1, (8, 8, 4), float64), action_mask=Box(0, 1, (256,), int8))` |

## Usage

```python
>>> from ludus.envs import checkers_v3
>>> env = checkers_v3.env()
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
| `render_mode` | `"human"`, `"ansi"`, `"rgb_array"` or None |
| `max_cycles` | both agents are truncated after this many actions; None, the default, means never |
| `legal_moves` | True, the default, lists the legal ids in `infos`; False leaves them out, which TorchRL and Tianshou need |

`reset(options={"position": "B:W18,24,K10:B12,16,K22"})` starts from a FEN; other options are ignored, as PettingZoo
requires. Environments can be copied and pickled in mid-game.

## Manual control

`python -m ludus.envs.manual_policy checkers-v3` plays a game in the terminal: you are `player_0`, and `player_1` acts at random.
Type moves such as `11-15` and `15x22`; `moves` lists the actions, `quit` leaves.

In a program, a `ManualPolicy` acts for one agent, as PettingZoo's manual policies do:

```python
from ludus.envs import checkers_v3

env = checkers_v3.env(render_mode="human")
env.reset(seed=42)
manual_policy = checkers_v3.ManualPolicy(env, agent_id=0)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        action = None
    elif agent == manual_policy.agent:
        action = manual_policy(observation, agent)
    else:
        action = env.action_space(agent).sample(observation["action_mask"])
    env.step(action)
```

## The fast loop

`env()` checks every call; `raw_env()` doesn't, and takes half the time.

```python
>>> import numpy as np
>>> env, rng = checkers_v3.raw_env(legal_moves=False), np.random.default_rng(42)
>>> env.reset(seed=42)
>>> while not env.terminations["player_0"]:
...     mask = env.observe(env.agent_selection)["action_mask"]
...     env.step(rng.choice(mask.nonzero()[0]))
>>> env.rewards["player_0"] in (-1, 0, 1)
True

```

[Batches](batch.md) play thousands of games at once, hundreds of times as fast, with the planes
of [checkers_v4](checkers_v4.md):

```python
>>> from ludus.envs import batch
>>> games = batch("checkers", 1024, seed=42)
>>> for _ in range(100):
...     step = games.step(games.sample())
>>> step.observation.shape, step.action_mask.shape
((1024, 6, 8, 8), (1024, 256))

```

## Observation

The board from the observing agent's side: its own men start in rows 0 to 2 and move towards larger rows. For `player_1` the
board is rotated by 180 degrees, rows and columns. Even rows use odd columns, odd rows even ones.

| plane | 1 where there is |
|---|---|
| 0 | an own man |
| 1 | an own king |
| 2 | an opponent's man |
| 3 | an opponent's king |

## Action mask

`observation["action_mask"]` has a 1 for each legal action of the agent to move, and is all zeros for the other. It is
exact: jumps are forced, and in a chain only that piece's jumps are legal.

`infos[agent]["legal_moves"]` lists the same ids, and so does `infos[agent]["legal moves"]`, the spelling on the
original's page. Lists of varying length break libraries that store `infos` in arrays: for TorchRL's `PettingZooWrapper`
and Tianshou's `Collector`, use `checkers_v3.env(legal_moves=False)`; they read the mask. [Other
libraries](libraries.md) has recipes for these and more.

## Actions

`action % 64` is the square the piece leaves, row * 8 + column, numbered as in the observation. `action // 64` is the
direction. The board determines whether that is a step or a jump.

| `action // 64` | direction | row, column |
|---|---|---|
| 0 | north-west | -1, -1 |
| 1 | north-east | -1, +1 |
| 2 | south-west | +1, -1 |
| 3 | south-east | +1, +1 |

Jumps are forced. A chain takes one action per jump: the same agent is selected again, and the mask holds only that piece's
jumps. A man that reaches the far row is crowned, and the turn ends. Only 98 ids can ever be legal; both players' first
legal actions are 145, 147, 149, 151, 209, 211 and 213.

## Rewards

| | winner | loser |
|---|---|---|
| no pieces or no legal move left | +1 | -1 |
| draw | 0 | 0 |
| illegal action | | -1 (the other gets 0) |

## Termination

A side to move without a legal move loses. Forty moves by each side without a capture or a man's move are a draw, and so is
a position that occurs for the third time with the same side to move. The `infos` of both agents then have `winner` (an
agent or None) and `reason`: `no_moves`, `no_pieces`, `forty_moves`, `repetition` or `illegal_move`.

An illegal action ends the game as in the original: the agent that made it keeps its mask; `env()` selects `player_0`
next, while `raw_env()` leaves that agent selected.

## Differences from the original

| there | here |
|---|---|
| in `raw_env` any illegal move scored -1 for `player_0` and +1 for `player_1`, no matter who made it | -1 for its agent, 0 for the other, as in `env` |
| no draws and no truncation, so some games never ended | forty moves, repetition, `max_cycles` |
| `infos` documented but empty | `legal_moves` and `legal moves`, and how the game ended |
| `reset(return_info=True)` returned None | today's API: `reset(seed, options)`, then `last()` |
| instances shared a cache | nothing is shared |
| `dones`; `last()` returned four values | `terminations` and `truncations`; `last()` returns five |
| options by position | by name: `env(render_mode="ansi")` |

These four planes don't show an unfinished chain, the draw counter or repetitions; `checkers_v4` shows the first two, and
`checkers_v5` all of them.

## Version history

* v3 in Ludus: as in PettingZoo 1.20.1, with its bugs fixed (Ludus 0.1.0); illegal actions are handled as there (after
  0.2.0)
* v3: `observe` can be called at any time (PettingZoo 1.8.0)
* v2: the observation has a mask of the legal actions, instead of a list in `infos` (PettingZoo 1.5.0)
* v1: agents that are done are iterated over once more (PettingZoo 1.4.0)
* v0: first version (PettingZoo 1.0.0)
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ludus.envs.aec import LudusEnv, wrapping
from ludus.envs.checkers.encoding import CheckersPlanes
from ludus.envs.manual_policy import ManualPolicy

__all__ = ["ManualPolicy", "env", "raw_env"]


def raw_env(*, render_mode: str | None = None, max_cycles: int | None = None, legal_moves: bool = True) -> LudusEnv:
    return CheckersV3(
        "checkers_v3",
        CheckersPlanes(4, np.float64),
        render_mode=render_mode,
        max_cycles=max_cycles,
        legal_moves=legal_moves,
    )


class CheckersV3(LudusEnv):
    LEGAL_MOVES: ClassVar = ("legal_moves", "legal moves")


env = wrapping(raw_env)
