"""# backgammon_v0

Backgammon for two agents, one action per man moved. The mask is exact: an action is legal if and only if it starts or
continues a legal play, which uses both dice if possible.

![A game of backgammon](../images/backgammon.svg)

| | |
|---|---|
| import | `from ludus.envs import backgammon_v0` |
| make | `backgammon_v0.env()`, `backgammon_v0.raw_env()`, or `pettingzoo.make("aec", "ludus/backgammon-v0")` after `import ludus.envs` |
| batch | `ludus.envs.batch("backgammon", num_envs)`; see [batches](batch.md) |
| Gymnasium | `gymnasium.make("ludus/Backgammon-v0")`; see [Gymnasium](gymnasium.md) |
| agents | `["player_0", "player_1"]`, white and black; the opening roll decides who starts |
| parallel API | no: the agents act in turn |
| manual control | [yes](#manual-control) |
| action shape, values | one integer, 0 to 155, or 0 to 3059 with `plays=True` |
| observation shape, values | (59,), 0 to 15 for men, 0 to 4 for dice, 0 and 1 for the player, `int8` |
| action mask shape, values | (156,) or (3060,), 0 and 1, `int8` |
| action space | `Discrete(156)`, or `Discrete(3060)` with `plays=True` |
| observation space | `Dict(observation=Box(0, high, (59,), int8), action_mask=Box(0, 1, (156,) or (3060,), int8))`; `high` is 15 for men, 4 for dice, 1 for the player |

## Usage

```python
>>> from ludus.envs import backgammon_v0
>>> env = backgammon_v0.env(scoring="points")
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
| `scoring` | `"win"` pays 1 for a win, `"points"` pays 1, 2 or 3 for a single game, a gammon or a backgammon |
| `variant` | `"standard"`, `"printed"`, `"nackgammon"` or `"hypergammon"` |
| `plays` | True makes an action a whole play |
| `legal_moves` | True lists the legal actions in `infos[agent]["legal_moves"]`; False, the default, leaves them to the mask |

`reset(options={"position": "XGID=..."})` starts from an XGID, or from a GNU position ID with `player_0` on roll. A
position with a cube or a match score is refused; use [backgammon_v1](backgammon_v1.md) for those. Other options are
ignored, as PettingZoo requires. Environments can be copied and pickled in mid-game.

The dice depend only on the seed of `reset`: the same seed gives the same dice, which are also those of game 0 of
`ludus.envs.batch("backgammon", n, seed=seed)`.

## Manual control

`python -m ludus.envs.manual_policy backgammon-v0` plays a game in the terminal: you are `player_0`, and `player_1` acts at random.
Type plays such as `8/5 6/5` and `bar/20*`; `moves` lists the actions, `quit` leaves. `--variant nackgammon` starts from another
position.

In a program, use `backgammon_v0.ManualPolicy(env)`, as in [checkers_v3](checkers_v3.md#manual-control).

## The fast loop

`env()` checks every call; `raw_env()` doesn't, and takes half the time.

```python
>>> import numpy as np
>>> env, rng = backgammon_v0.raw_env(), np.random.default_rng(42)
>>> env.reset(seed=42)
>>> while not env.terminations["player_0"]:
...     mask = env.observe(env.agent_selection)["action_mask"]
...     env.step(rng.choice(mask.nonzero()[0]))
>>> env.rewards["player_0"] in (-1, 0, 1)
True

```

[Batches](batch.md) play thousands of games at once, hundreds of times as fast:

```python
>>> from ludus.envs import batch
>>> games = batch("backgammon", 1024, seed=42)
>>> for _ in range(100):
...     step = games.step(games.sample())
>>> step.observation.shape, step.action_mask.shape
((1024, 59), (1024, 156))

```

## Observation

Both sides' men, with places numbered from the observing agent's side: place 0 is the bar, places 1 to 24 are the points
from its far end (place p is its point 25 - p), and place 25 is off.

| index | holds | at most |
|---|---|---|
| 0 to 25 | own men on places 0 to 25 | 15 |
| 26 to 31 | how many dice of 1, 2, ... 6 are left to play | 4 |
| 32 | the opponent's men on its bar | 15 |
| 33 to 56 | the opponent's men on the agent's places 1 to 24 | 15 |
| 57 | the opponent's men off | 15 |
| 58 | whose turn it is: 0 for `player_0`, 1 for `player_1` | 1 |

## Action mask

`observation["action_mask"]` has a 1 for each legal action of the agent to move, and is all zeros for the other. It is
exact: a step that would leave the other die unplayable is masked out if another play uses both.

## Actions

`action = source * 6 + die - 1`: the man on place `source` moves by `die`.

| source | is | actions |
|---|---|---|
| 0 | the bar | 0 to 5 |
| p = 1 to 24 | the agent's point 25 - p | 6p to 6p + 5 |
| 25 | not a place: action 150 is the pass, legal only if nothing else is; 151 to 155 are never legal | 150 |

So 6 to 11 move a man from the 24-point, 114 to 119 from the 6-point, 144 to 149 from the ace point. A turn takes up to
two actions, four after a double; the same agent is selected until it is over. If the remaining dice can't be played, the
turn ends automatically; the pass is only for turns in which nothing can be played.

With `plays=True` an action is the index of a whole play in the list of legal ones, in the order of
`rules.moves(position)`; there are never more than 3,060.

## Rewards

| | winner | loser |
|---|---|---|
| `scoring="win"` | +1 | -1 |
| `scoring="points"` | +1, +2, +3 | -1, -2, -3 |
| illegal action | | -1 (the other gets 0) |

## Termination

The first side to bear off all its men wins. The `infos` of both agents then have `winner` and `reason` (`borne_off` or
`illegal_move`). After an illegal action, the agent that made it keeps its mask; `env()` selects `player_0` next, while
`raw_env()` leaves that agent selected.

## Differences from the original

PettingZoo's `backgammon_v3` hid the dice, changed state in `observe()` and got most doubles wrong. This is a different
environment, not a fixed version of it.

## Version history

* v0: first version (Ludus 0.1.0); `infos` list the legal actions only with `legal_moves=True` (0.2.0); illegal actions
  are handled as in PettingZoo's `checkers_v3` (after 0.2.0)
"""

from __future__ import annotations

from ludus.envs.aec import LudusEnv, wrapping
from ludus.envs.backgammon.encoding import BackgammonPlays
from ludus.envs.manual_policy import ManualPolicy
from ludus.envs.simulator import Simulator

__all__ = ["ManualPolicy", "env", "raw_env"]


def raw_env(
    *,
    render_mode: str | None = None,
    max_cycles: int | None = None,
    scoring: str = "win",
    variant: str = "standard",
    plays: bool = False,
    legal_moves: bool = False,
) -> LudusEnv:
    return LudusEnv(
        "backgammon_v0",
        BackgammonPlays("backgammon_v0", variant) if plays else Simulator("backgammon_v0", variant),
        render_mode=render_mode,
        max_cycles=max_cycles,
        scoring=scoring,
        legal_moves=legal_moves,
    )


env = wrapping(raw_env)
