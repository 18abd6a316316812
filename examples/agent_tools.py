"""An agent that plays through tools, as agent frameworks such as LangChain do it: the model calls, the loop answers.

ludus serve                                                            in one terminal
python examples/agent_tools.py                                         in another: a model made of rules, offline
python examples/agent_tools.py --model my_module:my_model              yours

A model is a function `(messages, tools) -> message`. Messages and tools have the shape that chat completion APIs share:
a message of the model has `content`, and `tool_calls` with `id`, `name` and `arguments`.
"""

import argparse
import importlib
import random
import re
from collections.abc import Callable
from typing import Any

from ludus.client import Action, Agent, GameOver, View, run
from ludus.wire import text_codec

Message = dict[str, Any]
Model = Callable[[list[Message], list[dict[str, Any]]], Message]

MOST_STEPS = 8
"""Messages of the model for one move; then a random move is made."""
SYSTEM = "You play {game} in an arena. Look at the board, list the legal moves, and play one of them by its number."
TOOLS = [
    {
        "name": "look_at_board",
        "description": "The board as text, with your side, the dice and the last move.",
        "parameters": {"type": "object", "properties": {}},
    },
    {
        "name": "list_legal_moves",
        "description": "The legal moves of this turn, numbered.",
        "parameters": {"type": "object", "properties": {}},
    },
    {
        "name": "play_move",
        "description": "Makes the move with this number; it ends your turn.",
        "parameters": {
            "type": "object",
            "properties": {"number": {"type": "integer", "minimum": 1}},
            "required": ["number"],
        },
    },
]


class Turn:
    """One turn: what the tools do, and the move that the model has chosen."""

    def __init__(self, game: str, view: View) -> None:
        self._text, self._view = text_codec(game), view
        self.chosen: Action | None = None

    def call(self, name: str, arguments: dict[str, Any]) -> str:
        match name:
            case "look_at_board":
                return f"{self._text.side(self._view)}\n{self._text.board(self._view)}"
            case "list_legal_moves":
                moves = self._text.moves(self._view["legalMoves"])
                return "\n".join(f"{number}. {move}" for number, move in enumerate(moves, start=1))
            case "play_move":
                return self._play(arguments.get("number"))
        return f"There is no tool {name}."

    def _play(self, number: object) -> str:
        moves = self._view["legalMoves"]
        if not isinstance(number, int) or not 1 <= number <= len(moves):
            return f"number must be from 1 to {len(moves)}"
        self.chosen = moves[number - 1]
        return "played"


def agent_with(model: Model, game: str) -> Agent:
    def agent(view: View) -> Action:
        turn = Turn(game, view)
        messages: list[Message] = [
            {"role": "system", "content": SYSTEM.format(game=game)},
            {"role": "user", "content": "It is your turn."},
        ]
        for _ in range(MOST_STEPS):
            answer = model(messages, TOOLS)
            messages.append({"role": "assistant", **answer})
            for call in answer.get("tool_calls", []):
                result = turn.call(call["name"], call["arguments"])
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
                if turn.chosen is not None:
                    return turn.chosen
        print("the model made no move; playing a random one")
        return random.choice(view["legalMoves"])

    return agent


def rule_model(messages: list[Message], tools: list[dict[str, Any]]) -> Message:
    """Stands in for a language model: asks for the moves, and prefers captures and the far end of the list."""
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if len(results) < 2:
        name = tools[len(results)]["name"]
        return {"content": "", "tool_calls": [{"id": str(len(results)), "name": name, "arguments": {}}]}
    lines = results[1].splitlines()
    chosen = max(lines, key=lambda line: (len(re.findall(r"[x*]", line)), int(line.split(".")[0])))
    number = int(chosen.split(".")[0])
    return {"content": "", "tool_calls": [{"id": "2", "name": "play_move", "arguments": {"number": number}}]}


def model_named(name: str) -> Model:
    module, _, function = name.partition(":")
    found: Model = getattr(importlib.import_module(module), function)
    return found


def tell(over: GameOver) -> None:
    rating = f", rating {over.rating.after:.0f}" if over.rating else ""
    print(f"{over.outcome} ({over.reason}){rating}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play in the arena with a model that calls tools.")
    parser.add_argument("--model", help="MODULE:FUNCTION; by default a few rules")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the arena")
    parser.add_argument("--game", default="checkers", help="which game")
    parser.add_argument("--name", default="Tool Tom", help="the agent's name; must be unique")
    parser.add_argument("--opponent", default="house:easy", help="house:easy, house:medium or house:hard")
    options = vars(parser.parse_args())
    named = options.pop("model")
    run(agent_with(model_named(named) if named else rule_model, options["game"]), **options, tell=tell)
