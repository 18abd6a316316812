"""# checkers_v4

`checkers_v3` with two more planes, which show the piece in the middle of a chain and how close the forty-move draw is,
and with small integers instead of floats. It doesn't show repetitions, which draw a game too;
[checkers_v5](checkers_v5.md) does.

![A game of checkers](../images/checkers.svg)

| | |
|---|---|
| import | `from ludus.envs import checkers_v4` |
| make | `checkers_v4.env()`, `checkers_v4.raw_env()`, or `pettingzoo.make("aec", "ludus/checkers-v4")` after `import ludus.envs` |
| batch | `ludus.envs.batch("checkers", num_envs)`; see [batches](batch.md) |
| Gymnasium | `gymnasium.make("ludus/Checkers-v0")`; see [Gymnasium](gymnasium.md) |
| agents | `["player_0", "player_1"]`, black and white; black moves first |
| parallel API | no: the agents act in turn |
| manual control | [yes](#manual-control) |
| action shape, values | one integer, 0 to 255 |
| observation shape, values | (8, 8, 6), 0 and 1, in plane 5 0 to 80, `int8` |
| action mask shape, values | (256,), 0 and 1, `int8` |
| action space | `Discrete(256)` |
| observation space | `Dict(observation=Box(0, [1, 1, 1, 1, 1, 80], (8, 8, 6), int8), action_mask=Box(0, 1, (256,), int8))` |

## Usage

```python
>>> from ludus.envs import checkers_v4
>>> env = checkers_v4.env(max_cycles=200)
>>> env.reset(seed=42)
>>> env.last()[0]["observation"].shape
(8, 8, 6)

```

| option | |
|---|---|
| `render_mode` | `"human"`, `"ansi"`, `"rgb_array"` or None |
| `max_cycles` | both agents are truncated after this many actions; None, the default, means never |
| `legal_moves` | True lists the legal actions in `infos[agent]["legal_moves"]`; False, the default, leaves them to the mask |

`reset(options={"position": "B:W18,24,K10:B12,16,K22"})` starts from a FEN; other options are ignored, as PettingZoo
requires. Environments can be copied and pickled in mid-game.

## Manual control

`python -m ludus.envs.manual_policy checkers-v4` plays a game in the terminal: you are `player_0`, and `player_1` acts at random.
Type moves such as `11-15` and `15x22`; `moves` lists the actions, `quit` leaves.

In a program, use `checkers_v4.ManualPolicy(env)`, as in [checkers_v3](checkers_v3.md#manual-control).

## The fast loop

`env()` checks every call; `raw_env()` doesn't, and takes half the time.

```python
>>> import numpy as np
>>> env, rng = checkers_v4.raw_env(), np.random.default_rng(42)
>>> env.reset(seed=42)
>>> while not env.terminations["player_0"]:
...     mask = env.observe(env.agent_selection)["action_mask"]
...     env.step(rng.choice(mask.nonzero()[0]))
>>> env.rewards["player_0"] in (-1, 0, 1)
True

```

[Batches](batch.md) play thousands of games at once, hundreds of times as fast: `batch("checkers", 1024)`.

## Observation

The board from the observing agent's side, as in `checkers_v3`.

| plane | holds |
|---|---|
| 0 to 3 | own men, own kings, opponent's men, opponent's kings: 0 or 1 |
| 4 | 1 on the square of a piece that has jumped and must jump again |
| 5 | on every square, the number of moves by both sides together since the last capture or man's move: 0 to 80; at 80 the game is drawn |

These planes don't show everything: a position draws the game at its third occurrence, but earlier occurrences aren't
visible. Two games with equal observations and actions can therefore have different rewards. Of 103 draws in 3,000 games
between random players, 98 were repetitions. [checkers_v5](checkers_v5.md) adds what is missing.

## Action mask

`observation["action_mask"]` has a 1 for each legal action of the agent to move, and is all zeros for the other.

## Actions

As in `checkers_v3`: `action % 64` is the square, `action // 64` the direction (0 north-west, 1 north-east, 2 south-west,
3 south-east), both from the agent's side.

## Rewards

+1 for the winner, -1 for the loser, 0 for both in a draw. An illegal action gets -1, the other agent 0.

## Termination

As in `checkers_v3`: a side without a legal move loses; forty moves by each side without a capture or a man's move, or a
position that occurs for the third time, are a draw. `infos` have `winner` and `reason`.

## Differences from the original

PettingZoo has no such version. Compared with `checkers_v3`: two more planes, int8 instead of float64, and no legal moves in
`infos` by default.

## Version history

* v5: [repetitions](checkers_v5.md) are visible (after 0.2.0)
* v4: first version (Ludus 0.1.0); `infos` list the legal actions only with `legal_moves=True` (0.2.0)
"""

from __future__ import annotations

import numpy as np

from ludus.envs.aec import LudusEnv, wrapping
from ludus.envs.checkers.encoding import CheckersPlanes
from ludus.envs.manual_policy import ManualPolicy

__all__ = ["ManualPolicy", "env", "raw_env"]


def raw_env(*, render_mode: str | None = None, max_cycles: int | None = None, legal_moves: bool = False) -> LudusEnv:
    simulator = CheckersPlanes(6, np.int8)
    return LudusEnv("checkers_v4", simulator, render_mode=render_mode, max_cycles=max_cycles, legal_moves=legal_moves)


env = wrapping(raw_env)
