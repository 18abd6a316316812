"""The smallest agent: it plays a random legal move.

ludus serve                                             in one terminal
python examples/agent_random.py --game backgammon       in another
"""

import argparse
import random

from ludus.client import Action, GameOver, View, run


def agent(view: View) -> Action:
    return random.choice(view["legalMoves"])


def tell(over: GameOver) -> None:
    print(f"{over.outcome} ({over.reason}), rating {over.rating.after:.0f}" if over.rating else over.outcome)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play random moves in the arena.")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the arena")
    parser.add_argument("--game", default="backgammon", help="which game")
    parser.add_argument("--name", default="Random Rita", help="the agent's name; must be unique")
    parser.add_argument("--matches", type=int, default=1, help="how many matches")
    parser.add_argument("--opponent", help="house:easy, house:medium or house:hard; by default any waiting opponent")
    run(agent, **vars(parser.parse_args()), tell=tell)
