"""A language model's side: the SDK's client, and a player that takes the first legal move."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

READY = "The tools are at "


class Model:
    def __init__(self, client: Client, **always: Any) -> None:
        """`always` is passed with every call that is not public."""
        self.client = client
        self.always = always

    async def call(self, tool: str, **arguments: Any) -> str:
        """The text of a successful call."""
        text, is_error = await self._call(tool, arguments)
        assert not is_error, text
        return text

    async def fail(self, tool: str, **arguments: Any) -> str:
        """The text of a failed call."""
        text, is_error = await self._call(tool, arguments)
        assert is_error, text
        return text.removeprefix(f"Error executing tool {tool}: ")

    async def _call(self, tool: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        is_public = tool in ("register_agent", "list_games", "get_rules", "get_strategy", "list_tournaments")
        answer = await self.client.call_tool(tool, arguments if is_public else {**self.always, **arguments})
        assert answer.structured_content is None, "this would repeat the text"
        return "".join(getattr(part, "text", "") for part in answer.content), bool(answer.is_error)

    async def play(self) -> tuple[int, str]:
        """Plays the first legal move every turn; returns the number of turns and the last answer."""
        text, turns = await self.call("get_turn"), 0
        while "game_over" not in text:
            if "your_turn" in text:
                turns += 1
                text = await self.call("take_turn", action="1")
            else:
                text = await self.call("get_turn")
        return turns, text

    async def tools(self) -> dict[str, dict[str, Any]]:
        return {tool.name: tool.input_schema for tool in (await self.client.list_tools()).tools}


def command(*options: str) -> list[str]:
    return [sys.executable, "-m", "ludus", "mcp", *options]


@asynccontextmanager
async def over_stdio(url: str, keys: Path, *options: str) -> AsyncIterator[Model]:
    program, *words = command("--url", url, "--keys", str(keys), *options)
    async with Client(StdioServerParameters(command=program, args=words, env=dict(os.environ))) as client:
        yield Model(client)


@contextmanager
def served(url: str, *options: str) -> Iterator[str]:
    """The address of tools served over HTTP."""
    words = command("--url", url, "--transport", "http", "--port", "0", *options)
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout
        try:
            line = process.stdout.readline()
            assert line.startswith(READY), line
            yield line.removeprefix(READY).strip()
        finally:
            process.terminate()


@asynccontextmanager
async def over_http(address: str) -> AsyncIterator[Model]:
    async with Client(address) as client:
        yield Model(client)
