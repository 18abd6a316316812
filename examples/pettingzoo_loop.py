"""A game of checkers in PettingZoo's usual loop, both players picking at random.

python examples/pettingzoo_loop.py
"""

from __future__ import annotations

from ludus.envs import checkers_v4


def main() -> None:
    env = checkers_v4.env(render_mode="ansi")
    env.reset(seed=2)
    env.action_space("player_0").seed(2)  # both players share one space
    for agent in env.agent_iter():
        seen, _, is_over, is_cut_short, info = env.last()
        action = None if is_over or is_cut_short else env.action_space(agent).sample(seen["action_mask"])
        env.step(action)
    print(env.render())
    print(f"winner: {info['winner']}, reason: {info['reason']}")


if __name__ == "__main__":
    main()
