"""A game of checkers in PettingZoo's usual loop, with two random players.

python examples/pettingzoo_loop.py
"""

from __future__ import annotations

from ludus.envs import checkers_v4


def main() -> None:
    env = checkers_v4.env(render_mode="ansi")
    env.reset(seed=2)
    env.action_space("player_0").seed(2)  # both players share one space
    for agent in env.agent_iter():
        observation, _, termination, truncation, info = env.last()
        is_over = termination or truncation
        action = None if is_over else env.action_space(agent).sample(observation["action_mask"])
        env.step(action)
    print(env.render())
    print(f"winner: {info['winner']}, reason: {info['reason']}")


if __name__ == "__main__":
    main()
