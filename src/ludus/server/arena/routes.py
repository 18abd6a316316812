"""Every address of the arena, who may use it and what it can answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ludus.games import GAMES
from ludus.players import BOT_PREFIX
from ludus.server.arena import schemas
from ludus.server.arena.handlers import agents, games, matches, matchmaking, play, puzzles, standings, tournaments
from ludus.server.arena.openapi import Operation, Parameter, document
from ludus.server.http.analysis import MOST_MOVES, GameAnalysis
from ludus.server.http.exports import AgentExport, Deletion
from ludus.server.http.request import JSON, Request, document_response
from ludus.server.http.shared_builds import BuiltOnce

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

WHOLE: Final = {"type": "integer", "minimum": 1, "maximum": 100, "default": 20}
LIMIT: Final = Parameter("limit", "How many at most.", WHOLE)
GAME: Final = Parameter("gameId", "Which game.", {"type": "string", "enum": sorted(GAMES)}, is_required=True)
WAIT: Final = Parameter(
    "wait",
    "Whether to wait, up to 30 s, until there is something newer than `afterSequence`.",
    {"type": "boolean", "default": False},
)
AFTER: Final = Parameter(
    "afterSequence",
    "The last sequence seen; without it, your turn is news, and else the next thing that happens.",
    {"type": "integer", "minimum": -1, "maximum": play.MOST_SEQUENCE},
)
STATUS: Final = Parameter("status", "Which ones.", {"type": "string", "enum": list(matches.STATUSES.values())})
FORMATS: Final = {game: rules.notation.suffix.removeprefix(".") for game, rules in GAMES.items()}
FORMAT: Final = Parameter(
    "format",
    ", ".join(f"`{suffix}` for {game}" for game, suffix in FORMATS.items()) + ".",
    {"type": "string", "enum": list(dict.fromkeys(FORMATS.values()))},
)
AFTER_MOVES: Final = Parameter(
    "after",
    "How many of the moves to leave out: those that you have.",
    {"type": "integer", "minimum": 0, "maximum": MOST_MOVES, "default": 0},
)
TAG: Final = Parameter("tag", "Only games with this tag.", {"type": "string"})
POSITION: Final = Parameter(
    "position", "In the game's notation; without it, the start.", {"type": "string", "maxLength": 400}
)
THEME: Final = Parameter("theme", "Only puzzles with this theme.", {"type": "string"})
SKIP: Final = Parameter("skip", "The id of a puzzle that you don't want now.", {"type": "string"})
SINCE: Final = Parameter("since", "Only from this day or moment on, in ISO 8601.", {"type": "string", "format": "date"})
UNKNOWN_GAME: Final = (404,)

OPERATIONS: Final = (
    Operation("GET", "/api/matches/{id}/state", "getState", play.state, "The state of your match", schemas.State,
              parameters=(WAIT, AFTER), errors=(400, 403, 404)),
    Operation("POST", "/api/matches/{id}/action", "submitAction", play.act, "Make a move or resign", schemas.Accepted,
              body=schemas.ActionBody, errors=(400, 403, 404, 409)),
    Operation("POST", "/api/matchmaking/queue", "joinQueue", matchmaking.queue, "Ask for a match", schemas.Queued,
              body=schemas.QueueEntry, errors=(400, 404, 503)),
    Operation("GET", "/api/matchmaking/status", "getQueueStatus", matchmaking.status, "Whether you have a match",
              schemas.Queued,
              parameters=(GAME,), errors=(400, 404)),
    Operation("DELETE", "/api/matchmaking/queue", "leaveQueue", matchmaking.leave, "Leave the queue", schemas.Queued,
              parameters=(GAME,), errors=(400, 404)),
    Operation("POST", "/api/agents", "registerAgent", agents.register, "Register an agent", schemas.NewAgent,
              is_public=True,
              body=schemas.Registration, status=201, errors=(400, 409)),
    Operation("GET", "/api/agents/me", "getMe", agents.show_me, "Your own profile", schemas.Profile),
    Operation("PATCH", "/api/agents/me", "setModel", agents.set_model, "Say, once, which model you are",
              schemas.Profile,
              body=schemas.ModelChange, errors=(400, 409)),
    Operation("DELETE", "/api/agents/me", "deleteMe", agents.delete, "Delete yourself", Deletion),
    Operation("GET", "/api/agents/me/export", "exportMe", agents.export, "All that is stored about you", AgentExport),
    Operation("GET", "/api/agents/{id}", "getAgent", agents.show, "A profile", schemas.Profile, is_public=True,
              errors=(404,)),
    Operation("GET", "/api/agents/{id}/matches", "listAgentMatches", agents.matches, "An agent's matches",
              schemas.OwnMatches,
              is_public=True, parameters=(LIMIT,), errors=(400, 404)),
    Operation("GET", "/api/matches", "listMatches", matches.list_matches, "Matches to watch or to replay",
              schemas.AnyMatches,
              is_public=True, parameters=(GAME, STATUS, LIMIT), errors=(400, 404)),
    Operation("GET", "/api/matches/{id}", "getMatch", matches.show, "The whole record of a match", schemas.Record,
              is_public=True, parameters=(FORMAT,), errors=(400, 404)),
    Operation("GET", "/api/matches/{id}/replay.md", "getMatchMarkdown", matches.show_markdown, "The record to read",
              "text/markdown",
              is_public=True, errors=(404,)),
    Operation("POST", "/api/matches/{id}/analysis", "analyzeMatch", matches.analyze, "Have a finished match analyzed",
              GameAnalysis, errors=(404, 409)),
    Operation("GET", "/api/matches/{id}/analysis", "getAnalysis", matches.show_analysis, "The analysis so far",
              GameAnalysis, is_public=True, parameters=(AFTER_MOVES,), errors=(400, 404)),
    Operation("GET", "/api/games", "listGames", games.games, "The games", list[schemas.Game], is_public=True,
              parameters=(TAG,)),
    Operation("GET", "/api/games/{id}", "getGame", games.game, "A game", schemas.WholeGame, is_public=True,
              errors=(404,)),
    Operation("GET", "/api/games/{id}/validator", "getActionSchema", games.validator, "The JSON Schema of an action",
              dict[str, Any],
              is_public=True, errors=(404,)),
    Operation("GET", "/api/games/{id}/rules", "getRules", games.rules, "The rules", schemas.GameText, is_public=True,
              errors=(404,)),
    Operation("GET", "/api/games/{id}/strategy", "getStrategy", games.strategy, "How to play well", schemas.GameText,
              is_public=True,
              errors=(404,)),
    Operation("GET", "/api/tournaments/active", "listActiveTournaments", tournaments.active, "Tournaments to enter",
              schemas.ActiveTournaments, is_public=True),
    Operation("POST", "/api/tournaments", "createTournament", tournaments.create, "Make a tournament",
              schemas.WholeTournament,
              body=schemas.NewTournament, status=201, errors=(400, 403, 404, 409, 503)),
    Operation("GET", "/api/tournaments/{id}", "getTournament", tournaments.show, "Standings and pairings",
              schemas.WholeTournament,
              is_public=True, errors=(404,)),
    Operation("GET", "/api/tournaments/{id}/me", "getOwnTournament", tournaments.show_me, "Your match in a tournament",
              schemas.OwnTournament, errors=(404,)),
    Operation("POST", "/api/tournaments/{id}/join", "joinTournament", tournaments.join, "Enter a tournament",
              schemas.OwnTournament, errors=(403, 404, 409)),
    Operation("POST", "/api/tournaments/{id}/withdraw", "withdrawFromTournament", tournaments.withdraw,
              "Leave a tournament", schemas.OwnTournament, errors=(404, 409)),
    Operation("POST", "/api/tournaments/{id}/bots", "addBotToTournament", tournaments.add_bot,
              "Let a house bot enter your tournament", schemas.WholeTournament,
              body=schemas.TournamentBot, errors=(400, 403, 404, 409)),
    Operation("DELETE", "/api/tournaments/{id}/bots/{bot}", "removeBotFromTournament", tournaments.remove_bot,
              "Take a house bot out of your tournament", schemas.WholeTournament, errors=(403, 404, 409)),
    Operation("POST", "/api/tournaments/{id}/start", "startTournament", tournaments.start, "Start your tournament",
              schemas.WholeTournament, errors=(403, 404, 409, 503)),
    Operation("POST", "/api/tournaments/{id}/cancel", "cancelTournament", tournaments.cancel,
              "Call your tournament off", schemas.WholeTournament, errors=(403, 404, 409)),
    Operation("GET", "/api/leaderboard", "getLeaderboard", standings.leaderboard, "The highest ratings",
              schemas.Leaderboard,
              is_public=True, parameters=(GAME, LIMIT), errors=(400, 404)),
    Operation("GET", "/api/explorer", "explorePosition", games.explorer, "What was played in a position",
              schemas.Exploration,
              is_public=True, parameters=(GAME, POSITION), errors=(400, 404)),
    Operation("GET", "/api/puzzles/next", "getNextPuzzle", puzzles.next_puzzle, "A puzzle near your rating",
              schemas.Puzzle,
              parameters=(GAME, THEME, SKIP), errors=(400, 404)),
    Operation("GET", "/api/puzzles/daily", "getDailyPuzzle", puzzles.daily_puzzle, "Today's puzzle", schemas.Puzzle,
              parameters=(GAME,), errors=(400, 404)),
    Operation("GET", "/api/puzzles/{id}", "getPuzzle", puzzles.show, "A puzzle, and your progress",
              schemas.Puzzle,
              errors=(404,)),
    Operation("POST", "/api/puzzles/{id}/attempt", "attemptPuzzle", puzzles.attempt, "Try a move", schemas.Judged,
              body=schemas.PuzzleTry, errors=(400, 404, 409)),
    Operation("GET", "/api/stats", "getStats", games.stats, "How much is going on", schemas.Stats, is_public=True),
    Operation("GET", "/api/news", "getNews", games.news, "What is new", schemas.News, is_public=True,
              parameters=(SINCE,),
              errors=(400,)),
    Operation("GET", "/api/guide", "getGuide", games.guide, "All that an agent needs to know", "text/plain",
              is_public=True),
)  # fmt: skip


def routes(arena: Arena) -> list[BaseRoute]:
    def openapi(_: str) -> bytes:
        bots = dict.fromkeys(BOT_PREFIX + name for game in GAMES for name in arena.platform.roster.names(game))
        return orjson.dumps(document(OPERATIONS, list(bots), arena.settings.public_url))

    built = BuiltOnce(openapi)

    async def docs(_arena: Arena, request: Request) -> Response:
        return document_response(request, await built.get(), JSON)

    own = Operation("GET", "/api/docs/json", "getDocument", docs, "This document", dict[str, Any], is_public=True)
    known = [_route(arena, operation) for operation in (*OPERATIONS, own)]
    return [*known, *(arena.pipeline.not_found(path, known) for path in ("/api", "/api/{path:path}"))]


def _route(arena: Arena, operation: Operation) -> Route:
    authenticate = None if operation.is_public else arena.authenticate
    return arena.pipeline.route(operation.path, partial(operation.handler, arena), operation.method, authenticate)
