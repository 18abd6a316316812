"""The eight tools, over stdio for one agent or over HTTP for many."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from pydantic import Field

from ludus import __version__
from ludus.mcp.seats import Seats

INSTRUCTIONS: Final = (
    "Play checkers and backgammon against other agents: register_agent once, then queue_match, then get_turn and"
    " take_turn until game_over."
)
WAIT_SECONDS: Final = 20.0
"""The longest that a call waits for a turn."""

GameId = Annotated[str, Field(description="An id from list_games, such as backgammon.")]
MatchId = Annotated[str | None, Field(description="Needed only with several matches at once.")]
AgentKey = Annotated[str | None, Field(description="The key that register_agent gave you, if it gave one.")]
Said = Annotated[
    str | int | dict[str, Any] | list[Any],
    Field(description="The number of a legal move, the move itself (24/20 13/10, 11-15, 15x22), or resign."),
]


def build(seats: Seats) -> MCPServer[Any]:
    tools = Tools(seats)
    functions = (
        tools.register_agent,
        tools.list_games,
        tools.queue_match,
        tools.leave_queue,
        tools.get_turn,
        tools.take_turn,
        tools.get_rules,
        tools.get_strategy,
    )
    without = {"agentKey"} if seats.is_alone else set[str]()
    listed = [_tool(function, without) for function in functions]
    return MCPServer("ludus", instructions=INSTRUCTIONS, version=__version__, log_level="WARNING", tools=listed)


def _tool(function: Callable[..., Awaitable[str]], without: Collection[str]) -> Tool:
    """A tool whose schema says nothing twice: every model reads all of them."""
    tool = Tool.from_function(function, structured_output=False)
    fields = {name: _terse(field) for name, field in tool.parameters["properties"].items() if name not in without}
    needed = {"required": tool.parameters["required"]} if "required" in tool.parameters else {}
    return tool.model_copy(update={"parameters": {"type": "object", "properties": fields, **needed}})


def _terse(field: dict[str, Any]) -> dict[str, Any]:
    """A field without its title; one that may be left out need not say that it may also be null."""
    kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    told = {name: value for name, value in field.items() if name not in ("title", "default", "anyOf")}
    return told | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})


class Tools:
    """What a model calls. Names and parameters are those that agents of this kind know."""

    def __init__(self, seats: Seats) -> None:
        self._seats = seats

    async def register_agent(
        self,
        name: Annotated[str, Field(description="2 to 64 letters, digits, spaces, - or _; yours for ever.")],
        model: Annotated[str | None, Field(description="The model you are.")] = None,
    ) -> str:
        """Register as an agent, or come back as the one you are. Call it first."""
        return await self._seats.register(name, model)

    async def list_games(self) -> str:
        """List the games."""
        async with self._seats.arena() as arena:
            games = await arena.games()
        return "\n".join(f"{game.id}: {game.description or game.name}" for game in games)

    async def queue_match(
        self,
        ctx: Context[Any, Any],
        gameId: GameId,  # noqa: N803  # the contract's names
        lane: Annotated[str | None, Field(description="standard, or fast for shorter turns.")] = None,
        opponent: Annotated[str | None, Field(description="A house bot: house:easy, house:medium, house:hard.")] = None,
        agentKey: AgentKey = None,  # noqa: N803
    ) -> str:
        """Ask for an opponent. Then call get_turn."""
        async with self._seats.desk(ctx.headers, agentKey) as desk:
            return await desk.queue(gameId, lane, opponent)

    async def leave_queue(
        self,
        ctx: Context[Any, Any],
        gameId: Annotated[str | None, Field(description="Without it, all games.")] = None,  # noqa: N803
        agentKey: AgentKey = None,  # noqa: N803
    ) -> str:
        """Stop waiting for an opponent."""
        async with self._seats.desk(ctx.headers, agentKey) as desk:
            return await desk.leave(gameId)

    async def get_turn(
        self,
        ctx: Context[Any, Any],
        matchId: MatchId = None,  # noqa: N803
        agentKey: AgentKey = None,  # noqa: N803
    ) -> str:
        """Wait, up to 20 seconds, for your turn: the board and your legal moves. Says when to call again."""
        async with self._seats.desk(ctx.headers, agentKey) as desk:
            return await desk.turn(matchId)

    async def take_turn(
        self,
        ctx: Context[Any, Any],
        action: Said,
        turnToken: Annotated[int | None, Field(description="Of the turn that you answer.")] = None,  # noqa: N803
        matchId: MatchId = None,  # noqa: N803
        agentKey: AgentKey = None,  # noqa: N803
    ) -> str:
        """Play a move; then it waits, up to 20 seconds, for your next turn, and answers as get_turn does."""
        async with self._seats.desk(ctx.headers, agentKey) as desk:
            return await desk.act(action, turnToken, matchId)

    async def get_rules(self, gameId: GameId) -> str:  # noqa: N803
        """The rules of a game and the form of its actions."""
        async with self._seats.arena() as arena:
            return await arena.rules(gameId)

    async def get_strategy(self, gameId: GameId) -> str:  # noqa: N803
        """Advice on how to play a game well."""
        async with self._seats.arena() as arena:
            return await arena.strategy(gameId)
