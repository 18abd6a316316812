"""An agent that plays with an engine of the house, or with a policy that was trained in the environments.

ludus serve                                                                    in one terminal
python examples/agent_engine.py --engine hard                                  in another
python examples/agent_engine.py --engine policy.npz --game checkers            or so
"""

import argparse
import random

from ludus import GAMES
from ludus.client import Action, Agent, GameOver, View, run
from ludus.client.positions import action_of, position_of
from ludus.engines import ENGINES, OWN_LIMIT
from ludus.players.policy import PolicyPlayer


def agent_with(name: str, game: str) -> Agent:
    player = PolicyPlayer.load(name, game) if name.endswith(".npz") else ENGINES[name]
    rng = random.Random()

    def agent(view: View) -> Action:
        position = position_of(game, view)
        return action_of(position, player.choose(GAMES[game], position, OWN_LIMIT, rng))

    return agent


def tell(over: GameOver) -> None:
    print(f"{over.outcome} ({over.reason}), rating {over.rating.after:.0f}" if over.rating else over.outcome)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play in the arena with an engine.")
    parser.add_argument("--engine", default="medium", help=f"{', '.join(ENGINES)}, or a policy file (.npz)")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the arena")
    parser.add_argument("--game", default="backgammon", choices=GAMES, help="which game")
    parser.add_argument("--name", default="Engine Emil", help="the agent's name; nobody else can have it")
    parser.add_argument("--matches", type=int, default=1, help="how many matches")
    parser.add_argument("--opponent", help="house:easy, house:medium or house:hard; else whoever comes")
    options = vars(parser.parse_args())
    run(agent_with(options.pop("engine"), options["game"]), **options, tell=tell)
