"""# checkers_v5

[checkers_v4](checkers_v4.md) with everything that decides the game visible. A position draws the game at its third
occurrence, so five more planes show which positions have occurred before and which actions lead to one of them.

![A game of checkers](../images/checkers.svg)

| | |
|---|---|
| import | `from ludus.envs import checkers_v5` |
| make | `checkers_v5.env()`, `checkers_v5.raw_env()`, or `pettingzoo.make("aec", "ludus/checkers-v5")` after `import ludus.envs` |
| batch | `ludus.envs.batch("checkers_v5", num_envs)`; see [batches](batch.md) |
| Gymnasium | `gymnasium.make("ludus/CheckersRepetition-v0")`; see [Gymnasium](gymnasium.md) |
| agents | `["player_0", "player_1"]`, black and white; black moves first |
| parallel API | no: the agents act in turn |
| manual control | [yes](#manual-control) |
| action shape, values | one integer, 0 to 255 |
| observation shape, values | (8, 8, 11), 0 to 80 in plane 5, 0 to 2 in planes 6 to 10, 0 and 1 in the others, `int8` |
| action mask shape, values | (256,), 0 and 1, `int8` |
| action space | `Discrete(256)` |
| observation space | `Dict(observation=Box(0, [1, 1, 1, 1, 1, 80, 2, 2, 2, 2, 2], (8, 8, 11), int8), action_mask=Box(0, 1, (256,), int8))` |

## Usage

```python
>>> from ludus.envs import checkers_v5
>>> env = checkers_v5.env()
>>> env.reset(options={"position": "B:WK32:BK1"})
>>> for action in (193, 193, 10, 10, 193, 193, 10):    # both kings go out and back twice, but for white's last step
...     env.step(action)
>>> observation = env.last()[0]["observation"]
>>> observation[0, 0, 6]                               # this position has occurred once before,
np.int8(1)
>>> observation[1, 2, 7]                               # and that after action 10 twice: it would draw the game
np.int8(2)

```

| option | |
|---|---|
| `render_mode` | `"human"`, `"ansi"`, `"rgb_array"` or None |
| `max_cycles` | both agents are truncated after this many actions; None, the default, means never |
| `legal_moves` | True lists the legal actions in `infos[agent]["legal_moves"]`; False, the default, leaves them to the mask |

`reset(options={"position": "B:W18,24,K10:B12,16,K22"})` starts from a FEN, with no earlier positions; other options are
ignored, as PettingZoo requires. Environments can be copied and pickled in mid-game.

## Manual control

`python -m ludus.envs.manual_policy checkers-v5` plays a game in the terminal: you are `player_0`, and `player_1` acts at random.
Type moves such as `11-15` and `15x22`; `moves` lists the actions, `quit` leaves.

In a program, use `checkers_v5.ManualPolicy(env)`, as in [checkers_v3](checkers_v3.md#manual-control).

## The fast loop

`env()` checks every call; `raw_env()` doesn't, and takes half the time.

```python
>>> import numpy as np
>>> env, rng = checkers_v5.raw_env(), np.random.default_rng(42)
>>> env.reset(seed=42)
>>> while not env.terminations["player_0"]:
...     mask = env.observe(env.agent_selection)["action_mask"]
...     env.step(rng.choice(mask.nonzero()[0]))
>>> env.rewards["player_0"] in (-1, 0, 1)
True

```

[Batches](batch.md) play thousands of games at once, hundreds of times as fast: `batch("checkers_v5", 1024)`.

## Observation

The board from the observing agent's side, as in `checkers_v3`.

| plane | holds |
|---|---|
| 0 to 5 | those of [checkers_v4](checkers_v4.md#observation): both sides' men and kings, the piece in mid-chain, the number of quiet moves |
| 6 | on every square, how often the position has occurred before: 0 or 1, or 2 if that has just drawn the game |
| 7 to 10 | a plane for each direction (north-west, north-east, south-west, south-east): on the square of a piece, how often the position after its step in that direction has occurred: 0, 1, or 2, which draws the game |

Planes 7 to 10 have the shape of the actions: entry `action % 64` of plane `7 + action // 64` belongs to `action`. They
are 0 for illegal actions, and when the game is over. The agent that isn't to move sees the other side's steps there,
with the board turned to its own side.

A position is the same if the same pieces stand on the same squares and the same side is to move. Only kings' steps can
repeat a position: captures and men's moves can't be undone. Together with plane 5 this shows everything that can draw a
game.

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

PettingZoo has no such version. Compared with `checkers_v4`: five more planes. The first six, the actions and the games are
the same.

## Version history

* v5: first version, with repetitions (after 0.2.0)
"""

from __future__ import annotations

import numpy as np

from ludus.envs.aec import LudusEnv, wrapping
from ludus.envs.checkers.encoding import CheckersPlanes
from ludus.envs.checkers.repetition.encoding import PLANES
from ludus.envs.manual_policy import ManualPolicy

__all__ = ["ManualPolicy", "env", "raw_env"]


def raw_env(*, render_mode: str | None = None, max_cycles: int | None = None, legal_moves: bool = False) -> LudusEnv:
    simulator = CheckersPlanes(PLANES, np.int8, "checkers_v5")
    return LudusEnv("checkers_v5", simulator, render_mode=render_mode, max_cycles=max_cycles, legal_moves=legal_moves)


env = wrapping(raw_env)
