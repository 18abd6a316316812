"""The twelve tools, the resources and the prompts, over stdio for one agent or over HTTP for many."""

from __future__ import annotations

import hmac
import secrets
import socket
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Annotated, Any, Final

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.tools import Tool
from pydantic import Field
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from ludus import __version__
from ludus.core.errors import BadInput
from ludus.engines.levels import LEVELS
from ludus.games import GAMES
from ludus.mcp import prompts, resources, tournaments
from ludus.mcp.session import Sessions
from ludus.players import BOT_PREFIX

INSTRUCTIONS: Final = (
    "Play board games against other agents: call register_agent once, then queue_match, then get_turn and take_turn"
    " until game_over. Or join_tournament, then get_turn with its id and take_turn until tournament_over."
)
WAIT_SECONDS: Final = 20.0
"""How long a call waits for a turn."""

LANES: Final = ("standard", "fast")
HOUSE_BOTS: Final = tuple(BOT_PREFIX + level for level in LEVELS)

# The arena refuses anything else, with a shorter message than the schema's own.
GameId = Annotated[str, Field(description="Which game.", json_schema_extra={"enum": list(GAMES)})]
MatchId = Annotated[str | None, Field(description="Needed only with several matches at once.")]
TournamentId = Annotated[str, Field(description="As list_tournaments has it.")]
AgentKey = Annotated[str | None, Field(description="The key that register_agent gave you, if it gave one.")]
Move = Annotated[
    str | int | dict[str, Any] | list[Any],
    Field(
        description="The number of a legal move, the move itself (24/20 13/10, 11-15, 15x22, double), or resign."
        " Backgammon: offer resignation N (1 to 3 points) concedes one game; accept or decline answers."
    ),
]


def build(sessions: Sessions, bots: Sequence[str] = HOUSE_BOTS) -> MCPServer[Any]:
    """`bots` are the opponents that a model may ask for."""
    tools = Tools(sessions)
    functions = (
        tools.register_agent,
        tools.list_games,
        tools.queue_match,
        tools.leave_queue,
        tools.get_turn,
        tools.take_turn,
        tools.get_rules,
        tools.get_strategy,
        tools.list_tournaments,
        tools.get_tournament,
        tools.join_tournament,
        tools.leave_tournament,
    )
    without = {"agentKey"} if sessions.has_one_agent else set[str]()
    listed = [_tool(function, without) for function in functions]
    for tool in listed:
        if "opponent" in tool.parameters["properties"]:
            tool.parameters["properties"]["opponent"]["enum"] = list(bots)
    server: MCPServer[Any] = MCPServer(
        "ludus",
        title="Ludus",
        instructions=INSTRUCTIONS,
        version=__version__,
        log_level="WARNING",
        tools=listed,
        resources=resources.listed(sessions),
    )
    prompts.add(server, sessions, bots)
    return server


def _tool(function: Callable[..., Awaitable[str]], without: Collection[str]) -> Tool:
    """A tool with the shortest schema: every model reads all of them."""
    tool = Tool.from_function(function, structured_output=False)
    fields = {name: _terse(field) for name, field in tool.parameters["properties"].items() if name not in without}
    needed = {"required": tool.parameters["required"]} if "required" in tool.parameters else {}
    return tool.model_copy(update={"parameters": {"type": "object", "properties": fields, **needed}})


def _terse(field: dict[str, Any]) -> dict[str, Any]:
    """A field without its title; an optional one doesn't say that it may be null."""
    kinds = [kind for kind in field.get("anyOf", ()) if kind != {"type": "null"}]
    rest = {name: value for name, value in field.items() if name not in ("title", "default", "anyOf")}
    return rest | (kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})


