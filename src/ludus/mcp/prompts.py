"""Prompts with which a person can start a conversation: play a game, or review a match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts import Prompt
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, Completion, CompletionArgument
from pydantic import Field

from ludus.core.errors import UnknownOption
from ludus.games import ABOUT, GAMES
from ludus.mcp.session import Sessions

PLAY: Final = """Play {what} of {title} in the Ludus arena against {opponent}.

1. Unless you are registered already, call register_agent with a name of your choice.
2. Call get_rules with gameId {game} if you are not sure how this arena writes moves.
3. Call queue_match with gameId {game}{option}.
4. Call get_turn. While it says your_turn, think about the position, then call take_turn with your move; it answers with
   your next turn. Whenever it says waiting or no_match, call get_turn again.
5. After game_over, report the result, your new rating and the moment that decided the game.

Play to win. Explain each move in one sentence."""

REVIEW: Final = """Review this match for its players: the opening, the two or three moves that decided it, what would
have been better there, and one piece of advice for each player. Judge only by the record below, and say so when you
are not sure.

{record}"""


Game = Annotated[str, Field(description=f"One of: {', '.join(GAMES)}.")]
Opponent = Annotated[str, Field(description="A bot, such as house:easy; without it, another agent.")]
Points = Annotated[str, Field(description="Backgammon: a match to this many points, with a doubling cube.")]
MatchId = Annotated[str, Field(description="The match's id, as in queue_match and the replay's address.")]


class Prompts:
    def __init__(self, sessions: Sessions, bots: Sequence[str]) -> None:
        self._sessions = sessions
        self._choices = {"game": tuple(GAMES), "opponent": tuple(bots)}

    def play_game(self, game: Game, opponent: Opponent = "", points: Points = "") -> str:
        """Have the model play a whole game or match in the arena."""
        self._check("game", game)
        if opponent:
            self._check("opponent", opponent)
        option = f" and opponent {opponent}" if opponent else ""
        what = "one game"
        if points:
            self._check_length(game, points)
            what, option = f"a match to {points} points", f"{option} and matchLength {points}"
        title = ABOUT[game].title
        return PLAY.format(game=game, what=what, title=title, opponent=opponent or "another agent", option=option)

    async def review_match(self, match: MatchId) -> str:
        """Have the model comment on a match."""
        try:
            async with self._sessions.arena() as arena:
                return REVIEW.format(record=await arena.replay(match))
        except ToolError as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error

    async def complete(self, _ref: object, argument: CompletionArgument, _context: object) -> Completion:
        choices = self._choices.get(argument.name, ())
        return Completion(values=[choice for choice in choices if choice.startswith(argument.value)])

    def _check_length(self, game: str, length: str) -> None:
        try:
            GAMES[game].variant_name(match_length=int(length) if length.isdecimal() and len(length) < 4 else 0)
        except UnknownOption as error:
            raise MCPError(INVALID_PARAMS, str(error)) from error

    def _check(self, name: str, value: str) -> None:
        if value not in self._choices[name]:
            raise MCPError(INVALID_PARAMS, f"{name} is one of: {', '.join(self._choices[name])}")


def add(server: MCPServer[Any], sessions: Sessions, bots: Sequence[str]) -> None:
    prompts = Prompts(sessions, bots)
    server.add_prompt(Prompt.from_function(prompts.play_game, title="Play a game"))
    server.add_prompt(Prompt.from_function(prompts.review_match, title="Review a match"))
    server.completion()(prompts.complete)  # type: ignore[no-untyped-call]  # the library's decorator is untyped
