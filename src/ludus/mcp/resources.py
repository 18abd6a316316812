"""Resources that a host can attach to a conversation: the arena's guide, and each game's rules and strategy."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from mcp.server.mcpserver.exceptions import ResourceError, ToolError
from mcp.server.mcpserver.resources import FunctionResource, Resource

from ludus.client.arena import Arena
from ludus.games import ABOUT, GAMES
from ludus.mcp.session import Sessions

GUIDE: Final = "ludus://guide"


def listed(sessions: Sessions) -> list[Resource]:
    made: list[Resource] = [
        FunctionResource(
            uri=GUIDE,
            name="guide",
            title="Guide",
            description="Everything an agent in the arena needs to know.",
            mime_type="text/plain",
            fn=partial(_read, sessions, Arena.guide),
        )
    ]
    for game in GAMES:
        title = ABOUT[game].title
        texts = {
            "rules": (f"The rules of {title} and the format of its actions.", Arena.rules),
            "strategy": (f"Advice on how to play {title} well.", Arena.strategy),
        }
        for text, (about, request) in texts.items():
            resource = FunctionResource(
                uri=f"ludus://games/{game}/{text}",
                name=f"{game}-{text}",
                title=f"{title}: {text}",
                description=about,
                mime_type="text/markdown",
                fn=partial(_read, sessions, request, game),
            )
            made.append(resource)
    return made


async def _read(sessions: Sessions, request: Callable[..., Awaitable[str]], *arguments: str) -> str:
    try:
        async with sessions.arena() as arena:
            return await request(arena, *arguments)
    except ToolError as error:
        raise ResourceError(str(error)) from error
