"""The smallest agent served at an address, for a series of games against any other program.

python examples/agent_served.py                                          in one terminal
ludus match backgammon http://127.0.0.1:8766 easy --games 20             in another
"""

import argparse
import random

from ludus.client import Action, View, serve


def agent(view: View) -> Action:
    return random.choice(view["legalMoves"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Answer with random moves.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", type=int, default=8766, help="port to listen on; 0 picks a free one")
    serve(agent, **vars(parser.parse_args()))