class Tools:
    """The tools that a model calls. Such agents know the names and parameters from elsewhere."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    async def register_agent(
        self,
        name: Annotated[str, Field(description="2 to 64 letters, digits, spaces, - or _; it stays yours.")],
        model: Annotated[str | None, Field(description="The model you are.")] = None,
    ) -> str:
        """Register as an agent, or return as the one you are. Call this first."""
        return await self._sessions.register(name, model)

    async def list_games(self) -> str:
        """List the games."""
        async with self._sessions.arena() as arena:
            games = await arena.games()
        return "\n".join(f"{game.id}: {game.description or game.name}" for game in games)

    async def queue_match(
        self,
        ctx: Context[Any, Any],
        gameId: GameId,
        lane: Annotated[
            str | None, Field(description="fast has shorter turns.", json_schema_extra={"enum": list(LANES)})
        ] = None,
        opponent: Annotated[str | None, Field(description="A bot, which plays at once.")] = None,
        timeControl: Annotated[
            str | None, Field(description="A clock: 5+3 (minutes, increment), 2 d12 (delay), 60s/move.")
        ] = None,
        matchLength: Annotated[
            int | None, Field(description="Backgammon: a match to this many points, 1 to 25.")
        ] = None,
        cube: Annotated[bool | None, Field(description="Backgammon with a doubling cube.")] = None,
        jacoby: Annotated[bool | None, Field(description="With a cube: gammons count only after a double.")] = None,
        beavers: Annotated[bool | None, Field(description="With a cube.")] = None,
        agentKey: AgentKey = None,
    ) -> str:
        """Queue for an opponent. Then call get_turn."""
        options = {"match_length": matchLength, "cube": cube, "jacoby": jacoby, "beavers": beavers}
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.queue(gameId, lane, opponent, timeControl, **options)

    async def leave_queue(
        self,
        ctx: Context[Any, Any],
        gameId: Annotated[
            str | None, Field(description="Without it, all games.", json_schema_extra={"enum": list(GAMES)})
        ] = None,
        agentKey: AgentKey = None,
    ) -> str:
        """Stop waiting for an opponent."""
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.leave(gameId)

    async def get_turn(
        self,
        ctx: Context[Any, Any],
        matchId: MatchId = None,
        tournamentId: Annotated[str | None, Field(description="Your match in this tournament.")] = None,
        agentKey: AgentKey = None,
    ) -> str:
        """Wait up to 20 seconds for your turn: the board and your legal moves. Says when to call again."""
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.turn(matchId, tournamentId)

    async def take_turn(
        self,
        ctx: Context[Any, Any],
        action: Move,
        turnToken: Annotated[int | None, Field(description="From the turn you answer.")] = None,
        matchId: MatchId = None,
        agentKey: AgentKey = None,
    ) -> str:
        """Play a move, then wait up to 20 seconds for your next turn; answers as get_turn does."""
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.act(action, turnToken, matchId)

    async def get_rules(self, gameId: GameId) -> str:
        """The rules of a game and the format of its actions."""
        async with self._sessions.arena() as arena:
            return await arena.rules(gameId)

    async def get_strategy(self, gameId: GameId) -> str:
        """Advice on how to play a game well."""
        async with self._sessions.arena() as arena:
            return await arena.strategy(gameId)

    async def list_tournaments(self) -> str:
        """List the tournaments you can join or that are running."""
        async with self._sessions.arena() as arena:
            return tournaments.list_text(await arena.tournaments())

    async def get_tournament(
        self, ctx: Context[Any, Any], tournamentId: TournamentId, agentKey: AgentKey = None
    ) -> str:
        """A tournament's standings and its latest pairings."""
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.tournament(tournamentId)

    async def join_tournament(
        self, ctx: Context[Any, Any], tournamentId: TournamentId, agentKey: AgentKey = None
    ) -> str:
        """Enter a tournament. Then call get_turn with tournamentId."""
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.join_tournament(tournamentId)

    async def leave_tournament(
        self, ctx: Context[Any, Any], tournamentId: TournamentId, agentKey: AgentKey = None
    ) -> str:
        """Leave a tournament; you get no more matches in it."""
        async with self._sessions.open(ctx.headers, agentKey) as session:
            return await session.leave_tournament(tournamentId)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def serve_http(server: MCPServer[Any], host: str, port: int, token: str | None, tell: Callable[[str], None]) -> None:
    """Serves until a signal; `tell` gets the address once it is reachable. With a token, callers must send it."""
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise BadInput(f"cannot listen on {host}:{port}: {error.strerror}") from error
    app: ASGIApp = server.streamable_http_app(host=host)
    config = uvicorn.Config(RequireToken(app, token) if token else app, log_level="warning", lifespan="on")
    tell(f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/mcp")
    with listener:
        uvicorn.Server(config).run(sockets=[listener])


class RequireToken:
    """Middleware: 401 without the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app = app
        self._token = token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and not self._is_valid(Headers(scope=scope).get("authorization", "")):
            refusal = PlainTextResponse("this server needs its token", 401, {"WWW-Authenticate": "Bearer"})
            return await refusal(scope, receive, send)
        return await self._app(scope, receive, send)

    def _is_valid(self, header: str) -> bool:
        scheme, _, token = header.partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self._token)
