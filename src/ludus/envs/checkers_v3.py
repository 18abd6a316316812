"""# checkers_v3

English draughts for two agents: a drop-in replacement for `pettingzoo.classic.checkers_v3` (PettingZoo 1.8.0 to 1.20.1) on
today's PettingZoo API, with correct rules.

| | |
|---|---|
| import | `from ludus.envs import checkers_v3` |
| make | `checkers_v3.env()`, `checkers_v3.raw_env()`, or `pettingzoo.make("aec", "ludus/checkers-v3")` after `import ludus.envs` |
| agents | `["player_0", "player_1"]`, black and white; black moves first |
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
| `legal_moves` | True, the default, lists the legal ids in `infos`; False leaves them out, as TorchRL and Tianshou need it |

`reset(options={"position": "B:W18,24,K10:B12,16,K22"})` starts from a FEN; other options are ignored, as PettingZoo
requires. Environments can be copied and pickled in mid-game.

## Observation

The board from the observing agent's side: its own men start in rows 0 to 2 and move towards larger rows. For `player_1` the
board is rotated by 180 degrees, rows and columns. Even rows use odd columns, odd rows even ones.

| plane | 1 where there is |
|---|---|
| 0 | an own man |
| 1 | an own king |
| 2 | an opponent's man |
| 3 | an opponent's king |

`action_mask` has a 1 for each legal action of the agent to move, and is all zeros for the other.

## Actions

`action % 64` is the square the piece leaves, row * 8 + column, numbered as in the observation. `action // 64` is the
direction. Whether that is a step or a jump follows from the board.

| `action // 64` | direction | row, column |
|---|---|---|
| 0 | north-west | -1, -1 |
| 1 | north-east | -1, +1 |
| 2 | south-west | +1, -1 |
| 3 | south-east | +1, +1 |

Jumps are forced. A chain takes one action per jump: the same agent is selected again, and the mask holds only that piece's
jumps. A man that reaches the far row is crowned, and the turn ends. Only 98 ids can ever be legal; both players' first
legal actions are 145, 147, 149, 151, 209, 211 and 213.

`infos[agent]["legal_moves"]` lists the legal ids, and so does `infos[agent]["legal moves"]`, the spelling on the original's
page. Lists that change their length break libraries that store `infos` in arrays: TorchRL's `PettingZooWrapper` and
Tianshou's `Collector` take `checkers_v3.env(legal_moves=False)`, and read the mask.

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

## Differences from the original

| there | here |
|---|---|
| white's illegal move in `raw_env` counted as white's win | it loses: -1, and 0 for the other |
| no draws and no truncation, so some games never ended | forty moves, repetition, `max_cycles` |
| `infos` documented but empty | `legal_moves` and `legal moves`, and how the game ended |
| `reset(return_info=True)` returned None | today's API: `reset(seed, options)`, then `last()` |
| instances shared a cache | nothing is shared |
| `dones`; `last()` returned four values | `terminations` and `truncations`; `last()` returns five |
| options by position | by name: `env(render_mode="ansi")` |

These four planes don't show an unfinished chain or the draw counter; `checkers_v4` does.

## Version history

* v3: as in PettingZoo 1.20.1, with its bugs fixed (Ludus 0.1.0)
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
