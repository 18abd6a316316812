"""An agent that plays with a built-in engine, or with a player of your own.

ludus serve                                                                    in one terminal
python examples/agent_engine.py --engine hard                                  in another
python examples/agent_engine.py --engine policy.npz --game checkers            or like this
"""

import argparse
import random
from typing import Any

from ludus import GAMES
from ludus.client import Action, Agent, GameOver, View, run
from ludus.core.rules import Rules
from ludus.engines import ENGINES, OWN_LIMIT
from ludus.players import find_player
from ludus.wire import codec


class Memory:
    """The positions of the match so far: a view has only the current one, and a threefold repetition may be a draw."""

    def __init__(self, rules: Rules[Any, Any]) -> None:
        self._rules = rules
        self.past: list[Any] = []

    def look(self, position: Any) -> None:
        """Forgets positions that do not lead here: a refused move, or another match."""
        if self.past[-2:-1] == [position]:
            del self.past[-2:]
        elif not self.past or position not in self._next_positions():
            self.past.clear()

    def _next_positions(self) -> list[Any]:
        last = self.past[-1]
        return [self._rules.play(last, move) for move in self._rules.moves(last)]

    def keep(self, position: Any, move: Any) -> None:
        self.past += [position, self._rules.play(position, move)]


def agent_with(name: str, game: str) -> Agent:
    rules, player, rng = GAMES[game], find_player(name, game), random.Random()
    arena = codec(game).arena
    memory = Memory(rules)

    def agent(view: View) -> Action:
        position = arena.position(view)
        memory.look(position)
        move = player.choose(rules, position, OWN_LIMIT, rng, memory.past)
        memory.keep(position, move)
        return arena.action(position, move)

    return agent


def tell(over: GameOver) -> None:
    print(f"{over.outcome} ({over.reason}), rating {over.rating.after:.0f}" if over.rating else over.outcome)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play in the arena with an engine.")
    engines = ", ".join(ENGINES)
    parser.add_argument("--engine", default="medium", help=f"{engines}, a file (.npz), or module:function")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the arena")
    parser.add_argument("--game", default="backgammon", choices=GAMES, help="which game")
    parser.add_argument("--name", default="Engine Emil", help="the agent's name; must be unique")
    parser.add_argument("--matches", type=int, default=1, help="how many matches")
    parser.add_argument("--opponent", help="house:easy, house:medium or house:hard; by default any waiting opponent")
    options = vars(parser.parse_args())
    run(agent_with(options.pop("engine"), options["game"]), **options, tell=tell)
