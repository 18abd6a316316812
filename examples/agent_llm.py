"""An agent that asks a language model at any endpoint that speaks OpenAI's chat completions.

ludus serve                                                                               in one terminal
OPENAI_API_KEY=… python examples/agent_llm.py --endpoint https://…/v1 --model NAME        in another
"""

import argparse
import os
import random
import re

import httpx2

from ludus.client import Action, Agent, GameOver, View, run
from ludus.wire import text_codec

TRIES = 3
SYSTEM = """You play {game} against another program. In each message you see the board and the legal moves, numbered.
Think briefly. Then end with one line: `move: N`, where N is the number of your move."""


def prompt(game: str, view: View) -> str:
    text = text_codec(game)
    return f"{text.side(view)}\n{text.turn(view)}"


def chosen(text: str, view: View) -> Action | None:
    """The move whose number the model gave, if there is one."""
    numbers = re.findall(r"move:\s*(\d+)", text, re.IGNORECASE) or re.findall(r"\d+", text)[-1:]
    number = int(numbers[-1]) if numbers else 0
    return view["legalMoves"][number - 1] if 1 <= number <= len(view["legalMoves"]) else None


def agent_with(endpoint: str, model: str, game: str) -> Agent:
    key = os.environ.get("OPENAI_API_KEY", "")
    client = httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"} if key else {}, timeout=120)

    async def say(messages: list[dict]) -> str:
        question = {"model": model, "messages": messages}
        answer = await client.post(f"{endpoint.rstrip('/')}/chat/completions", json=question)
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]["content"] or ""

    async def agent(view: View) -> Action:
        messages = [
            {"role": "system", "content": SYSTEM.format(game=game)},
            {"role": "user", "content": prompt(game, view)},
        ]
        for _ in range(TRIES):
            text = await say(messages)
            if move := chosen(text, view):
                return move
            correction = f"That is not a move. Answer with `move: N`, N from 1 to {len(view['legalMoves'])}."
            messages += [{"role": "assistant", "content": text}, {"role": "user", "content": correction}]
        print("the model gave no move; playing a random one")
        return random.choice(view["legalMoves"])

    return agent


def tell(over: GameOver) -> None:
    print(f"{over.outcome} ({over.reason}), rating {over.rating.after:.0f}" if over.rating else over.outcome)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Play in the arena with a language model.")
    parser.add_argument("--endpoint", default="https://api.openai.com/v1", help="where chat completions are")
    parser.add_argument("--model", required=True, help="the model's name at the endpoint")
    parser.add_argument("--url", default="http://127.0.0.1:8000", help="the arena")
    parser.add_argument("--game", default="backgammon", help="which game")
    parser.add_argument("--name", default="Model Mia", help="the agent's name; must be unique")
    parser.add_argument("--matches", type=int, default=1, help="how many matches")
    parser.add_argument("--opponent", help="house:easy, house:medium or house:hard; by default any waiting opponent")
    options = vars(parser.parse_args())
    run(agent_with(options.pop("endpoint"), options["model"], options["game"]), **options, tell=tell)
